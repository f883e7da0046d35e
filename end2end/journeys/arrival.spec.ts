// A letter arrives while somebody looks, and is read.
import { readFile } from 'node:fs/promises';
import { pick, rows, section, total } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

/** What a browser says of a download that a page of ours begins; Playwright's own requests say nothing. */
const OWN_PAGE = { 'sec-fetch-site': 'same-origin' };

const ORDER = { order: { number: 4711, customer: 'Ada', lines: [{ sku: 'X-1', count: 2 }] } };

test('a letter that dies while the list is open is announced, and shown when it is asked for', async ({
  page,
  workplace,
}) => {
  await workplace.die({ headers: { 'x-error': 'the first' } });
  await workplace.letters(1);
  await page.goto(workplace.list());
  await expect(total(page, '1 letter')).toBeVisible();
  await live(page);

  await workplace.die({ headers: { 'x-error': 'the second' } });
  const pill = page.getByRole('button', { name: '1 new', exact: true });
  await expect(pill).toBeVisible();
  await expect(rows(page), 'the list does not move by itself').toHaveCount(1);
  await pick(page, 'the first');

  await pill.click();
  await expect(total(page, '2 letters')).toBeVisible();
  await expect(rows(page).first()).toContainText('the second');
  await expect(pill).toBeHidden();
  await expect(rows(page, 'the first').getByRole('checkbox'), 'what was checked stays so').toBeChecked();
  await expect(rows(page, 'the second').getByRole('checkbox')).not.toBeChecked();
  await expect(page.getByRole('group', { name: 'The selected letters' })).toContainText('1 letter selected');
});

test('ages grow in a list that is not read again by itself', async ({ page, workplace }) => {
  await workplace.die({ headers: { 'x-error': 'an hour ago, soon' } });
  await workplace.letters(1);
  await page.clock.install();
  await page.goto(workplace.list());
  await live(page);
  await expect(rows(page).first()).toContainText(/ s\b|now/);
  await page.clock.fastForward('01:00:30');
  await expect(rows(page).first()).toContainText('1 h');
});

test('the announcement counts what the list would show, and nothing else', async ({ page, workplace, running }) => {
  await workplace.die({ headers: { 'x-error': 'here already' } });
  await workplace.letters(1);
  await page.goto(workplace.list({ state: 'held' }));
  await live(page);
  const elsewhere = await workplace.queue('elsewhere');
  await running.api.watch(elsewhere);
  await workplace.dieInto(elsewhere, 3);
  await workplace.die({ headers: { 'x-error': 'of this list' } });
  await expect(page.getByRole('button', { name: '1 new', exact: true })).toBeVisible();
  await workplace.die({ headers: { 'x-error': 'of this list, too' } });
  await expect(page.getByRole('button', { name: '2 new', exact: true })).toBeVisible();
});

test('a letter that dies while the stream of the list is being opened is announced', async ({ page, workplace }) => {
  await workplace.die();
  await workplace.letters(1);
  let open = () => {};
  const mayOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  await page.route('**/events', async (route) => {
    await mayOpen;
    await route.continue();
  });
  await page.goto(workplace.list());
  await expect(total(page, '1 letter')).toBeVisible();
  await workplace.die();
  await workplace.letters(2);
  await expect(page.locator('.arrivals-pill')).toHaveCount(0);
  open();
  await expect(page.getByRole('button', { name: '1 new', exact: true })).toBeVisible();
});

test('a letter tells where it died and why, and shows its payload, headers and history', async ({ page, workplace }) => {
  await workplace.die({
    body: ORDER,
    properties: { content_type: 'application/json', message_id: 'order-4711', priority: 3 },
    headers: { 'x-exception-message': 'amount is negative', tenant: 'acme', tries: 7, nested: { deep: [true, 'x'] } },
  });
  await workplace.letters(1);
  await page.goto(workplace.list());
  await rows(page, 'amount is negative').getByRole('link').first().click();

  await expect(page).toHaveURL(/\/letters\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(`Died on ${workplace.work}`);
  const because = page.locator('.route > div', { hasText: 'because' });
  await expect(because).toContainText('rejected');
  await expect(because).toContainText('amount is negative');

  const payload = section(page, 'Payload');
  await expect(payload).toContainText('customer: "Ada"');
  await expect(payload).toContainText('number: 4711');

  const headers = section(page, 'Headers');
  const header = (name: string) => headers.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) });
  await expect(header('tenant').getByRole('cell').first()).toHaveText('long string');
  await expect(header('tenant').getByRole('cell').last()).toHaveText('acme');
  await expect(header('tries').getByRole('cell').last()).toHaveText('7');
  await expect(header('nested')).toContainText('table of 1');
  await expect(header('x-death')).toContainText(workplace.work);

  const properties = section(page, 'Properties');
  await expect(properties.getByRole('row').filter({ hasText: 'message-id' })).toContainText('order-4711');
  await expect(properties.getByRole('row').filter({ hasText: 'delivery-mode' })).toContainText('2, persistent');

  const history = section(page, 'What happened');
  await expect(history.getByRole('listitem').first()).toContainText(workplace.work);
  await expect(history.getByRole('listitem').last()).toContainText('held');
  await expect(section(page, 'Audit')).toContainText('No activity yet.');
});

test('a payload is shown as a tree, as text and in hexadecimal, and downloaded byte for byte', async ({
  page,
  workplace,
}) => {
  await workplace.die({ body: ORDER });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  const payload = section(page, 'Payload');
  await expect(payload.getByRole('link', { name: 'Tree' })).toHaveAttribute('aria-current', 'true');
  await expect(payload.getByText('{ 3 members }')).toBeVisible();

  await payload.getByRole('link', { name: 'Text' }).click();
  await expect(page).toHaveURL(/view=text/);
  await expect(payload.getByLabel('Body as text')).toContainText('"customer"');

  await payload.getByRole('link', { name: 'Hex' }).click();
  await expect(page).toHaveURL(/view=hex/);
  await expect(payload.getByLabel('Body in hexadecimal')).toContainText('7b 22 6f 72');

  const downloading = page.waitForEvent('download');
  await payload.getByRole('link', { name: /^Download/ }).click();
  const file = await (await downloading).path();
  expect(await readFile(file)).toEqual(Buffer.from(JSON.stringify(ORDER)));
});

test('a value leads to the letters that have the same, and its path can be copied', async ({ page, workplace }) => {
  for (const number of [4711, 4711, 4712]) await workplace.die({ body: { order: { number }, tags: ['a b'] } });
  await workplace.letters(3);
  await page.goto(`/letters?q=source:${workplace.source}+body.order.number:4712`);
  await rows(page, workplace.work).getByRole('link').first().click();
  const payload = section(page, 'Payload');
  await payload.getByRole('link', { name: '"a b"' }).click();
  await expect(page).toHaveURL(/\/letters\?q=body\.tags:/);
  await page.goto(`/letters?q=source:${workplace.source}+body.order.number:4712`);
  await expect(rows(page, workplace.work)).toHaveCount(1);
  await rows(page, workplace.work).getByRole('link').first().click();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await payload.getByText('4712').hover();
  await payload.getByRole('button', { name: 'copy path body.order.number' }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('body.order.number');
});

test('a letter shows the others with its correlation id, and leads to all of them', async ({ page, workplace }) => {
  const properties = { correlation_id: `saga of ${workplace.source}` };
  await workplace.die({ properties, headers: { 'x-error': 'the first' } });
  await workplace.die({ properties, headers: { 'x-error': 'the second' } });
  await workplace.die({ headers: { 'x-error': 'of another' } });
  const [letter] = (await workplace.letters(3)).filter((one) => one.error_message === 'the first');
  await page.goto(`/letters/${letter!.id}`);
  const related = section(page, 'Related letters');
  await expect(related.getByRole('listitem')).toHaveCount(1);
  await related.getByRole('link', { name: properties.correlation_id }).click();
  await expect(total(page, '2 letters')).toBeVisible();
});

test('a large body is shown in parts', async ({ page, workplace }) => {
  await workplace.die({ body: `${'a'.repeat(262_143)}€${'b'.repeat(10)}` });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}?view=text`);
  const payload = section(page, 'Payload');
  await expect(payload).toContainText('The first 262,143 of 262,156 bytes are shown; the download has them all.');
  await payload.getByRole('link', { name: 'Later' }).click();
  await expect(payload).toContainText('Bytes 262,145 to 262,156 of 262,156, as they are stored.');
  await expect(payload.getByLabel('Body as text')).toHaveText(`€${'b'.repeat(10)}`);
  await payload.getByRole('link', { name: 'Hex' }).click();
  await payload.getByRole('link', { name: 'Last' }).click();
  await expect(payload.getByLabel('Body in hexadecimal')).toContainText('040000  82 ac 62');
});

test('bytes that are no text are shown in hexadecimal and downloaded as they are', async ({ page, workplace }) => {
  const body = Buffer.from([0x00, 0xff, 0xfe, 0x80, 0x0a, 0x1b, 0xc3, 0x28, 0x00]);
  await workplace.die({ body, properties: { content_type: 'text/html' } });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  const payload = section(page, 'Payload');
  await expect(payload).toContainText('binary, 9 B');
  await expect(payload.getByLabel('Body in hexadecimal')).toContainText('00 ff fe 80 0a 1b c3 28');

  const answer = await page.request.get(`/letters/${id}/body`, { headers: OWN_PAGE });
  expect(await answer.body()).toEqual(body);
  expect(answer.headers()['content-disposition'], 'never opened in the browser').toMatch(/^attachment/);
  expect(answer.headers()['content-type'], 'whatever its sender claims').toBe('application/octet-stream');
});

test('names and texts of a message are shown as text, whatever they hold', async ({ page, workplace }) => {
  const hostile = '<script>alert(1)</script><img src=x onerror=alert(2)>&amp;"\'';
  page.on('dialog', (dialog) => expect(dialog.message(), 'a script of a message ran').toBe(''));
  await workplace.die({
    body: { [hostile]: hostile },
    properties: { message_id: hostile, type: hostile },
    headers: { 'x-error': hostile, [hostile]: hostile },
  });
  await workplace.letters(1);
  await page.goto(workplace.list());
  await expect(rows(page)).toContainText(hostile);
  await rows(page).getByRole('link').first().click();
  await expect(section(page, 'Payload')).toContainText(`"<script>alert(1)`);
  await expect(section(page, 'Headers').getByRole('rowheader', { name: hostile })).toBeVisible();
  await expect(section(page, 'Properties')).toContainText(hostile);
});

test('a body that is empty and a header that is none of ours are no faults', async ({ page, workplace }) => {
  await workplace.die({ body: '' });
  await page.goto(`/letters/${await workplace.letter()}`);
  await expect(section(page, 'Payload')).toContainText('The body is empty: 0 bytes.');
});

test('an address of a letter that is not there says so', async ({ page, faults }) => {
  const nowhere = '/letters/01900000-0000-7000-8000-000000000000';
  faults.foresee(404, nowhere);
  const answer = await page.goto(nowhere);
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('There is nothing here.');
});

test('a page does not miss what happened while its stream was being opened', async ({ page, workplace, running }) => {
  await workplace.die();
  const id = await workplace.letter();
  let open = () => {};
  const mayOpen = new Promise<void>((resolve) => {
    open = resolve;
  });
  await page.route('**/events', async (route) => {
    await mayOpen;
    await route.continue();
  });
  await page.goto(`/letters/${id}`);
  await running.api.discard([id], 'nobody was listening yet');
  await expect(page.getByRole('heading', { level: 1 })).not.toContainText('discarded');
  open();
  await live(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('It was discarded.');
});
