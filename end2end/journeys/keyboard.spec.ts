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
  await expect(page.getByRole('group', { name: 'The selected letters' })).toContainText('1 letter selected');
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

test('Ctrl-K finds a page, letters, and what can be done on the page at hand', async ({ page, workplace }) => {
  await workplace.die({ headers: { 'x-error': 'found by Ctrl-K' } });
  await workplace.letters(1);
  await page.goto(workplace.list());
  await live(page);
  const palette = page.getByRole('dialog', { name: 'Find or do' });
  const field = palette.getByRole('combobox');

  // From within a field, too.
  await page.keyboard.press('/');
  await page.keyboard.press('Control+k');
  await expect(field).toBeFocused();
  await page.keyboard.type('stale workers');
  await expect(palette.getByRole('option')).toHaveText(['Stale workers', 'Letters that match “stale workers”']);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/workers\?state=stale$/);

  await page.keyboard.press('Control+k');
  await page.keyboard.type('queue:a b');
  await expect(palette.getByRole('option', { selected: true })).toHaveText('Letters that match “queue:a b”');
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/letters\?q=queue(:|%3A)a(%20|\+)b$/);

  await page.goto(workplace.list());
  await rows(page).first().getByRole('link').first().click();
  await expect(page).toHaveURL(/\/letters\/[0-9a-f-]{36}$/);
  await live(page);
  const address = page.url();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('discard…');
  await expect(palette.getByRole('option', { selected: true })).toContainText('Discard');
  await page.keyboard.press('ArrowDown');
  await expect(palette.getByRole('option', { selected: true })).toHaveText('Letters that match “discard…”');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await expect(palette).toBeHidden();
  await expect(page.getByRole('textbox', { name: 'Reason for the discard' }), 'unfolded, and not done').toBeVisible();

  const id = address.split('/').pop()!;
  await page.goto('/groups');
  await page.keyboard.press('Control+k');
  await field.fill(id);
  await palette.getByRole('option', { name: `Letter ${id}` }).click();
  await expect(page).toHaveURL(address);
});

test('Ctrl-K finds a worker, a group and a queue by a few letters of their names', async ({ page, workplace, running }) => {
  const worker = `${workplace.work} no. 7/ü`;
  await running.api.heartbeat(worker, {});
  await workplace.die({ headers: { 'x-error': 'Nobody named this before' } });
  await workplace.letters(1);
  await page.goto('/rules');
  await live(page);
  const palette = page.getByRole('dialog', { name: 'Find or do' });
  // Names that come late take nothing away from what somebody has stepped to.
  let answer = () => {};
  const isWaitedFor = new Promise<void>((resolve) => (answer = resolve));
  await page.route('**/letters/values', async (route) => {
    await isWaitedFor;
    await route.continue();
  });
  await page.keyboard.press('Control+k');
  await page.keyboard.type('worker');
  await page.keyboard.press('ArrowDown');
  await expect(palette.getByRole('option', { selected: true })).toHaveText('Stale workers');
  answer();
  await expect(palette.getByRole('option', { name: /^Worker / }).first()).toBeVisible();
  await expect(palette.getByRole('option', { selected: true })).toHaveText('Stale workers');
  await page.keyboard.press('Escape');
  async function find(text: string, option: string) {
    await live(page);
    await page.keyboard.press('Control+k');
    await page.keyboard.type(text);
    await expect(palette.getByRole('option', { name: option, exact: true })).toBeVisible();
    await palette.getByRole('option', { name: option, exact: true }).click();
  }
  await find(`worker ${workplace.work}`, `Worker ${worker}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${worker} is at work`);
  await find('nobody named', 'Group: Nobody named this before');
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('main')).toContainText('Nobody named this before');
  await find(workplace.work, `Letters from ${workplace.work}`);
  await expect(rows(page)).toHaveCount(1);
});

test('j and k walk every list, and the row stays while the page is read again', async ({ page, workplace }) => {
  const die = () => workplace.die({ headers: { 'x-exception-class': 'Walked.Through', 'x-error': 'a row to stand on' } });
  await die();
  await workplace.letters(1);
  const cursor = page.locator('main .cursor');
  for (const path of ['/sources', '/alerts/rules', '/groups']) {
    await page.goto(path);
    await live(page);
    await page.keyboard.press('j');
    await expect(cursor, path).toHaveCount(1);
    await expect(cursor.locator(':focus'), path).toHaveCount(1);
  }
  const stood = await cursor.innerText();
  await die();
  await expect.poll(() => cursor.innerText(), 'the list is read again').not.toBe(stood);
  await expect(cursor.locator(':focus')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}$/);
});
