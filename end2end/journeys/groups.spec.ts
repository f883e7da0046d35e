// What failed alike is found, looked after, put together and taken apart.
import type { Page } from '@playwright/test';
import { groupsOf, groupOf, open } from '../fixtures/groups';
import { rows, section } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

const sentence = (page: Page) => page.getByRole('heading', { level: 1 });
const badge = (page: Page, state: string) => page.locator('.meta .state', { hasText: state });
const happened = (page: Page) => section(page, 'What happened').getByRole('listitem');

test('a group is found, taken, muted, reopened and resolved', async ({ page, workplace, running }) => {
  const [group] = await groupsOf(running.api, workplace, ['the ledger of amber street refuses vouchers']);
  await page.goto('/');
  await live(page);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Groups' }).click();
  await rows(page, group!.title).getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/groups/${group!.id}$`));
  await expect(sentence(page)).toHaveText('1 letter waits; 1 arrival in the last 24 hours.');
  await expect(section(page, 'Why these letters are one group')).toContainText('the error');

  await page.getByRole('button', { name: 'Assign to me' }).click();
  await expect(badge(page, 'investigating')).toBeVisible();
  expect((await running.api.group(group!.id)).owner).toBe('local operator');

  await page.getByText('Mute…', { exact: true }).click();
  await page.getByRole('combobox', { name: 'for' }).selectOption('any time');
  await page.getByRole('button', { name: 'Mute this group' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'A mute needs an end' })).toBeVisible();
  await page.getByRole('textbox', { name: 'or until so many more letters' }).fill('20');
  await page.getByRole('button', { name: 'Mute this group' }).click();
  await expect(badge(page, 'muted')).toBeVisible();
  await expect(page.getByRole('main')).toContainText('until 20 more letters arrive');

  await page.getByRole('button', { name: 'Reopen' }).click();
  await expect(badge(page, 'open')).toBeVisible();
  await page.getByRole('button', { name: 'Resolve' }).click();
  await expect(badge(page, 'resolved')).toBeVisible();
  await expect(happened(page).first()).toContainText('resolved');

  await page.goto('/groups?state=resolved');
  await expect(rows(page, group!.title)).toHaveCount(1);
  await page.getByRole('navigation', { name: 'States of groups' }).getByRole('link', { name: 'open' }).click();
  await expect(page).toHaveURL(/\/groups\?state=open$/);
  await expect(rows(page, group!.title)).toHaveCount(0);
});

test('what was asked for before a button was pressed is not shown after it', async ({ page, workplace, running }) => {
  const [group] = await groupsOf(running.api, workplace, ['the bridge keeper of low marsh lost count']);
  await open(page, group!.id);
  const states = await page.evaluateHandle(() => {
    const seen: string[] = [];
    new MutationObserver(() => seen.push(document.querySelector('.meta .state')?.textContent ?? '')).observe(
      document.querySelector('main')!,
      { childList: true, characterData: true, subtree: true },
    );
    return seen;
  });
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let isRead = () => {};
  const read = new Promise<void>((resolve) => {
    isRead = resolve;
  });
  await page.route(
    `**/groups/${group!.id}`,
    async (route) => {
      const answer = await route.fetch();
      isRead();
      await released;
      await route.fulfill({ response: answer });
    },
    { times: 1 },
  );
  await read;
  await page.getByRole('button', { name: 'Resolve' }).click();
  await expect(badge(page, 'resolved')).toBeVisible();
  const again = page.waitForResponse((answer) => answer.url().includes(`/groups/${group!.id}`));
  release();
  await (await again).finished();
  const next = page.waitForResponse((answer) => answer.url().includes(`/groups/${group!.id}`));
  await (await next).finished();
  await expect(badge(page, 'resolved')).toBeVisible();
  expect(await states.evaluate((seen) => seen.slice(seen.indexOf('resolved')))).not.toContain('open');
});

test('the list follows letters that arrive, but not under the pointer', async ({ page, workplace, running }) => {
  const title = 'the lighthouse of port nowhere lost its keeper';
  await groupsOf(running.api, workplace, [title]);
  await page.goto('/groups');
  await live(page);
  const row = rows(page, title);
  await expect(row.getByRole('cell').nth(3)).toHaveText('1');
  await page.mouse.move(0, 0);
  await workplace.die({ headers: { 'x-error': title } });
  await expect(row.getByRole('cell').nth(3)).toHaveText('2');

  await row.hover();
  await workplace.die({ headers: { 'x-error': title } });
  await workplace.letters(3);
  await expect.poll(async () => (await groupOf(running.api, title)).letters).toBe(3);
  await expect(row.getByRole('cell').nth(3)).toHaveText('2');
  await page.mouse.move(0, 0);
  await expect(row.getByRole('cell').nth(3)).toHaveText('3');
});

test('a group shows its newest letters: what fails, what it said, and where', async ({ page, workplace, running }) => {
  const title = 'the lamplighter of quay nine found no ladder';
  for (const rung of [1, 2, 3, 4, 5, 6, 7]) {
    const headers = { 'x-error': title, 'x-stack-trace': 'at Ladder.climb(ladder.ts:7)' };
    await workplace.die({ body: { rung }, headers });
  }
  await workplace.letters(7);
  await expect.poll(async () => (await groupOf(running.api, title)).letters).toBe(7);
  await open(page, (await groupOf(running.api, title)).id);
  const letters = section(page, 'Letters');
  await expect(letters.getByRole('listitem')).toHaveCount(6);
  const [first, second] = [letters.getByRole('listitem').first(), letters.getByRole('listitem').nth(1)];
  await expect(first).toContainText(title);
  await expect(first.getByText('"rung": 7')).toBeVisible();
  await expect(first.getByText('ladder.ts:7')).toBeVisible();
  await expect(second.getByText('"rung": 6')).toBeHidden();
  await second.locator('summary').click();
  await expect(second.getByText('"rung": 6')).toBeVisible();
  await second.getByRole('link', { name: 'Open this letter' }).click();
  await expect(section(page, 'Payload')).toContainText('rung');
  await page.goBack();
  await letters.getByRole('link', { name: 'All 7' }).click();
  await expect(rows(page)).toHaveCount(7);
});

test('what people write down of a group is kept, and what makes no sense is refused at the form', async ({
  page,
  workplace,
  running,
}) => {
  const [group] = await groupsOf(running.api, workplace, ['the orchard inspector counted no pears']);
  await open(page, group!.id);
  const form = section(page, 'Owner, ticket, tags');
  await form.getByRole('textbox', { name: 'owner' }).fill('billing on-call');
  await form.getByRole('textbox', { name: 'address of the ticket' }).fill('javascript:alert(1)');
  await form.getByRole('button', { name: 'Save' }).click();
  const refused = page.getByRole('alert').filter({ hasText: 'must begin with http:// or https://' });
  await expect(refused).toBeInViewport();
  await expect(form.getByRole('textbox', { name: 'owner' })).toHaveValue('billing on-call');
  await form.getByRole('textbox', { name: 'address of the ticket' }).fill('https://tickets.example/BILL-4417');
  await form.getByRole('textbox', { name: /^tags/ }).fill('money, release');
  await form.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('link', { name: 'https://tickets.example/BILL-4417' })).toBeVisible();
  await expect(refused).toHaveCount(0);

  const log = section(page, 'What happened');
  await log.getByRole('textbox', { name: 'note' }).fill('Rolled back.\nWatching.');
  await log.getByRole('button', { name: 'Add note' }).click();
  await expect(happened(page).first()).toContainText('Rolled back.');
  await page.goto('/groups');
  await expect(rows(page, group!.title)).toContainText('billing on-call');
  await expect(rows(page, group!.title)).toContainText('money');
});

test('two groups are merged, and a signature is split off again', async ({ page, workplace, running }) => {
  const [first, second] = await groupsOf(running.api, workplace, [
    'the bridge toll of karelia cannot be computed',
    'no ferryman answers at the quay',
  ]);
  await open(page, first!.id);
  await section(page, 'Merge').getByRole('link', { name: 'Merge into another group…' }).click();
  await expect(section(page, 'Choose the group to merge into')).toContainText(first!.title);
  await expect(rows(page, first!.title).getByRole('button')).toHaveCount(0);
  await page.getByRole('navigation', { name: 'States of groups' }).getByRole('link', { name: 'open' }).click();
  await rows(page, second!.title).getByRole('button', { name: 'Merge into' }).click();
  await expect(page).toHaveURL(new RegExp(`/groups/${second!.id}\\?notice=merged$`));
  await expect(sentence(page)).toHaveText('2 letters wait; 2 arrivals in the last 24 hours.');
  await expect(page.getByRole('status').filter({ hasText: 'The groups were merged into this one' })).toBeVisible();

  await open(page, first!.id);
  await expect(page.getByText('The group of this address was merged into this one.')).toBeVisible();
  const signatures = section(page, '2 signatures');
  await expect(signatures.locator('tbody').getByRole('row')).toHaveCount(2);
  await signatures.getByRole('checkbox', { name: `Select ${first!.title}` }).check();
  await signatures.getByRole('button', { name: 'Split the selected off into a new group' }).click();
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}\?notice=split$/);
  await expect(sentence(page)).toHaveText('1 letter waits; 1 arrival in the last 24 hours.');
  await expect(section(page, '1 signature')).toContainText(first!.title);
  expect((await running.api.group(second!.id)).letters).toBe(1);
});
