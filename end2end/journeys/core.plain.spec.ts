// The same work in a browser that runs no script: plain links and forms.
import { pick, rows, section, total } from '../fixtures/list';
import { expect, test } from '../fixtures/test';

test('a letter is found, read, replayed, discarded and restored', async ({ page, workplace, running }) => {
  await workplace.die({ body: { amount: -1 }, headers: { 'x-error': 'amount is negative' } });
  const id = await workplace.letter();

  await page.goto('/letters');
  await page.getByRole('combobox', { name: 'source' }).selectOption(workplace.source);
  await page.getByRole('combobox', { name: 'state' }).selectOption('held');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL((url) => url.searchParams.get('source') === workplace.source);
  await expect(total(page, '1 letter')).toBeVisible();
  await rows(page, 'amount is negative').getByRole('link').first().click();
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Died on ${workplace.work}`);
  await expect(section(page, 'Payload')).toContainText('amount: -1');

  await page.getByRole('link', { name: `Plan a replay to ${workplace.work}…` }).click();
  await page.getByRole('button', { name: 'Replay 1 letter to the queue it died in' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect(async () => {
    await page.reload();
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(
      'Replayed 1 letter to the queue it died in: 1 confirmed by the broker.',
      { timeout: 1_000 },
    );
  }).toPass();
  await workplace.reject();
  await expect.poll(async () => (await running.api.letter(id)).state).toBe('held');

  await page.goto(`/letters/${id}`);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Arrived twice');
  await page.getByText('Discard…', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Reason for the discard' }).fill('paid by hand');
  await page.getByRole('button', { name: 'Discard 1 letter' }).click();
  await expect(page).toHaveURL(new RegExp(`/letters/${id}\\?notice=discarded`));
  await expect(page.getByRole('status').filter({ hasText: '1 letter discarded.' })).toBeVisible();
  await expect(section(page, 'Audit')).toContainText('paid by hand');

  await page.getByRole('button', { name: 'Restore 1 letter: hold it again' }).click();
  await expect(page.getByRole('status').filter({ hasText: '1 letter restored: held again.' })).toBeVisible();
  expect((await running.api.letter(id)).state).toBe('held');
});

test('selected letters are discarded and restored, and the page comes back as it was', async ({
  page,
  workplace,
  running,
}) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name, headers: { 'x-error': `error ${name}` } });
  await workplace.letters(3);
  await page.goto(workplace.list());
  await pick(page, 'error one');
  await pick(page, 'error three');
  const bar = page.getByRole('group', { name: 'The selected letters' });
  await bar.getByRole('textbox', { name: 'Reason for the discard' }).fill('both known');
  await bar.getByRole('button', { name: 'Discard the selected letters' }).click();
  await expect(page.getByRole('status').filter({ hasText: '2 letters discarded.' })).toBeVisible();
  await expect(page).toHaveURL((url) => url.searchParams.get('source') === workplace.source);
  expect((await running.api.letters(`source:${workplace.source} state:discarded`)).items).toHaveLength(2);

  await page.getByRole('link', { name: 'Discarded letters can be restored.' }).click();
  await page.getByRole('combobox', { name: 'source' }).selectOption(workplace.source);
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(total(page, '2 letters')).toBeVisible();
  await pick(page, 'error one');
  await bar.getByRole('button', { name: 'Restore the selected letters' }).click();
  await expect(page.getByRole('status').filter({ hasText: '1 letter restored: held again.' })).toBeVisible();
  expect((await running.api.letters(`source:${workplace.source} state:held`)).items).toHaveLength(2);
});

test('selected letters are replayed together', async ({ page, workplace, running }) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name, headers: { 'x-error': `error ${name}` } });
  await workplace.letters(3);
  await page.goto(workplace.list());
  await pick(page, 'error one');
  await pick(page, 'error two');
  await page.getByRole('button', { name: 'Plan a replay of the selected letters…' }).click();
  await page.getByRole('button', { name: 'Replay 2 letters to the queues they died in' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('2 letters to the queues they died in');
  await expect
    .poll(async () => (await running.api.letters(`source:${workplace.source} state:replayed`)).items.length)
    .toBe(2);
});

test('all that match are looked at, then replayed', async ({ page, workplace, running }) => {
  for (const name of ['one', 'two']) await workplace.die({ body: name });
  await workplace.letters(2);
  await page.goto(workplace.list({ state: 'held' }));
  await page.locator('tbody').getByRole('checkbox').first().check();
  await page.getByRole('link', { name: 'Select all 2 letters' }).click();
  await page.getByRole('link', { name: 'Plan a replay of 2 letters…' }).click();
  await page.getByRole('button', { name: 'Replay 2 letters to the queues they died in' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect
    .poll(async () => (await running.api.letters(`source:${workplace.source} state:replayed`)).items.length)
    .toBe(2);
});

test('letters that came after the look do not join', async ({ page, workplace, running }) => {
  await workplace.die({ body: 'one' });
  await workplace.letters(1);
  await page.goto(`/replays/new?${new URLSearchParams({ scope: 'matching', q: `source:${workplace.source}` }).toString()}`);
  await workplace.die({ body: 'two' });
  await workplace.letters(2);
  await page.getByRole('button', { name: 'Replay 1 letter to the queue it died in' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect(section(page, 'Left out')).toContainText('it arrived after this plan was shown');
  await expect
    .poll(async () => (await running.api.letters(`source:${workplace.source} state:held`)).items.length)
    .toBe(1);
});

test('a long list is read page by page', async ({ page, workplace }) => {
  await workplace.dieTogether(60);
  await workplace.letters(60);
  await page.goto(workplace.list());
  await expect(rows(page)).toHaveCount(50);
  const pager = page.getByRole('navigation', { name: 'Pages of letters' });
  await pager.getByRole('link', { name: 'Older' }).click();
  await expect(rows(page)).toHaveCount(10);
  await pager.getByRole('link', { name: 'Newer' }).click();
  await expect(rows(page)).toHaveCount(50);
});

test('a queue is watched and watched no more, and a second time is refused with a sentence', async ({
  page,
  workplace,
}) => {
  const queue = await workplace.queue('more');
  const watch = async () => {
    await page.goto('/sources');
    const form = page.getByRole('region', { name: 'Watch another queue' });
    await form.getByRole('textbox', { name: 'queue', exact: true }).fill(queue);
    await form.getByRole('button', { name: 'Watch this queue' }).click();
  };
  await watch();
  await expect(page.getByRole('status').filter({ hasText: 'The source was added.' })).toBeVisible();
  const entry = page.getByRole('region', { name: 'Sources' }).getByRole('listitem').filter({ hasText: queue });
  await expect(entry).toHaveCount(1);
  await watch();
  await expect(page.getByRole('alert').filter({ hasText: queue })).toContainText('watched');
  await expect(page).toHaveURL(/\/sources/);

  await page.goto('/sources');
  await entry.getByRole('button', { name: /^Stop watching/ }).click();
  await expect(page.getByRole('status').filter({ hasText: 'The source is no longer watched.' })).toBeVisible();
  await expect(entry).toHaveCount(0);
});

test('a page without a script offers nothing that needs one', async ({ page, workplace }) => {
  await workplace.die();
  await workplace.letters(1);
  await page.goto(workplace.list());
  await expect(page.getByRole('button', { name: 'Switch between light and dark' })).toBeHidden();
  await expect(page.getByRole('checkbox')).toHaveCount(1);
  await expect(page.locator('.live')).toHaveText('');
});
