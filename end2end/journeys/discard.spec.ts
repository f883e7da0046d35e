// Letters are put away with a reason, and taken back.
import { pick, rows, section, total } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

test('a letter is discarded with a reason, found among the discarded, and restored', async ({
  page,
  workplace,
  running,
}) => {
  await workplace.die({ headers: { 'x-error': 'no such account' } });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  await page.getByText('Discard…', { exact: true }).click();
  await page.getByRole('textbox', { name: 'Reason for the discard' }).fill('the account was closed');
  await page.getByRole('button', { name: 'Discard 1 letter' }).click();
  await expect(page.getByText('1 letter discarded.')).toBeVisible();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('It was discarded.');
  await expect(section(page, 'Audit')).toContainText('the account was closed');
  expect((await running.api.letter(id)).state).toBe('discarded');

  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Letters' }).click();
  await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'discarded' }).click();
  await expect(page).toHaveURL(/state=discarded/);
  await page.getByRole('combobox', { name: 'source' }).selectOption(workplace.source);
  await expect(total(page, '1 letter')).toBeVisible();
  await rows(page, 'no such account').getByRole('link').first().click();

  await page.getByRole('button', { name: 'Restore 1 letter: hold it again' }).click();
  await expect(page.getByText('1 letter restored: held again.')).toBeVisible();
  await expect(page.getByRole('link', { name: /^Plan a replay/ })).toBeVisible();
  const letter = await running.api.letter(id);
  expect(letter.state).toBe('held');
  expect(letter.audit.map(({ action }) => action)).toEqual(['letter.restore', 'letter.discard']);
});

test('a discard needs a reason', async ({ page, workplace, running }) => {
  await workplace.die();
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  await page.getByText('Discard…', { exact: true }).click();
  const reason = page.getByRole('textbox', { name: 'Reason for the discard' });
  await page.getByRole('button', { name: 'Discard 1 letter' }).click();
  await expect(reason, 'the browser asks for it').toBeFocused();
  expect(await reason.evaluate((field: HTMLInputElement) => field.validity.valueMissing)).toBe(true);
  expect((await running.api.letter(id)).state).toBe('held');
});

test('selected letters are discarded together, and the toast takes it back', async ({ page, workplace, running }) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name, headers: { 'x-error': `error ${name}` } });
  await workplace.letters(3);
  await page.goto(workplace.list({ state: 'held' }));
  await live(page);
  await pick(page, 'error one');
  await pick(page, 'error two');
  await page.getByRole('group', { name: 'The selected letters' }).getByRole('textbox').fill('known fault 12');
  await page.getByRole('button', { name: 'Discard 2 letters' }).click();
  await expect(page.getByText('2 letters discarded.')).toBeVisible();
  await expect(total(page, '1 letter')).toBeVisible();
  await expect(rows(page)).toContainText('error three');

  await page.getByRole('button', { name: 'Undo: hold 2 letters again' }).click();
  await expect(page.getByText('2 letters restored: held again.')).toBeVisible();
  await expect(total(page, '3 letters')).toBeVisible();
  const letters = (await running.api.letters(`source:${workplace.source}`)).items;
  expect(letters.map(({ state }) => state)).toEqual(['held', 'held', 'held']);
});

test('a discard is told and can be taken back although the list cannot be read again', async ({ page, workplace }) => {
  await workplace.die({ headers: { 'x-error': 'the list stays as it is' } });
  await workplace.letters(1);
  await page.goto(workplace.list());
  await live(page);
  await pick(page, 'the list stays as it is');
  await page.getByRole('textbox', { name: 'Reason for the discard' }).first().fill('away');
  await page.route('**/letters?**', (route) => route.abort('aborted'));
  await page.getByRole('button', { name: 'Discard 1 letter', exact: true }).click();
  await expect(page.getByText('1 letter discarded.')).toBeVisible();
  await expect(page.getByRole('alert').filter({ hasText: 'could not be read again' })).toBeVisible();
  await page.unroute('**/letters?**');
  await page.getByRole('button', { name: 'Undo: hold 1 letter again' }).click();
  await expect.poll(async () => (await workplace.letters(1))[0]!.state).toBe('held');
});

test('every letter of the page is checked at once, and unchecked', async ({ page, workplace }) => {
  for (const name of ['one', 'two']) await workplace.die({ body: name });
  await workplace.letters(2);
  await page.goto(workplace.list());
  await live(page);
  const bar = page.getByRole('group', { name: 'The selected letters' });
  await expect(bar).toBeHidden();
  await page.getByRole('checkbox', { name: 'Select the 2 letters on this page' }).check();
  await expect(bar).toContainText('2 letters selected');
  await bar.getByRole('button', { name: 'Clear' }).click();
  await expect(bar).toBeHidden();
  await expect(page.getByRole('checkbox', { checked: true })).toHaveCount(0);
});

test('all that match are discarded, and all of those restored', async ({ page, workplace, running }) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name });
  await workplace.letters(3);
  await page.goto(workplace.list({ state: 'held' }));
  await live(page);
  await page.locator('tbody').getByRole('checkbox').first().check();
  await page.getByRole('link', { name: 'Select all 3 letters' }).click();
  const all = page.locator('details', { hasText: 'With all' });
  await all.getByRole('textbox', { name: 'Reason for the discard' }).fill('a bad import');
  await all.getByRole('button', { name: 'Discard 3 letters' }).click();
  await expect(page.getByText('3 letters discarded.')).toBeVisible();
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
  const discarded = await running.api.letters(`source:${workplace.source} state:discarded`);
  expect(discarded.items).toHaveLength(3);

  await page.goto(workplace.list({ state: 'discarded' }));
  await live(page);
  await page.getByText('With all 3 letters…').click();
  await all.getByRole('button', { name: 'Restore the discarded of 3 letters' }).click();
  await expect(page.getByText('3 letters restored: held again.')).toBeVisible();
  expect((await running.api.letters(`source:${workplace.source} state:held`)).items).toHaveLength(3);
});

test('what others discarded before stays so when a discard of all that match is undone', async ({
  page,
  workplace,
  running,
}) => {
  for (const name of ['one', 'two', 'three']) await workplace.die({ body: name });
  await workplace.letters(3);
  const [first] = (await running.api.letters(`source:${workplace.source}`)).items;
  await running.api.discard([first!.id], 'put away by a colleague');
  await page.goto(workplace.list());
  await live(page);
  await page.getByText('With all 3 letters…').click();
  const all = page.locator('details', { hasText: 'With all' });
  await all.getByRole('textbox', { name: 'Reason for the discard' }).fill('a bad import');
  await all.getByRole('button', { name: 'Discard 3 letters' }).click();
  await expect(page.getByText(/^2 letters discarded\. 1 letter was left out/)).toBeVisible();
  await page.getByRole('button', { name: 'Undo: hold 2 letters again' }).click();
  await expect(page.getByText('2 letters restored: held again.')).toBeVisible();
  const discarded = (await running.api.letters(`source:${workplace.source} state:discarded`)).items;
  expect(discarded.map(({ id }) => id)).toEqual([first!.id]);
});

test('a letter that somebody else has decided on meanwhile is left out, and the page says so', async ({
  page,
  workplace,
  running,
}) => {
  await workplace.die({ headers: { 'x-error': 'contested' } });
  const id = await workplace.letter();
  await page.goto(workplace.list());
  await live(page);
  await pick(page, 'contested');
  await running.api.discard([id], 'the other was quicker');
  await expect(page.getByRole('button', { name: '1 changed' }), 'the list tells').toBeVisible();
  const bar = page.getByRole('group', { name: 'The selected letters' });
  await bar.getByRole('textbox').fill('too late');
  await bar.getByRole('button', { name: 'Discard 1 letter' }).click();
  await expect(page.getByText(/^0 letters discarded\. 1 letter was left out: .*discarded/)).toBeVisible();
  await expect(page.getByRole('button', { name: /^Undo/ })).toHaveCount(0);
  expect((await running.api.letter(id)).audit.map(({ detail }) => detail)).toEqual(['the other was quicker']);
});

test('what is being written stays, whatever happens elsewhere meanwhile', async ({ page, workplace, running }) => {
  await workplace.die({ body: { nested: { deep: { deeper: { deepest: 1 } } } }, headers: { 'x-error': 'mine' } });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  await live(page);
  await page.getByText('Discard…', { exact: true }).click();
  const reason = page.getByRole('textbox', { name: 'Reason for the discard' });
  await reason.pressSequentially('half a sent');
  // Until the page has heard that a letter came again, and had the time in which it would read itself again.
  const heard = page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const stream = new EventSource('/events');
        stream.onmessage = ({ data }) => {
          const event = JSON.parse(String(data)) as { type: string; died_again?: number };
          if (event.type !== 'arrived' || !event.died_again) return;
          stream.close();
          setTimeout(resolve, 3_000);
        };
      }),
  );
  await workplace.die({ headers: { 'x-error': 'another' } });
  const other = (await workplace.letters(2)).find((letter) => letter.id !== id)!.id;
  await running.api.replay([other]);
  await expect.poll(async () => (await running.api.letter(other)).state).toBe('replayed');
  await workplace.reject();
  await heard;
  await expect.poll(async () => (await running.api.letter(other)).arrivals.length).toBe(2);
  await expect(reason).toBeFocused();
  await reason.pressSequentially('ence');
  await expect(reason).toHaveValue('half a sentence');
  await page.getByRole('button', { name: 'Discard 1 letter' }).click();
  await expect(section(page, 'Audit')).toContainText('half a sentence');
});
