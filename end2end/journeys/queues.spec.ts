// The queues while their page is open: it follows what is read, and takes nothing from whoever reads it.
import type { Locator, Page } from '@playwright/test';
import { expect, live, test } from '../fixtures/test';

/** The link of a queue, at the head of its row. */
function named(page: Page, queue: string): Locator {
  return page.getByRole('rowheader').getByRole('link', { name: queue, exact: true });
}

test('an open list of queues follows, and what was unfolded and focused stays', async ({ page, workplace, running }) => {
  // Findings of low severity are folded from four on, and every classic queue is one.
  let last = '';
  for (const role of ['a', 'b', 'c', 'last']) last = await workplace.queue(role);
  await running.api.check();
  await page.goto('/letters');
  await page.getByRole('link', { name: 'Queues', exact: true }).click();
  await live(page);
  await expect(named(page, last)).toBeVisible();
  const fold = page.locator('details.data', { hasText: /\d+ findings of low severity/ });
  await fold.locator('summary').click();
  const link = named(page, workplace.work);
  await link.focus();
  const before = await link.elementHandle();
  // Its row comes before the other one's.
  const another = await workplace.queue('another');
  await running.api.check();
  await expect(named(page, another)).toBeVisible();
  await expect(link).toBeFocused();
  expect(await before!.evaluate((element) => element === document.activeElement), 'the same element').toBe(true);
  await expect(fold).toHaveAttribute('open', '');
});

test('what somebody writes stays while the queues are read again', async ({ page, workplace, running }) => {
  await running.api.check();
  await page.goto('/queues');
  await live(page);
  await named(page, workplace.work).click();
  await live(page);
  const field = page.getByRole('textbox', { name: 'dead letters go to the queue' });
  await field.fill('half.a.na');
  // Until the page has heard of it, and had the time in which it would read again.
  const heard = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const stream = new EventSource('/events');
        stream.onmessage = ({ data }) => {
          if ((JSON.parse(String(data)) as { type: string }).type !== 'topology') return;
          stream.close();
          setTimeout(resolve, 3_000);
        };
      }),
  );
  await running.api.check();
  await heard;
  await expect(field).toHaveValue('half.a.na');
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('heading', { name: 'Preview' })).toBeVisible();
});
