// Alerts, whose pages are documents: a group dies, people are told, and act on it.
import type { Page } from '@playwright/test';
import { total } from '../fixtures/list';
import { Slack, button } from '../fixtures/slack';
import { expect, test } from '../fixtures/test';

const sentence = (page: Page) => page.getByRole('heading', { level: 1 });

/** Adds a channel on its page, told of everything but of what is low. */
async function join(page: Page, slack: Slack, name: string): Promise<void> {
  await page.goto('/alerts/channels');
  await page.getByRole('link', { name: 'Add a channel' }).click();
  await page.getByRole('textbox', { name: 'name', exact: true }).fill(name);
  await page.getByRole('textbox', { name: 'address' }).fill(slack.webhook);
  await page.getByRole('group', { name: /at once/ }).getByRole('checkbox', { name: 'normal' }).check();
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page).toHaveURL(/\/alerts\/channels\?notice=channel$/);
}

async function remove(page: Page, name: string): Promise<void> {
  await page.goto('/alerts/channels');
  const row = page.getByRole('listitem').filter({ hasText: name });
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Delete this channel' }).click();
  await expect(page).toHaveURL(/notice=channel-removed$/);
  await expect(page.getByText(name, { exact: true })).toHaveCount(0);
}

test('a group dies, Slack is told, its button leads to a canary, and its end is told', async ({ page, workplace }) => {
  const slack = await Slack.open();
  const name = `to ${workplace.work}`;
  await join(page, slack, name);
  const began = Date.now();
  for (let sent = 0; sent < 6; sent += 1) await workplace.die({ headers: { 'x-error': 'the ledger is closed' } });
  await expect.poll(() => slack.saying('the ledger is closed').length).toBeGreaterThan(0);
  test.info().annotations.push({ type: 'told after', description: `${Date.now() - began} ms` });
  await workplace.letters(6);

  await page.goto(button(slack.saying('the ledger is closed')[0]!, 'Plan a canary replay'));
  await page.getByLabel('canary: letters sent after each step').fill('1, 3');
  await page.getByLabel('watch each step, in s').fill('1');
  await page.getByRole('button', { name: 'Look again' }).click();
  await page.getByRole('button', { name: /^Replay 6 letters .* beginning with 1$/ }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  const replay = page.url();
  await expect(async () => {
    await page.goto(replay);
    await expect(sentence(page)).toContainText('6 confirmed', { timeout: 1_000 });
  }).toPass();

  await expect.poll(() => slack.posted.some(({ text }) => text.startsWith('Over after'))).toBe(true);
  await page.goto('/alerts/history');
  await expect(page.getByRole('row').filter({ hasText: 'the ledger is closed' })).toHaveCount(1);
  await remove(page, name);
  await slack.close();
});

test('the buttons of a message ask once, and say what they do', async ({ page, workplace, running }) => {
  const slack = await Slack.open();
  const name = `to ${workplace.work}`;
  await join(page, slack, name);
  const row = page.getByRole('listitem').filter({ hasText: name });
  await row.getByRole('button', { name: 'Test' }).click();
  await expect(row).toContainText('The test succeeded.');
  await expect(row).toContainText('…abcd');
  expect(await page.content(), 'an address is a secret').not.toContain('/services/T0');

  const error = 'there is no ink';
  await workplace.die({ headers: { 'x-error': error } });
  await expect.poll(() => slack.saying(error).length).toBeGreaterThan(0);
  const told = slack.saying(error)[0]!;
  await page.goto(button(told, 'Acknowledge'));
  await expect(page.getByRole('heading', { name: 'Acknowledge this alert?' })).toBeVisible();
  const of = (alerts: { says: string; state: string }[]) => alerts.find(({ says }) => says.includes(error));
  expect(of(await running.api.alerts())).toMatchObject({ state: 'firing' });
  await page.getByRole('button', { name: 'Acknowledge' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'no more reminders' })).toBeVisible();
  expect(of(await running.api.alerts())).toMatchObject({ state: 'acknowledged' });

  await page.goto(button(told, 'Mute 4 h'));
  await page.getByRole('textbox', { name: 'until so many more' }).fill('0');
  await page.getByRole('button', { name: 'Mute until then' }).click();
  await expect(page.getByRole('alert')).toContainText('until_more is 1 to', { ignoreCase: true });
  await page.goto(button(told, 'Mute 4 h'));
  await page.getByRole('button', { name: 'Mute', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Nobody is told' })).toBeVisible();
  await page.getByRole('button', { name: 'End it' }).click();
  await expect(page).toHaveURL(/\/alerts\/silences\?notice=silence-ended$/);
  await remove(page, name);
  await slack.close();
});

test('a rule is edited and switched off, and what is wrong with it is said', async ({ page }) => {
  await page.goto('/alerts/rules');
  await page.getByRole('link', { name: 'Edit Executions are stuck' }).click();
  await expect(sentence(page)).toContainText('scheduled for 5 min');
  await page.getByRole('textbox', { name: 'scheduled for longer than' }).fill('soon');
  await page.getByRole('textbox', { name: 'an alert above so many' }).fill('3');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('“soon” is not a length of time');
  await expect(page.getByRole('textbox', { name: 'an alert above so many' }), 'what was written stands').toHaveValue('3');
  await page.getByRole('textbox', { name: 'scheduled for longer than' }).fill('10m');
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'Executions are stuck' });
  await expect(row).toContainText('More than 3 executions have been scheduled for 10 min');
  await row.getByRole('switch').click();
  await expect(row.getByRole('switch')).not.toBeChecked();
  await row.getByRole('switch').click();
  await expect(row.getByRole('switch')).toBeChecked();
});

test('a rule of one\'s own is previewed, fires, and is removed', async ({ page, workplace, running }) => {
  const name = `too many of ${workplace.work}`;
  for (let sent = 0; sent < 3; sent += 1) await workplace.die();
  await workplace.letters(3);
  await page.goto('/alerts/rules');
  await page.getByRole('link', { name: 'Add a rule' }).click();
  await page.getByRole('textbox', { name: 'name', exact: true }).fill(name);
  await page.getByRole('textbox', { name: 'which letters' }).fill('state:held');
  await page.getByRole('textbox', { name: 'an alert above' }).fill('2');
  await page.getByRole('textbox', { name: 'notify when it lasts for' }).fill('0');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('cannot use state');
  await page.getByRole('textbox', { name: 'which letters' }).fill(`queue:${workplace.work}`);
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('heading', { name: 'It would have fired once in 7 days' })).toBeVisible();
  await expect(page.getByRole('img', { name: /the limit of 2: 1 hour beyond it/ })).toBeVisible();
  await expect(page.getByText('would be firing now, at worst 3')).toBeVisible();
  await page.getByRole('textbox', { name: 'an alert above' }).fill('3');
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('heading', { name: 'It would not have fired in 7 days' })).toBeVisible();
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('listitem').filter({ hasText: name });
  await expect(row).toContainText(`More than 3 dead letters of “queue:${workplace.work}” in 10 min`);

  for (let sent = 0; sent < 4; sent += 1) await workplace.die();
  const own = async () => (await running.api.alerts()).find(({ says }) => says.includes(`queue:${workplace.work}`));
  await expect.poll(own).toMatchObject({ state: 'firing' });
  await page.goto('/alerts');
  await page.getByRole('link', { name: `dead letters of “queue:${workplace.work}”` }).click();
  await page.getByRole('link', { name: 'Open letters' }).click();
  await expect(total(page, '7 letters')).toBeVisible();

  await page.goto('/alerts/rules');
  await row.getByRole('link', { name: 'Edit' }).click();
  await page.getByText('Remove this rule').click();
  await page.getByRole('button', { name: 'Remove the rule' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'The rule was removed' })).toBeVisible();
  await expect(row).toHaveCount(0);
  await expect.poll(own).toBeUndefined();
});

test('alerts are silenced for a time, with a reason', async ({ page }) => {
  await page.goto('/alerts/silences');
  await page.getByRole('combobox', { name: 'alerts of' }).selectOption({ label: 'No active worker' });
  await page.getByRole('combobox', { name: 'for' }).selectOption({ label: '12 hours' });
  await page.getByRole('button', { name: 'Silence them' }).click();
  await expect(page.getByRole('alert')).toContainText('a silence has a reason', { ignoreCase: true });
  await page.getByRole('combobox', { name: 'alerts of' }).selectOption({ label: 'No active worker' });
  await page.getByRole('combobox', { name: 'for' }).selectOption({ label: '12 hours' });
  await page.getByRole('textbox', { name: /^why/ }).fill('the move to the new cluster');
  await page.getByRole('button', { name: 'Silence them' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'the move to the new cluster' });
  await expect(row).toContainText('The rule “No active worker”');
  await row.getByRole('button', { name: 'End it now' }).click();
  await expect(row).toHaveCount(0);
});

test('a webhook is made with the secret that the page offers, and its messages are signed', async ({ page }) => {
  const program = await Slack.open();
  await page.goto('/alerts/channels/new');
  await expect(page.getByRole('textbox', { name: /signed with/ }), 'Slack signs nothing').toBeHidden();
  await page.getByRole('textbox', { name: 'name', exact: true }).fill('a program');
  await page.getByRole('combobox', { name: 'what it is' }).selectOption('Webhook');
  await expect(page.getByRole('textbox', { name: /signed with/ })).toHaveValue(/^whsec_/);
  await page.getByRole('textbox', { name: 'address' }).fill(program.webhook);
  await page.getByRole('textbox', { name: /filter/ }).fill('queue:a severity:lo');
  await page.getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('alert')).toContainText('The filter of its route cannot be read');
  await expect(page.getByRole('textbox', { name: 'name', exact: true })).toHaveValue('a program');
  await page.getByRole('textbox', { name: /filter/ }).fill('queue:payments.*');
  await page.getByRole('textbox', { name: 'address' }).fill(program.webhook);
  await page.getByRole('button', { name: 'Save' }).click();
  const row = page.getByRole('listitem').filter({ hasText: 'a program' });
  await row.getByRole('button', { name: 'Test' }).click();
  await expect(row).toContainText('The test succeeded.');
  expect(program.signatures.at(-1)).toMatch(/^v1,/);
  await remove(page, 'a program');
  await program.close();
});
