// 3,000 letters of a bad night, and the few failures behind them.
import type { Page } from '@playwright/test';
import { groupOf, open } from '../fixtures/groups';
import { rows, section } from '../fixtures/list';
import { PATIENCE_MS } from '../fixtures/patience';
import { expect, live, test } from '../fixtures/test';

test.use({ office: 'crowded' });

const LETTERS = 3000;
const badge = (page: Page, state: string) => page.locator('.meta .state', { hasText: state });

test('3,000 letters are a few groups, which people look into, mute, merge, split and resolve', async ({ page, running }) => {
  test.setTimeout(420_000);
  await expect
    .poll(async () => (await running.api.letters('')).estimated_total, { timeout: 2 * PATIENCE_MS })
    .toBeGreaterThanOrEqual(LETTERS);
  const began = Date.now();
  const groups = async () => (await running.api.groups()).items;
  const grouped = async () => (await groups()).reduce((all, { letters }) => all + letters, 0);
  await expect.poll(grouped, { message: 'letters in groups' }).toBeGreaterThanOrEqual(LETTERS);
  expect((await groups()).length, 'groups of all these letters').toBeLessThanOrEqual(LETTERS / 50);

  // The worst group, and why it is one.
  await page.goto('/');
  await live(page);
  const worst = section(page, 'Groups by impact').locator('tbody').getByRole('row').first().getByRole('link').first();
  await worst.click();
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}$/);
  const address = page.url();
  await expect(section(page, 'Why these letters are one group')).toBeVisible();

  // What its letters have in common, and the letters of that version.
  const common = section(page, 'What they have in common');
  await common.getByRole('row').filter({ hasText: 'x-version' }).first().getByRole('link').click();
  await expect(page).toHaveURL(/q=group:[0-9a-f-]{36}\+header\.x-version:/);
  await expect(rows(page).first()).toBeVisible();
  await expect(page.getByRole('heading', { name: /^\d+ letters$/ })).toBeVisible();
  await page.goBack();

  await page.getByRole('button', { name: 'Assign to me' }).click();
  await expect(badge(page, 'investigating')).toBeVisible();

  // Another is known, and may be quiet.
  const known = await groupOf(running.api, 'Order <id> has a negative total: <number>');
  await open(page, known.id);
  await page.getByText('Mute…', { exact: true }).click();
  await page.getByRole('button', { name: 'Mute this group' }).click();
  await expect(badge(page, 'muted')).toBeVisible();

  // Two are one bug after all; then one of them is not.
  const credit = await groupOf(running.api, 'CreditNoteIssued rejected in invoices.render');
  const invoice = await groupOf(running.api, 'InvoiceIssued rejected in invoices.render');
  await open(page, credit.id);
  await page.getByRole('link', { name: 'Merge into another group…' }).click();
  await page.getByRole('button', { name: `Merge into ${invoice.title}` }).click();
  await expect(page).toHaveURL(new RegExp(`/groups/${invoice.id}\\?notice=merged$`));
  const signatures = section(page, '2 signatures');
  await signatures.getByRole('checkbox', { name: `Select ${credit.title}` }).check();
  await signatures.getByRole('button', { name: 'Split the selected off into a new group' }).click();
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}\?notice=split$/);

  // The first is mended, people think; the next letter says that it is not.
  await page.goto(address);
  await live(page);
  await page.getByRole('button', { name: 'Resolve' }).click();
  await expect(badge(page, 'resolved')).toBeVisible();
  test.info().annotations.push({ type: 'took', description: `${Math.round((Date.now() - began) / 1000)} s` });
  await expect(badge(page, 'regressed')).toBeVisible();
  await expect(section(page, 'What happened').getByRole('listitem').first()).toContainText('regressed');
});
