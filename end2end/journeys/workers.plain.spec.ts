// Workers in a browser that runs no script: plain links and forms.
import { expect, test } from '../fixtures/test';

test('a worker that reports is listed, drained and taken back into work', async ({ page, workplace, running }) => {
  const name = `crew@${workplace.work}/a 7`;
  const queue = `worker.${workplace.work}.executions`;
  const beat = () => running.api.heartbeat(name, { queue, running: 3, capacity: 16 });
  expect(await beat()).toEqual({ state: 'active' });
  await page.goto('/');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Workers' }).click();
  await page.getByRole('navigation', { name: 'Which workers' }).getByRole('link', { name: 'fresh' }).click();
  const row = page.getByRole('row').filter({ hasText: name });
  await expect(row).toContainText('3/16');
  await row.getByRole('link', { name, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`${name} is at work.`);

  await page.getByRole('button', { name: `Drain ${name}` }).click();
  await expect(page.getByRole('status').filter({ hasText: 'The worker is draining' })).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('is draining');
  expect(await beat()).toEqual({ state: 'draining' });

  await page.getByRole('button', { name: `Take ${name} back into work` }).click();
  await expect(page.getByRole('status').filter({ hasText: 'is back at work' })).toBeVisible();
  expect(await beat()).toEqual({ state: 'active' });
  await page.getByRole('listitem').getByRole('link', { name: /\*$/ }).click();
  await expect(page).toHaveURL(/\/workers\?kind=/);
  await expect(row).toHaveCount(1);
});

test('a worker that falls silent is told with the time that it was away', async ({ page, workplace, running }) => {
  const name = `silent-${workplace.work}`;
  await running.api.heartbeat(name, { interval_seconds: 1 });
  // Its kind is listed under the same name, stale or not.
  const worker = page.locator('tr a[href^="/workers/"]').filter({ hasText: name });
  await expect(async () => {
    await page.goto('/workers?state=stale');
    await expect(worker).toBeVisible({ timeout: 500 });
  }).toPass();
  await worker.click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`${name} has been silent for`);
  await expect(page.getByRole('table').getByRole('row').filter({ hasText: 'still away' })).toHaveCount(1);
  await running.api.heartbeat(name, { interval_seconds: 3600 });
  await expect(async () => {
    await page.reload();
    await expect(page.getByText('still away')).toHaveCount(0, { timeout: 500 });
  }).toPass();
});
