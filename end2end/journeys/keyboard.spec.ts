// The list of letters without a mouse.
import { rows } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

test('rows are walked, checked and opened by keys', async ({ page, workplace }) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name, headers: { 'x-error': `error ${name}` } });
  await workplace.letters(3);
  await page.goto(workplace.list());
  await live(page);
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('k');
  await expect(rows(page, 'error two').getByRole('link').first()).toBeFocused();
  await page.keyboard.press('x');
  await expect(rows(page, 'error two').getByRole('checkbox')).toBeChecked();
  await expect(page.getByRole('group', { name: 'The checked letters' })).toContainText('1 letter checked');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/letters\/[0-9a-f-]{36}$/);
});

test('keys lead to the filter, to the pages and to their own list', async ({ page }) => {
  await page.goto('/letters');
  await live(page);
  await page.keyboard.press('/');
  await expect(page.getByRole('textbox', { name: 'Filter', exact: true })).toBeFocused();
  await page.keyboard.type('jx?');
  await expect(page.getByRole('textbox', { name: 'Filter', exact: true })).toHaveValue('jx?');
  await page.keyboard.press('Escape');

  await page.keyboard.press('?');
  const keys = page.getByRole('dialog', { name: 'Keys' });
  await expect(keys).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(keys).toBeHidden();

  await page.keyboard.press('g');
  await page.keyboard.press('s');
  await expect(page).toHaveURL(/\/sources$/);
});

test('the first stop of the tab key leads past the head of the page', async ({ page }) => {
  await page.goto('/letters');
  await live(page);
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to the page' });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
});

test('the paper that was chosen stays chosen', async ({ page }) => {
  await page.goto('/letters');
  await live(page);
  const paper = () => page.locator('html').evaluate((html) => getComputedStyle(html).backgroundColor);
  const light = await paper();
  await page.getByRole('button', { name: 'Switch between light and dark' }).click();
  const dark = await paper();
  expect(dark).not.toBe(light);
  await page.reload();
  expect(await paper()).toBe(dark);
});
