// 500 letters of one failure are replayed before it is mended, and after.
import type { Page } from '@playwright/test';
import { section } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

test.use({ office: 'mendable' });

const LETTERS = 500;
const sentence = (page: Page) => page.getByRole('heading', { level: 1 });
const badge = (page: Page, state: string) => page.locator('.meta .state', { hasText: state });

test('a canary stops by itself, and all letters settle once the consumer is mended', async ({ page, running }) => {
  test.setTimeout(300_000);
  await running.broker.publishMany('orders.process', LETTERS, (number) => ({
    order_id: `B-${number}`,
    total: -5,
    warehouse: 'AMS-1',
    customer: { email: `b${number}@example.com` },
  }));
  const which = 'error:"negative total" body.warehouse:AMS-1 body.total:-5';
  await expect
    .poll(async () => (await running.api.letters(which)).estimated_total)
    .toBeGreaterThanOrEqual(LETTERS);
  const [letter] = (await running.api.letters(which)).items;
  const group = letter!.group_id!;

  // From the group to a replay that begins carefully.
  await page.goto(`/groups/${group}`);
  await page.getByRole('link', { name: /^Plan a replay of [\d,]+ letters/ }).click();
  await expect(sentence(page)).toContainText(/^This would publish [\d,]+ letters again/);
  await page.getByLabel('canary: letters sent after each step').fill('1, 10, 100');
  await page.getByLabel('watch each step, in s').fill('3');
  await page.getByRole('button', { name: 'Look again' }).click();
  const go = page.getByRole('button', { name: /^Replay [\d,]+ letters to the queues they died in, beginning with 1$/ });
  const total = Number(/[\d,]+/.exec((await go.textContent()) ?? '')![0].replaceAll(',', ''));
  expect(total).toBeGreaterThanOrEqual(LETTERS);
  await go.click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await live(page);

  // The bug is still there.
  await expect(badge(page, 'paused')).toBeVisible();
  await expect(page.getByRole('status').filter({ hasText: 'It stopped by itself: 1 of 1 letters went wrong' })).toBeVisible();
  await expect(section(page, 'Canary')).toContainText('stopped here');
  expect(total - (await pending(page))).toBeLessThanOrEqual(1);

  // It is mended; the replay goes on, and every letter settles.
  await running.broker.publish('fleet.switch', Buffer.from('fixed'), {});
  await page.getByRole('button', { name: 'Resume with the 1 that died again' }).click();
  await expect(badge(page, 'finished')).toBeVisible();
  await expect(settled(page, total)).toBeVisible();
  await expect(section(page, /^Outcomes of the/)).toContainText('Return rate 0.0 %');
  await page.goto(`/groups/${group}`);
  await expect(sentence(page)).toContainText(/^No letter of this group waits/);
});

/** Letters that the page says are still to go. */
async function pending(page: Page): Promise<number> {
  const text = await section(page, /^Outcomes of the/).getByRole('listitem').filter({ hasText: 'pending' }).textContent();
  return Number(/[\d,]+/.exec(text ?? '')![0].replaceAll(',', ''));
}

function settled(page: Page, letters: number) {
  const all = letters.toLocaleString('en-US');
  return section(page, /^Outcomes of the/).getByRole('listitem').filter({ hasText: new RegExp(`^${all}\\s*settled$`) });
}
