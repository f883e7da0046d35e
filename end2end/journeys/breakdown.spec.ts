// What died the same way is found on the first page, and what it has in common is said.
import { groupOf, open } from '../fixtures/groups';
import { rows, section } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

const TITLE = 'the carillon of the north tower is out of tune';

test('the overview leads to a group, and the group says which version its letters have', async ({
  page,
  workplace,
  running,
}) => {
  const dies = (error: string, version: string) =>
    workplace.die({ headers: { 'x-error': error, 'x-version': version, 'x-tenant': 'belfry' } });
  await page.goto('/');
  await live(page);
  for (let number = 0; number < 6; number += 1) await dies(TITLE, '2.3.1');
  for (let number = 0; number < 6; number += 1) await dies('the bell rope is worn', '2.3.0');
  await workplace.letters(12);
  const group = await groupOf(running.api, TITLE);

  const worst = section(page, 'Groups by impact');
  const row = worst.locator('tbody').getByRole('row').filter({ hasText: TITLE });
  await expect(row.getByRole('cell').nth(2), 'it came while the page was open').toHaveText('6');
  await expect(row.getByRole('img', { name: /^6 arrivals in the last 24 hours/ })).toBeVisible();
  await expect(row.getByText('new', { exact: true }).locator('visible=true')).toHaveCount(1);

  await row.getByRole('link', { name: TITLE }).click();
  await expect(page).toHaveURL(new RegExp(`/groups/${group.id}$`));
  const common = section(page, 'What they have in common');
  await expect(common).toContainText(/100\s% of these have x-version=2\.3\.1, \d+\s% of all letters do\./);
  const version = rows(page, '2.3.1').filter({ hasText: '×' });
  await expect(version.getByRole('cell').nth(3)).toHaveText(/100\s%/);
  await expect(common).not.toContainText('x-error');

  await common.getByRole('link', { name: 'x-version=2.3.1' }).click();
  await expect(page).toHaveURL(new RegExp(`/letters\\?q=group:${group.id}\\+header\\.x-version:2\\.3\\.1$`));
});

test('a link stays that of its group while another takes its place', async ({ page, workplace, running }) => {
  const [first, second] = ['the weather vane of the mill is stuck', 'the mill race runs dry at noon'];
  const dies = (error: string) => workplace.die({ headers: { 'x-error': error } });
  for (let number = 0; number < 3; number += 1) await dies(first);
  await dies(second);
  await workplace.letters(4);
  const group = await groupOf(running.api, first);
  await groupOf(running.api, second);
  await page.goto('/');
  await live(page);
  const worst = section(page, 'Groups by impact');
  const order = async () => {
    const titles = await worst.locator('tbody a').allTextContents();
    return titles.filter((title) => [first, second].includes(title));
  };
  // Letters are counted a moment after they came.
  await expect.poll(order).toEqual([first, second]);
  const aimedAt = await worst.getByRole('link', { name: first }).elementHandle();
  for (let number = 0; number < 4; number += 1) await dies(second);
  await expect.poll(order).toEqual([second, first]);
  expect(await aimedAt!.getAttribute('href'), 'who aims at it does not press another').toBe(`/groups/${group.id}`);
});

test('a muted group is left off the overview', async ({ page, workplace, running }) => {
  const title = 'the ferry bell was stolen by a heron';
  await workplace.die({ headers: { 'x-error': title } });
  const group = await groupOf(running.api, title);
  await open(page, group.id);
  await page.getByText('Mute…', { exact: true }).click();
  await page.getByRole('button', { name: 'Mute this group' }).click();
  await expect(page.locator('.meta .state', { hasText: 'muted' })).toBeVisible();
  await page.goto('/');
  const worst = section(page, 'Groups by impact');
  await expect(worst.locator('header')).toContainText(/\d+ muted.* left off/);
  await expect(worst).not.toContainText(title);
});
