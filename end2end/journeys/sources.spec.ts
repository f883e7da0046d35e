// Queues are watched, looked after, and watched no more.
import type { Locator, Page } from '@playwright/test';
import { company } from '../fixtures/company';
import { publishWithMessageId } from '../fixtures/frames';
import { section, total } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

/** What a browser says of a download that a page of ours begins; Playwright's own requests say nothing. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

const entry = (page: Page, queue: string): Locator =>
  page.getByRole('region', { name: 'Sources' }).getByRole('listitem').filter({ hasText: queue });

async function watch(page: Page, queue: string): Promise<void> {
  const form = page.getByRole('region', { name: 'Watch another queue' });
  await form.getByRole('textbox', { name: 'queue', exact: true }).fill(queue);
  await form.getByRole('button', { name: 'Watch this queue' }).click();
}

test('a queue is watched from the page on, and watched no more without losing its letters', async ({
  page,
  workplace,
  broker,
  running,
}) => {
  const queue = await workplace.queue('more');
  await broker.publish(queue, Buffer.from('was there before'), {});
  await page.goto('/sources');
  await live(page);
  await watch(page, queue);
  await expect(entry(page, queue)).toContainText('taking');
  await expect(entry(page, queue).getByRole('link', { name: '1', exact: true })).toBeVisible();

  await entry(page, queue).getByRole('button', { name: /^Stop watching, keep 1 letter$/ }).click();
  await expect(entry(page, queue)).toHaveCount(0);
  expect((await running.api.sources()).map(({ name }) => name)).not.toContain(queue);
  await page.goto(`/letters?source=${encodeURIComponent(queue)}`);
  await expect(total(page, '1 letter')).toBeVisible();
});

test('a queue that is watched already is not watched twice', async ({ page, workplace }) => {
  await page.goto('/sources');
  await live(page);
  const form = page.getByRole('region', { name: 'Watch another queue' });
  await form.getByRole('textbox', { name: 'name, if another' }).fill('twice');
  await watch(page, workplace.source);
  await expect(page.getByRole('alert').filter({ hasText: workplace.source })).toContainText(/watched/);
  await expect(form.getByRole('textbox', { name: 'queue', exact: true }), 'what was written stays').toHaveValue(workplace.source);
  await expect(form.getByRole('textbox', { name: 'name, if another' })).toHaveValue('twice');
  await expect(entry(page, workplace.source)).toHaveCount(1);
});

test('a queue that is missing is shown as such, and taken from once it is there', async ({
  page,
  workplace,
  broker,
}) => {
  const queue = workplace.work.replace(/work$/, 'missing');
  await page.goto('/sources');
  await live(page);
  await watch(page, queue);
  await expect(entry(page, queue)).toContainText('queue missing');
  await expect(page.getByRole('heading', { level: 1 })).toContainText(/\d of them needs? attention/);
  await expect(page.getByRole('status').filter({ hasText: queue }), 'every page says so').toBeVisible();
  await expect(entry(page, workplace.source), 'the others go on').toContainText('taking');

  await workplace.queue('missing');
  await broker.publish(queue, Buffer.from('at last'), {});
  await expect(entry(page, queue)).toContainText('taking');
  await expect(entry(page, queue).getByRole('link', { name: '1', exact: true })).toBeVisible();
  await entry(page, queue).getByRole('button', { name: /^Stop watching/ }).click();
  await expect(entry(page, queue)).toHaveCount(0);
});

test('many sources in trouble are counted in one line, and named on demand', async ({ page, workplace, running }) => {
  const queues = [1, 2, 3].map((number) => workplace.work.replace(/work$/, `gone${number}`));
  for (const queue of queues) await running.api.watch(queue);
  const banner = page.getByRole('status').filter({ hasText: queues[0]! });
  // Sources of other tests whose queues are gone may be counted with them.
  const count = banner.getByRole('link', { name: /^\d+ sources need attention$/ });
  await page.goto('/letters');
  await live(page);
  await expect(count).toBeVisible();
  await expect(banner.getByText(queues[0]!).first()).toBeHidden();
  await banner.getByText('Which, and why').click();
  for (const queue of queues) {
    const sentence = banner.getByRole('paragraph').filter({ hasText: queue });
    await expect(sentence).toContainText(/ does not exist\. .*\. Since (now|\d+ \w+ ago)\.$/);
    await expect(sentence).not.toContainText(/`|protocol error|every few seconds.*every few seconds/);
  }
  await count.click();
  await expect(page).toHaveURL(/\/sources$/);
  for (const queue of queues) {
    await entry(page, queue).getByRole('button', { name: /^Stop watching/ }).click();
    await expect(entry(page, queue)).toHaveCount(0);
  }
});

test('a message that client libraries cannot decode becomes a letter by itself, and blocks nothing', async ({
  page,
  workplace,
  broker,
  running,
}) => {
  const body = Buffer.from('\0poison\xff', 'latin1');
  await broker.publish(workplace.source, Buffer.from('before'), {});
  await workplace.letters(1);
  await publishWithMessageId(company().amqp!, workplace.source, Buffer.from([0x6d, 0xff, 0xfe]), body);
  await broker.publish(workplace.source, Buffer.from('behind'), {});

  const letters = await workplace.letters(3);
  const bodies = await Promise.all(
    letters.map(async ({ id }) => (await page.request.get(`/letters/${id}/body`, { headers: OWN_PAGE })).body()),
  );
  expect(bodies.map((one) => one.toString('latin1')).sort()).toEqual(['\0poison\xff', 'before', 'behind']);
  const odd = letters[bodies.findIndex((one) => one.equals(body))]!.id;
  expect((await running.api.letter(odd)).state).toBe('held');

  await page.goto('/sources');
  await live(page);
  const source = entry(page, workplace.source);
  await expect(source, 'the source says so').toContainText('client libraries cannot decode');
  await page.goto(`/letters/${odd}`);
  await expect(section(page, 'Payload')).toContainText('8 B');
  await expect(page.locator('main'), 'the letter says what is wrong').toContainText('the message id is not UTF-8');

  await page.goto('/sources');
  await expect(entry(page, workplace.source)).toContainText('taking');
  await expect(entry(page, workplace.source).getByRole('link', { name: '3', exact: true })).toBeVisible();
});
