// Retry policies with a script: their forms are sent without leaving the page.
import { expect, live, test } from '../fixtures/test';

test('policies change places and are switched off; focus and place stay, and what was done is said', async ({
  page,
  workplace,
  running,
}) => {
  const names = [1, 2, 3, 4, 5, 6, 7, 8].map((number) => `policy ${number} of ${workplace.work}`);
  for (const name of names) await running.api.policy(name, `queue:${workplace.work}`);
  const [before, last] = [names[6]!, names[7]!];
  const order = async () => (await running.api.policies()).filter((name) => name.endsWith(workplace.work));
  await page.setViewportSize({ width: 1280, height: 500 });
  await page.goto('/rules/retries');
  await live(page);
  const up = page.getByRole('button', { name: `Move ${last} up` });
  await up.scrollIntoViewIfNeeded();
  const place = await page.evaluate(() => scrollY);
  expect(place, 'the page is longer than the window').toBeGreaterThan(100);
  // The page itself stays: it is not loaded anew.
  await page.evaluate(() => Object.assign(window, { isStill: true }));
  await up.click();
  await expect.poll(order).toEqual([...names.slice(0, 6), last, before]);
  await expect(page.getByRole('status').filter({ hasText: 'The retry policies were changed.' })).toBeInViewport();
  await expect(up, 'the focus goes with the policy').toBeFocused();
  expect(Math.abs((await page.evaluate(() => scrollY)) - place), 'where one reads').toBeLessThan(150);

  const enabled = page.getByRole('switch', { name: last });
  await enabled.click();
  await expect(enabled).not.toBeChecked();
  await expect(enabled).toBeFocused();
  expect(await page.evaluate(() => 'isStill' in window)).toBe(true);

  const row = page.getByRole('listitem').filter({ hasText: last });
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Delete this policy' }).click();
  await expect(row).toHaveCount(0);
  await expect(page).toHaveURL(/\/rules\/retries\?notice=policy-removed$/);
});
