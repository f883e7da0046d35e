// The documents about alerts while they are open: they follow what happens, and disturb nobody who writes.
import { expect, test } from '../fixtures/test';

test('an open list of alerts follows, and the bell counts', async ({ page, workplace }) => {
  await page.goto('/letters');
  await page.getByRole('link', { name: /^Alerts/ }).click();
  await expect(page).toHaveURL(/\/alerts$/);
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  const row = page.getByRole('listitem').filter({ hasText: 'out of paper' });
  await expect(row).toHaveCount(0);
  await workplace.die({ headers: { 'x-error': 'the printer is out of paper' } });
  await expect(row).toHaveCount(1);
  await expect(page.getByRole('link', { name: /^Alerts \d+/ })).toBeVisible();
  await row.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'no more reminders' })).toBeVisible();
});

test('nothing takes away what somebody writes', async ({ page, workplace }) => {
  await page.goto('/alerts/channels/new');
  await expect(page.getByText('live', { exact: true })).toBeVisible();
  const other = await page.context().newPage();
  await other.goto('/alerts');
  await expect(other.getByText('live', { exact: true })).toBeVisible();
  await page.bringToFront();
  await page.getByRole('textbox', { name: 'name', exact: true }).fill('half a na');
  await workplace.die({ headers: { 'x-error': 'the printer has no toner' } });
  // What is hidden is read when somebody looks at it.
  await other.bringToFront();
  await expect(other.getByRole('listitem').filter({ hasText: 'no toner' })).toHaveCount(1);
  await page.bringToFront();
  await expect(page.getByRole('textbox', { name: 'name', exact: true })).toHaveValue('half a na');
});
