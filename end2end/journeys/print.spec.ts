// On paper a page has what is read, whole, and nothing that is pressed.
import { section } from '../fixtures/list';
import { expect, test } from '../fixtures/test';

test('a letter is printed whole, and without its buttons', async ({ page, workplace }) => {
  const stack = ['java.lang.IllegalStateException: no', ...Array.from({ length: 60 }, (_, at) => `\tat shop.Orders.line${at}(Orders.java:${at})`)];
  await workplace.die({ headers: { 'x-error': 'amount is negative', 'x-stacktrace': stack.join('\n') } });
  await page.goto(`/letters/${await workplace.letter()}`);
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(section(page, 'Payload')).toBeVisible();
  await expect(page.getByRole('navigation', { name: 'Pages' })).toBeHidden();
  await expect(page.locator('main :is(button, .button):visible')).toHaveCount(0);
  const paper = await page.locator('html').evaluate((html) => getComputedStyle(html).colorScheme);
  expect(paper, 'ink on white paper').toBe('light');
  await expect(page.locator('.zone')).toHaveText(/^Times are /);
  await expect(page.locator('.zone')).toBeVisible();
  await expect(page.locator('.read-at')).toHaveText(/^Ages are as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d /);
  await expect(page.locator('.read-at')).toBeVisible();
  const cut = await page.locator('main :is(pre, .body)').evaluateAll((all) =>
    all.filter((one) => one.checkVisibility() && one.scrollHeight > one.clientHeight + 1).length,
  );
  expect(cut, 'texts that are cut').toBe(0);
});
