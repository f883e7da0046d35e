// The connection breaks after a letter was sent and before the broker's answer came: nobody knows
// whether the broker took it, until a person looks and says so.
import type { Page } from '@playwright/test';
import { Cutter } from '../fixtures/cutter';
import { company } from '../fixtures/company';
import { section } from '../fixtures/list';
import { quietOffice } from '../fixtures/office';
import { PATIENCE_MS } from '../fixtures/patience';
import { expect, live, test as base } from '../fixtures/test';

interface Tools {
  cutter: Cutter;
}

const test = base.extend<object, Tools>({
  cutter: [
    async ({}, use) => {
      const cutter = await Cutter.before(company().amqp!);
      await use(cutter);
      await cutter.end();
    },
    { scope: 'worker' },
  ],
  // An office that reaches the broker through the cutter only.
  running: [
    async ({ cutter }, use, worker) => {
      const running = await quietOffice(`e2e_cut_${worker.workerIndex}`, cutter.amqp);
      await use(running);
      await running.end();
    },
    { scope: 'worker', timeout: 2 * PATIENCE_MS },
  ],
});

const sentence = (page: Page) => page.getByRole('heading', { level: 1 });

test('a letter whose publish was cut off waits for the word of a person', async ({ page, workplace, running, cutter }) => {
  await workplace.die({ body: 'sent', headers: { 'x-error': 'this one was sent' } });
  const [sent] = await workplace.letters(1);
  await workplace.die({ body: 'lost', headers: { 'x-error': 'this one was lost' } });
  const lost = (await workplace.letters(2)).find(({ id }) => id !== sent!.id)!;

  cutter.cut();
  const replay = await running.api.replay([sent!.id, lost.id]);
  for (const { id } of [sent!, lost]) {
    await expect.poll(async () => (await running.api.letter(id)).state).toMatch(/unknown|replayed/);
  }
  cutter.pass();
  await expect.poll(async () => (await running.api.letters(`source:${workplace.source} state:unknown`)).items.length).toBe(2);

  await page.goto('/');
  await expect(sentence(page)).toContainText('Of 2 a person must say whether they were published.');
  await page.goto(`/replays/${replay.id}`);
  await expect(sentence(page)).toHaveText('Replayed 2 letters to the queues they died in: 2 unknown.');

  await page.goto(`/letters/${sent!.id}`);
  await live(page);
  await expect(sentence(page)).toContainText('It may or may not be in a queue: see its last replay.');
  const main = page.getByRole('main');
  await expect(main).toContainText('nobody here knows whether the broker took it');
  await expect(main).toContainText('It is not sent again automatically');
  await expect(page.getByRole('link', { name: /^Plan a replay/ }), 'it is not simply sent twice').toHaveCount(0);
  await page.getByRole('button', { name: 'It was published: count it as replayed' }).click();
  await expect(sentence(page)).toContainText('It was replayed and has not come back.');
  await expect(section(page, 'Audit').getByRole('listitem').first()).toContainText(/published/);
  expect((await running.api.letter(sent!.id)).state).toBe('replayed');

  await page.goto(`/letters/${lost.id}`);
  await live(page);
  await page.getByRole('button', { name: 'It was not published: hold it again' }).click();
  await expect(page.getByRole('link', { name: `Plan a replay to ${workplace.work}…` })).toBeVisible();
  await expect(section(page, 'What happened').getByRole('listitem').last()).toContainText('held');
  expect((await running.api.letter(lost.id)).state).toBe('held');
  await expect(section(page, 'Audit').getByRole('listitem').first()).toContainText(/published/);
});

test('a letter whose publish was cut off is looked for in its queue when a person asks', async ({ page, workplace, running, cutter }) => {
  await workplace.die({ body: 'cut', headers: { 'x-error': 'this one is there' } });
  const [letter] = await workplace.letters(1);
  cutter.cut();
  await running.api.replay([letter!.id]);
  await expect.poll(async () => (await running.api.letter(letter!.id)).state).toBe('unknown');
  cutter.pass();

  await page.goto(`/letters/${letter!.id}`);
  await live(page);
  await section(page, 'Replays of it').getByRole('link', { name: 'look for it there…' }).click();
  const search = section(page, '1 unknown');
  await expect(search).toContainText('From then on each is marked as redelivered');
  await expect(search.getByRole('link', { name: workplace.work })).toBeVisible();
  await search.getByRole('button', { name: 'Look for 1 letter' }).click();
  await expect(page.getByRole('status').filter({ hasText: '1 letter found and confirmed.' })).toBeVisible();
  await expect(sentence(page)).toContainText('1 confirmed by the broker');
  expect((await running.api.letter(letter!.id)).state).toBe('replayed');
});
