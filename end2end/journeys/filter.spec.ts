// Letters are found by what they are; the address holds the question.
import type { Page } from '@playwright/test';
import { rows, total } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

const field = (page: Page) => page.getByRole('textbox', { name: 'Filter', exact: true });

test('fields of the form narrow the list, the address holds them, and back undoes them', async ({
  page,
  workplace,
  running,
}) => {
  await workplace.die({ headers: { 'x-error': 'error one' } });
  const one = await workplace.letter();
  await workplace.die({ headers: { 'x-error': 'error two' } });
  await workplace.letters(2);
  await running.api.discard([one], 'put away');

  await page.goto('/letters');
  await live(page);
  await page.getByRole('combobox', { name: 'source' }).selectOption(workplace.source);
  await expect(page).toHaveURL((url) => url.searchParams.get('source') === workplace.source);
  await expect(total(page, '2 letters')).toBeVisible();

  await page.getByRole('combobox', { name: 'state' }).selectOption('discarded');
  await expect(page).toHaveURL((url) => url.searchParams.get('state') === 'discarded');
  await expect(total(page, '1 letter')).toBeVisible();
  await expect(rows(page)).toContainText('error one');
  await expect(field(page)).toHaveValue(`source:${workplace.source} state:discarded`);

  await page.reload();
  await expect(total(page, '1 letter')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'state' })).toHaveValue('discarded');

  await page.goBack();
  await expect(total(page, '2 letters')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'state' })).toHaveValue('');
  await page.goForward();
  await expect(total(page, '1 letter')).toBeVisible();
});

test('whoever goes back while a page loads sees what was there before', async ({ page, workplace }) => {
  await workplace.die({ headers: { 'x-error': 'rejected just now' } });
  await workplace.letters(1);
  await page.goto(workplace.list());
  await live(page);
  await page.getByRole('combobox', { name: 'state' }).selectOption('discarded');
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();

  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/*.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.reload({ waitUntil: 'commit' });
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
  await page.goBack({ waitUntil: 'commit' });
  letGo();
  await expect(total(page, '1 letter')).toBeVisible();
  await live(page);
  await expect(page.getByRole('combobox', { name: 'state' })).toHaveValue('');
});

test('queue, reason and time narrow the list', async ({ page, workplace }) => {
  await workplace.die({ headers: { 'x-error': 'rejected just now' } });
  await workplace.letters(1);
  await page.goto(workplace.list());
  await live(page);

  await page.getByRole('combobox', { name: 'reason' }).selectOption('expired');
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
  await page.getByRole('combobox', { name: 'reason' }).selectOption('rejected');
  await expect(total(page, '1 letter')).toBeVisible();

  const queue = page.getByRole('combobox', { name: 'queue' });
  await queue.fill(`${workplace.work.slice(0, -4)}*`);
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page).toHaveURL((url) => (url.searchParams.get('queue') ?? '').endsWith('*'));
  await expect(total(page, '1 letter')).toBeVisible();
  await queue.fill('another.*');
  await page.getByRole('button', { name: 'Apply' }).click();
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
  await queue.fill('');
  await page.getByRole('button', { name: 'Apply' }).click();

  await page.getByRole('combobox', { name: 'died in the last' }).selectOption('15m');
  await expect(page).toHaveURL(/since=15m/);
  await expect(total(page, '1 letter')).toBeVisible();
  await field(page).fill(`source:${workplace.source} age:>1h`);
  await field(page).press('Enter');
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
});

test('what is written while a list is on its way stays', async ({ page, workplace }) => {
  await workplace.die();
  await workplace.letters(1);
  await page.goto(workplace.list());
  await live(page);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/letters?*state=discarded*', async (route) => {
    await held;
    await route.continue();
  });
  const queue = page.getByRole('combobox', { name: 'queue' });
  await page.getByRole('combobox', { name: 'state' }).selectOption('discarded');
  await queue.fill('another.*');
  await field(page).fill('age:>1h');
  letGo();
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
  await expect(queue).toHaveValue('another.*');
  await expect(field(page)).toHaveValue('age:>1h');
});

test('a filter that cannot be read is pointed at, and the last list stays', async ({ page, workplace }) => {
  await workplace.die();
  await workplace.letters(1);
  await page.goto(workplace.list());
  await live(page);
  await field(page).fill('state:held colour:red');
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'At character 12' })).toContainText('colour');
  await expect(field(page)).toHaveValue('state:held colour:red');
  await expect(field(page)).toHaveAttribute('aria-invalid', 'true');
  await expect(page.getByRole('alert')).toContainText('The filter was not applied.');
  await expect(rows(page)).toHaveCount(1);
  await page.reload();
  await live(page);
  await expect(page.getByRole('alert')).toContainText('The filter was not applied.');
  await expect(rows(page), 'nothing was listed before').toHaveCount(0);
  await field(page).fill(`source:${workplace.source}`);
  await field(page).press('Enter');
  await expect(total(page, '1 letter')).toBeVisible();
});

test('what is chosen while the page loads is asked for, and back leads to what was before', async ({ page, workplace }) => {
  await workplace.die({ headers: { 'x-error': 'rejected just now' } });
  await workplace.letters(1);
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/forms.js', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(workplace.list(), { waitUntil: 'commit' });
  await page.getByRole('combobox', { name: 'state' }).selectOption('discarded');
  letGo();
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
  await page.goto('/sources');
  await live(page);
  await page.goBack();
  await expect(page.getByText('No letter matches this filter.')).toBeVisible();
  await page.goBack();
  await expect(total(page, '1 letter')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'state' })).toHaveValue('');
});

test('what is written before the box offers anything stays, and is completed then', async ({ page, workplace }) => {
  let letGo = () => {};
  const held = new Promise<void>((resolve) => (letGo = resolve));
  await page.route('**/*.wasm', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(workplace.list());
  await field(page).fill('queue:early stat');
  letGo();
  await live(page);
  await expect(field(page)).toHaveValue('queue:early stat');
  await field(page).pressSequentially('e');
  await page.getByRole('option', { name: /^state:/ }).click();
  await expect(field(page)).toHaveValue('queue:early state:');
});

test('names that an address must escape are found by the filter', async ({ page, workplace, broker, running }) => {
  const queue = await workplace.queue('50% & more #1 "ä" <b>');
  await running.api.watch(queue);
  await broker.publish(queue, Buffer.from('here'), { headers: { 'x-error': 'odd name' } });
  await expect.poll(async () => (await running.api.sources()).find(({ name }) => name === queue)?.letters).toBe(1);
  await page.goto('/letters');
  await live(page);
  await page.getByRole('combobox', { name: 'source' }).selectOption(queue);
  await expect(total(page, '1 letter')).toBeVisible();
  await expect(page.getByRole('combobox', { name: 'source' })).toHaveValue(queue);
  await page.reload();
  await expect(rows(page)).toContainText('odd name');
  await expect(page.getByRole('combobox', { name: 'source' })).toHaveValue(queue);
});

test('a long list is read page by page, each letter once', async ({ page, workplace }) => {
  await workplace.dieTogether(120);
  await workplace.letters(120);
  await page.goto(workplace.list());
  await live(page);
  await expect(total(page, '120 letters')).toBeVisible();
  const pager = page.getByRole('navigation', { name: 'Pages of letters' });
  const listed = async (): Promise<string[]> =>
    rows(page).getByRole('checkbox').evaluateAll((boxes) => boxes.map((box) => (box as HTMLInputElement).value));

  await expect(rows(page)).toHaveCount(50);
  const first = await listed();
  await expect(pager.getByRole('link', { name: 'Newer' })).toHaveAttribute('aria-disabled', 'true');
  await pager.getByRole('link', { name: 'Older' }).click();
  await expect(page).toHaveURL(/cursor=/);
  await expect(rows(page).getByRole('checkbox').first()).not.toHaveValue(first[0]!);
  await expect(rows(page)).toHaveCount(50);
  const second = await listed();
  await pager.getByRole('link', { name: 'Older' }).click();
  await expect(rows(page)).toHaveCount(20);
  const third = await listed();
  expect(new Set([...first, ...second, ...third]).size).toBe(120);
  await expect(pager.getByRole('link', { name: 'Older' })).toHaveAttribute('aria-disabled', 'true');

  await pager.getByRole('link', { name: 'Newer' }).click();
  await expect(rows(page)).toHaveCount(50);
  expect(await listed()).toEqual(second);
  await pager.getByRole('link', { name: 'Newer' }).click();
  await expect(rows(page).getByRole('checkbox').first()).toHaveValue(first[0]!);
  expect(await listed()).toEqual(first);
});
