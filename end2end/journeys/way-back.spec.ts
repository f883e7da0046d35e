// Who goes back finds a page as it was left. Browsers under test keep no page unless they are told to.
import { expect, live, test } from '../fixtures/test';
import { rows } from '../fixtures/list';
import config from '../playwright.config';

test.use({
  launchOptions: { ...config.use?.launchOptions, ignoreDefaultArgs: ['--disable-back-forward-cache'] },
});

test('a list is as it was left, and live again', async ({ page, workplace }) => {
  await workplace.die();
  await workplace.die();
  await workplace.letters(2);
  await page.goto(workplace.list());
  await live(page);
  await rows(page).last().getByRole('checkbox').check();
  await rows(page).first().getByRole('link').first().click();
  await page.waitForURL(/letters\/[0-9a-f-]+/);
  await live(page);

  // Nothing is loaded for a page that was kept, so nobody is told that it was.
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL(/letters\?/);
  await expect(rows(page).last().getByRole('checkbox')).toBeChecked();
  await live(page);
  await workplace.die();
  await expect(page.getByRole('button', { name: '1 new' })).toBeVisible();
});

test('a list that was left by the navigation is live again, and the console has no fault', async ({ page, workplace }) => {
  await workplace.die();
  await workplace.letter();
  await page.goto('/letters');
  await live(page);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Groups' }).click();
  await page.waitForURL(/groups$/);
  await live(page);
  await page.evaluate(() => history.back());
  await expect(page).toHaveURL(/letters$/);
  await live(page);
});
