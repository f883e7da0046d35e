// A letter is replayed: it goes, it dies again, or it cannot go.
import type { Page } from '@playwright/test';
import { pick, rows, section, total } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

const sentence = (page: Page) => page.getByRole('heading', { level: 1 });

test('a replayed letter that dies again is the same letter, with one arrival more', async ({
  page,
  workplace,
  running,
}) => {
  const body = JSON.stringify({ command: 'pay', amount: -1 });
  await workplace.die({ body, headers: { 'x-error': 'amount is negative' } });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  await live(page);

  await page.getByRole('link', { name: `Plan a replay to ${workplace.work}…`, exact: true }).click();
  await page.getByRole('button', { name: 'Replay 1 letter to the queue it died in' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect(sentence(page)).toHaveText('Replayed 1 letter to the queue it died in: 1 confirmed by the broker.');
  const replay = page.url();
  await expect(section(page, 'Letters in the order of publishing').getByRole('row')).toHaveCount(2);
  expect((await running.api.letter(id)).state).toBe('replayed');

  await page.goto(`/letters/${id}`);
  await expect(sentence(page)).toContainText('It was replayed and has not come back.');
  await expect(page.getByRole('link', { name: /^Plan a replay/ })).toHaveCount(0);
  await live(page);

  const message = await workplace.reject();
  expect(message.payload).toBe(body);
  expect(message.properties.headers).toMatchObject({ 'x-error': 'amount is negative', 'x-dlo-letter': id });
  expect(message.properties.headers, 'the history is the letter’s').not.toHaveProperty('x-death');

  await expect(sentence(page), 'the open page follows').toContainText(`Arrived twice, last died on ${workplace.work}`);
  const arrivals = section(page, 'Arrivals');
  await expect(arrivals).toContainText('the body was the same each time');
  await expect(arrivals.locator('tbody').getByRole('row')).toHaveCount(2);
  await expect(section(page, 'Replays of it')).toContainText(`1st try to ${workplace.work}: died again`);
  await expect(section(page, 'What happened').getByRole('listitem').last()).toContainText('held');
  await expect(page.getByRole('link', { name: /^Plan a replay/ })).toBeVisible();

  await page.goto(replay);
  await expect(sentence(page)).toHaveText('Replayed 1 letter to the queue it died in: 1 died again.');
  const letters = await workplace.letters(1);
  expect(letters[0]).toMatchObject({ id, state: 'held', arrivals: 2 });
});

test('the page of a replay follows its letters while it is open', async ({ page, workplace, running }) => {
  await workplace.die();
  const id = await workplace.letter();
  const { id: replay } = await running.api.replay([id]);
  await page.goto(`/replays/${replay}`);
  await expect(sentence(page)).toContainText('1 confirmed by the broker');
  await live(page);
  await workplace.reject();
  await expect(sentence(page)).toHaveText('Replayed 1 letter to the queue it died in: 1 died again.');
});

test('earlier arrivals of a letter are shown as they were', async ({ page, workplace, running }) => {
  await workplace.die({ body: 'as it was', headers: { attempt: 'first' } });
  const id = await workplace.letter();
  await running.api.replay([id]);
  await expect.poll(async () => (await running.api.letter(id)).state).toBe('replayed');
  await workplace.reject();
  await expect.poll(async () => (await running.api.letter(id)).arrivals.length).toBe(2);

  await page.goto(`/letters/${id}`);
  await expect(section(page, 'Headers')).toContainText('x-dlo-replay');
  const arrivals = section(page, 'Arrivals').locator('tbody').getByRole('row');
  await arrivals.last().getByRole('link', { name: 'show', exact: true }).click();
  await expect(page).toHaveURL(/arrival=1/);
  await expect(section(page, 'Headers')).toContainText('as of arrival 1');
  await expect(section(page, 'Headers')).not.toContainText('x-dlo-replay');
  await expect(arrivals.last().getByRole('link')).toHaveText('shown here');
});

test('a letter goes to another queue when one is named', async ({ page, workplace }) => {
  const other = await workplace.queue('other');
  await workplace.die({ body: 'mend me' });
  await page.goto(`/letters/${await workplace.letter()}`);
  await page.getByText('Replay elsewhere…', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Queue to replay to' }).fill(other);
  await page.getByRole('button', { name: 'Plan a replay to this queue…' }).click();
  await expect(sentence(page)).toHaveText(`This would publish 1 letter again, to ${other}.`);
  await page.getByRole('button', { name: `Replay 1 letter to ${other}` }).click();
  await expect(sentence(page)).toHaveText(`Replayed 1 letter to ${other}: 1 confirmed by the broker.`);
  expect((await workplace.consume(other)).payload).toBe('mend me');
});

test('a letter for a queue that is gone is held again, and the replay says why', async ({ page, workplace, running }) => {
  await workplace.die();
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  await page.getByText('Replay elsewhere…', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Queue to replay to' }).fill('e2e.no.such.queue');
  await page.getByRole('button', { name: 'Plan a replay to this queue…' }).click();
  await expect(page.getByRole('list', { name: 'Before you replay' })).toContainText('The broker has no queue e2e.no.such.queue');
  await expect(page.getByRole('button', { name: 'Replay 1 letter to e2e.no.such.queue' })).toBeDisabled();

  const target = { mode: 'queue', queue: 'e2e.no.such.queue' };
  const { id: replay } = await running.api.replay([id], { target });
  await page.goto(`/replays/${replay}`);
  await expect(sentence(page)).toHaveText('Replayed 1 letter to e2e.no.such.queue: 1 not sent.');
  const outcomes = page.getByRole('region', { name: /^Outcomes/ });
  await outcomes.getByRole('link', { name: /^1 ?unroutable$/ }).click();
  await expect(page).toHaveURL(/outcome=unroutable/);
  await expect(section(page, 'Letters: unroutable').locator('tbody').getByRole('row')).toContainText(/no.*queue|NO_ROUTE/i);
  expect((await running.api.letter(id)).state).toBe('held');
});

test('selected letters are replayed together, the others stay', async ({ page, workplace, running }) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name, headers: { 'x-error': `error ${name}` } });
  await workplace.letters(3);
  await page.goto(workplace.list());
  await live(page);
  await pick(page, 'error one');
  await pick(page, 'error three');
  await expect(page.getByRole('group', { name: 'The selected letters' })).toContainText('2 letters selected');
  await page.getByRole('button', { name: 'Plan a replay of 2 letters…' }).click();
  await expect(sentence(page)).toHaveText('This would publish 2 letters again, to the queues they died in.');
  await page.getByRole('button', { name: 'Replay 2 letters to the queues they died in' }).click();
  await expect(sentence(page)).toHaveText('Replayed 2 letters to the queues they died in: 2 confirmed by the broker.');
  const letters = (await running.api.letters(`source:${workplace.source}`)).items;
  const states = Object.fromEntries(letters.map((letter) => [letter.error_message, letter.state]));
  expect(states).toEqual({ 'error one': 'replayed', 'error two': 'held', 'error three': 'replayed' });
});

test('all that match are looked at before they are replayed', async ({ page, workplace, running }) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name, headers: { 'x-error': `error ${name}` } });
  const [gone] = await workplace.letters(3);
  await running.api.discard([gone!.id], 'not this one');
  await page.goto(workplace.list());
  await page.getByText('With all 3 letters…').click();
  await page.getByRole('link', { name: 'Plan a replay of 3 letters…' }).click();
  await expect(sentence(page)).toHaveText('This would publish 2 letters again, to the queues they died in.');
  await expect(section(page, 'Left out').getByRole('listitem')).toContainText(/1.*discarded/);
  await expect(section(page, 'Where they go').locator('tbody').getByRole('row')).toContainText(workplace.work);
  expect((await running.api.letter(gone!.id)).state, 'looking changes nothing').toBe('discarded');
  expect((await running.api.letters(`source:${workplace.source} state:held`)).items).toHaveLength(2);

  await page.getByRole('button', { name: 'Replay 2 letters to the queues they died in' }).click();
  await expect(sentence(page)).toHaveText('Replayed 2 letters to the queues they died in: 2 confirmed by the broker.');
  await expect(section(page, 'Left out')).toContainText('discarded');

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Replays' }).click();
  await expect(rows(page).first().getByRole('link')).toHaveText('2 letters to the queues they died in');
  await expect(total(page, '1 replay').or(page.getByRole('heading', { name: /^\d+ replays$/ }))).toBeVisible();
});

test('letters that came after the look do not join, and one that went since is told', async ({ page, workplace, running }) => {
  for (const body of ['one', 'two']) await workplace.die({ body });
  const [gone] = await workplace.letters(2);
  await page.goto(`/replays/new?${new URLSearchParams({ scope: 'matching', q: `source:${workplace.source}` }).toString()}`);
  await live(page);
  await expect(sentence(page)).toHaveText('This would publish 2 letters again, to the queues they died in.');
  await workplace.die({ body: 'three' });
  await workplace.letters(3);
  await running.api.discard([gone!.id], 'not this one');

  await page.getByRole('button', { name: 'Replay 2 letters to the queues they died in' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'not the plan that was shown' })).toBeVisible();
  await expect(section(page, 'Left out')).toContainText('discarded');
  expect((await running.api.letters(`source:${workplace.source} state:held`)).items).toHaveLength(2);

  await workplace.die({ body: 'four' });
  await workplace.letters(4);
  await page.getByRole('button', { name: 'Replay 2 letters to the queues they died in' }).click();
  await expect(sentence(page)).toHaveText('Replayed 2 letters to the queues they died in: 2 confirmed by the broker.');
  await expect(section(page, 'Left out')).toContainText('it arrived after this plan was shown');
});

test('a canary that says only when it stops has the usual steps, and says so', async ({ page, workplace }) => {
  for (const body of ['one', 'two']) await workplace.die({ body });
  await workplace.letters(2);
  await page.goto(`/replays/new?${new URLSearchParams({ scope: 'matching', q: `source:${workplace.source}` }).toString()}`);
  await page.getByLabel('stop above, in %').fill('10');
  await page.getByRole('button', { name: 'Look again' }).click();
  await expect(page.getByRole('button', { name: /^Replay 2 letters to the queues they died in, beginning with 1$/ })).toBeVisible();
  await expect(page.getByLabel('canary: letters sent after each step')).toHaveValue('1, 10, 100');
});
