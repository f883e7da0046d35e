// The first page and a group's breakdown in a browser that runs no script.
import { groupOf } from '../fixtures/groups';
import { section } from '../fixtures/list';
import { expect, test } from '../fixtures/test';

test('the overview leads to a group, which says what its letters have in common', async ({
  page,
  workplace,
  running,
}) => {
  const title = 'the weathercock points to yesterday';
  for (let number = 0; number < 5; number += 1) {
    await workplace.die({ headers: { 'x-error': title, 'x-version': '7.0.1' } });
    await workplace.die({ headers: { 'x-error': 'the gutter is full of leaves', 'x-version': '7.0.0' } });
  }
  await workplace.letters(10);
  const group = await groupOf(running.api, title);
  await expect.poll(async () => (await running.api.group(group.id)).letters).toBe(5);
  await page.goto('/');
  const row = section(page, 'Groups by impact').locator('tbody').getByRole('row').filter({ hasText: title });
  await row.getByRole('link', { name: title }).click();
  await expect(page).toHaveURL(new RegExp(`/groups/${group.id}$`));
  const common = section(page, 'What they have in common');
  await expect(common).toContainText(/100\s% of these have x-version=7\.0\.1, \d+\s% of all letters do\./);
  await expect(common.getByRole('table')).toContainText(workplace.work);
});
