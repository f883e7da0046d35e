// The workers while their page is open.
import { expect, live, test } from '../fixtures/test';

test('an open list of workers follows, and leads to each and its executions', async ({ page, workplace, running }) => {
  const [first, second] = [`${workplace.work}-1`, `${workplace.work}-2`];
  await running.api.heartbeat(first, {});
  await page.goto('/letters');
  await page.getByRole('link', { name: 'Workers', exact: true }).click();
  await live(page);
  const named = (worker: string) => page.getByRole('rowheader').getByRole('link', { name: worker, exact: true });
  await expect(named(first)).toBeVisible();
  await expect(named(second)).toHaveCount(0);
  await running.api.heartbeat(second, {});
  await expect(named(second)).toBeVisible();
  await named(first).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(new RegExp(`^${first} is at work`));
  await page.getByRole('link', { name: 'its executions' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Executions on worker ${first}.`);
});
