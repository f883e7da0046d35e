// Executions: what was reported is listed, found by state and worker, and ended by hand.
import { expect, test } from '../fixtures/test';

test('an execution is found by its state and worker, and cancelled', async ({ page, running }) => {
  const worker = `worker ${Date.now()}`;
  const id = `job/${Date.now()} of 100%`;
  await running.api.report(
    { id, state: 'scheduled', worker, max_attempts: 3 },
    { id: `${id} done`, state: 'completed', worker },
  );
  await page.goto(`/executions?worker=${encodeURIComponent(worker)}`);
  await expect(page.getByRole('heading', { name: `2 executions on worker ${worker}` })).toBeVisible();
  await page.getByRole('navigation', { name: 'Which executions' }).getByRole('link', { name: /^scheduled/ }).click();
  await expect(page.getByRole('heading', { name: `1 execution scheduled on worker ${worker}` })).toBeVisible();
  await page.getByRole('link', { name: id, exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`Assigned to worker ${worker}, and not begun.`);
  await expect(page.getByText('attempt 1 of 3')).toBeVisible();
  await page.getByRole('textbox', { name: 'Reason' }).fill('ordered twice');
  await page.getByRole('button', { name: 'Cancel it' }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Cancelled.');
  await expect(page.getByText('ordered twice').first()).toBeVisible();
  await expect(page.getByRole('button', { name: 'Cancel it' })).toHaveCount(0);
});
