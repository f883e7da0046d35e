// What is sent is changed: one letter by hand, many with jq, and a second person who looks at it.
import type { Page } from '@playwright/test';
import { section } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

const sentence = (page: Page) => page.getByRole('heading', { level: 1 });
const HEADERS = { 'x-error': 'no such country' };

test('one letter is edited, looked at and sent, and what comes back is compared with it', async ({
  page,
  workplace,
  running,
}) => {
  await workplace.die({ body: '{"order":9007199254740993,"price":1.10,"country":"XX"}', headers: HEADERS });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  await live(page);
  await page.getByRole('link', { name: 'Edit…' }).click();
  await expect(sentence(page)).toHaveText('Edit what is sent. The letter keeps what arrived.');
  const body = page.getByRole('textbox', { name: 'body', exact: true });
  await expect(body).toHaveValue('{\n  "order": 9007199254740993,\n  "price": 1.10,\n  "country": "XX"\n}');

  await body.fill('{"order": 9007199254740993');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await expect(page.getByRole('alert').filter({ hasText: /^Invalid JSON at line 1, column 26: .*\. Nothing was saved\.$/ })).toBeVisible();
  await expect(body, 'what was typed stays').toHaveValue('{"order": 9007199254740993');
  await body.fill('{\n  "order": 9007199254740993,\n  "price": 1.10,\n  "country": "DE"\n}');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await expect(sentence(page)).toHaveText('This would change. Nothing was sent yet.');
  const changes = section(page, 'What changes');
  await expect(changes.locator('del')).toHaveText('-   "country": "XX"');
  await expect(changes.locator('ins')).toHaveText('+   "country": "DE"');
  expect((await running.api.letter(id)).state, 'nothing was sent').toBe('held');

  const send = page.getByRole('button', { name: `Send 1 letter with this body to ${workplace.work}` });
  await page.getByRole('textbox', { name: 'headers: -name leaves one out' }).fill('tenant="7"');
  await expect(send, 'what it would do is not what was shown').toBeDisabled();
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await send.click();
  await expect(sentence(page)).toHaveText('Replayed 1 letter to the queue it died in: 1 confirmed by the broker.');
  const sent = await workplace.reject();
  expect(sent.payload).toBe('{"order":9007199254740993,"price":1.10,"country":"DE"}');

  await page.goto(`/letters/${id}`);
  await expect(sentence(page)).toContainText('Arrived twice');
  await section(page, 'Arrivals').getByRole('link', { name: 'as the replay sent it, changed' }).click();
  await expect(sentence(page)).toHaveText('1 value of the body differs, and properties or headers differ.');
  await expect(section(page, 'Body').getByRole('row').last()).toHaveText(/country\s*"XX"\s*"DE"/);
  await expect(section(page, 'Properties and headers').locator('ins')).toHaveText('tenant: 7');
  await page.goBack();
  await section(page, 'Replays of it').getByRole('link', { name: 'sent changed' }).click();
  await expect(sentence(page)).toHaveText('It came back as it was sent, byte by byte.');
  await expect(section(page, 'From what arrived to what is sent').locator('ins')).toContainText('DE');
});

test('many letters are changed with jq, after a look at each', async ({ page, workplace, running, faults }) => {
  faults.foresee(422, '/replays/new');
  for (const country of ['XX', 'YY']) await workplace.die({ body: { country }, headers: HEADERS });
  await workplace.die({ body: 'country=ZZ', headers: HEADERS });
  await workplace.letters(3);
  await page.goto(`/replays/new?scope=matching&q=source:${workplace.source}`);
  await live(page);
  const changing = section(page, 'Change what is sent');
  const program = changing.getByRole('textbox');
  await program.fill('.country | nosuch');
  await changing.getByRole('button', { name: 'Try it on these letters' }).click();
  await expect(changing).toContainText('there is no filter nosuch');

  await program.fill('.country = "D" + "E"');
  await changing.getByRole('button', { name: 'Try again' }).click();
  await expect(changing.getByRole('status')).toContainText('2 changed, 0 unchanged, 1 error of 3 letters');
  await expect(changing.locator('ins')).toHaveText(['+   "country": "DE"', '+   "country": "DE"']);
  await expect(changing).toContainText('left out: its body cannot be changed');
  await page.getByRole('button', { name: 'Replay 2 letters, changed by jq, to the queues they died in' }).click();
  await expect(sentence(page)).toHaveText('Replayed 2 letters to the queues they died in: 2 confirmed by the broker.');
  await expect(section(page, 'What is sent is changed by jq')).toContainText('.country = "D" + "E"');
  await expect(section(page, 'Left out')).toContainText('its body cannot be changed');
  const states = (await running.api.letters(`source:${workplace.source}`)).items.map(({ state }) => state);
  expect(states.sort()).toEqual(['held', 'replayed', 'replayed']);
});

test('a replay that another person asked for is approved or refused here', async ({ page, workplace, running }) => {
  for (const n of [1, 2]) await workplace.die({ body: { n }, headers: HEADERS });
  const [first, second] = (await workplace.letters(2)).map(({ id }) => id);
  const more = { transform: { jq: '.n += 1' }, needs_approval: true };
  const good = await running.api.replay([first!], more);
  await page.goto(`/replays/${good.id}`);
  await live(page);
  await expect(sentence(page)).toContainText('To replay once another person approves');
  await page.getByRole('button', { name: 'Approve: publish 1 letter' }).click();
  await expect(sentence(page)).toHaveText('Replayed 1 letter to the queue it died in: 1 confirmed by the broker.');
  await expect(page.getByText('local operator approved it.')).toBeVisible();

  const bad = await running.api.replay([second!], more);
  await page.goto(`/replays/${bad.id}`);
  await live(page);
  await page.getByRole('textbox', { name: 'Reason for the refusal' }).fill('not this one');
  await page.getByRole('button', { name: 'Reject: hold 1 letter again' }).click();
  await expect(page.getByText('local operator refused it: not this one')).toBeVisible();
  expect((await running.api.letter(second!)).state).toBe('held');
});

test('whoever asked for a replay cannot approve it', async ({ page, workplace, running }) => {
  await workplace.die({ body: { n: 1 }, headers: HEADERS });
  const id = await workplace.letter();
  await page.goto(`/replays/new?ids[]=${id}`);
  await live(page);
  await page.getByRole('checkbox', { name: 'another person must approve it first' }).check();
  await page.getByRole('button', { name: 'Look again' }).click();
  await expect(page).toHaveURL(/needs_approval=/);
  await live(page);
  await page.getByRole('button', { name: 'Replay 1 letter to the queue it died in' }).click();
  await expect(section(page, 'Waits for a second person')).toContainText('it cannot be approved here');
  await expect(page.getByRole('button', { name: /^Approve/ })).toHaveCount(0);
  expect((await running.api.letter(id)).state).toBe('claimed');
});

test('headers that travel along are left out at the button, and a table member is set in the field', async ({
  page,
  workplace,
}) => {
  const laravel = { attempts: 3 };
  await workplace.die({ body: { n: 1 }, headers: { 'x-delay': 5210, 'MT-Redelivery-Count': 5, laravel, tenant: 'acme' } });
  const id = await workplace.letter();
  await page.goto(`/replays/new?ids[]=${id}`);
  await live(page);
  const warnings = page.getByRole('list', { name: 'Before you replay' });
  const offer = (name: string, label: string) =>
    warnings.getByRole('listitem').filter({ hasText: name }).getByRole('button', { name: label });
  await offer('MT-Redelivery-Count 5', 'Leave it out').click();
  const field = page.getByRole('textbox', { name: 'headers: -name leaves one out' });
  await expect(field).toHaveValue('-MT-Redelivery-Count');
  await offer('/laravel/attempts 3', 'Reset it').click();
  await expect(field).toHaveValue('-MT-Redelivery-Count, /laravel/attempts=0');
  await expect(warnings.getByRole('listitem').filter({ hasText: 'x-delay 5210' })).toBeVisible();
  await field.fill('-MT-Redelivery-Count, /laravel/attempts=0, tenant=umbrella');
  await page.getByRole('button', { name: 'Update the plan' }).click();
  await expect(section(page, 'What is sent')).toContainText('MT-Redelivery-Count (1 letter)');
  await live(page);
  await page.getByRole('button', { name: /^Replay 1 letter to the queue it died in/ }).click();
  const told = 'sent without MT-Redelivery-Count; sent with /laravel/attempts 0 instead of 3, tenant umbrella instead of acme';
  await expect(page.getByText(told)).toBeVisible();
  await expect(section(page, 'The plan, frozen')).toContainText('-MT-Redelivery-Count, /laravel/attempts=0, tenant=umbrella');
  const received = await workplace.consume();
  expect(received.properties.headers).toMatchObject({ 'x-delay': 5210, laravel: { attempts: 0 }, tenant: 'umbrella' });
  expect(received.properties.headers).not.toHaveProperty('MT-Redelivery-Count');
});
