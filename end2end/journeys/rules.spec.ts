// How letters are judged: rules are written, looked at before they are saved, ordered and removed.
import type { Page } from '@playwright/test';
import { groupsOf, open } from '../fixtures/groups';
import { rows, section } from '../fixtures/list';
import { filterBox, severityRules, write } from '../fixtures/rules';
import { expect, live, test } from '../fixtures/test';

const preview = (page: Page) => section(page, 'Preview');
const press = (page: Page, button: string) => page.getByRole('button', { name: button, exact: true }).click();

test('a severity rule is previewed and saved, and letters old and new become critical', async ({
  page,
  workplace,
  running,
}) => {
  await workplace.die({ headers: { 'x-error': 'the first that was there' } });
  await workplace.die({ headers: { 'x-error': 'the second that was there' } });
  await workplace.letters(2);

  await page.goto('/');
  await live(page);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Rules' }).click();
  await expect(section(page, 'Severity')).toContainText('everything else is normal');
  await page.getByRole('link', { name: 'Add a severity rule' }).click();
  const name = `Wake me for ${workplace.work}`;
  await write(page, name, `queue:${workplace.work}`, 'critical');
  await press(page, 'Preview');
  await expect(preview(page)).toContainText('It would have matched 2 letters in the last 7 days: 2 normal now.');
  await expect(rows(page)).toHaveCount(2);
  await expect(rows(page, 'the first that was there')).toHaveCount(1);
  expect((await running.api.rules('severity')).some((rule) => rule.name === name), 'a preview saves nothing').toBe(false);

  await press(page, 'Save this rule');
  await expect(page).toHaveURL(/\/rules\?notice=judging-rule$/);
  await expect(severityRules(page, name)).toContainText('critical');
  await expect(severityRules(page, name)).toContainText('local operator');

  const severities = async () => (await workplace.letters(2)).map(({ severity }) => severity);
  await expect.poll(severities, 'letters are judged again').toEqual(['critical', 'critical']);
  await severityRules(page, name).getByRole('link', { name: `queue:${workplace.work}` }).click();
  await live(page);
  await expect(rows(page, 'critical')).toHaveCount(2);
  await workplace.die({ headers: { 'x-error': 'one that came later' } });
  const [newest] = await workplace.letters(3);
  expect(newest!.severity).toBe('critical');
});

test('rules change places, are switched off and on, edited and deleted', async ({ page, workplace, running }) => {
  const { work } = workplace;
  const [one, two] = [`first of ${work}`, `second of ${work}`];
  await running.api.rule(one, `queue:${work}`, 'low');
  await running.api.rule(two, `queue:${work}`, 'high');
  const order = async () => {
    const names = (await running.api.rules('severity')).map((rule) => rule.name);
    return names.filter((name) => name.endsWith(work));
  };
  await workplace.die();
  expect((await workplace.letters(1))[0]!.severity, 'the first that matches decides').toBe('low');

  await page.goto('/rules');
  await live(page);
  const up = page.getByRole('button', { name: `Move ${two} up` });
  await up.click();
  await expect.poll(order).toEqual([two, one]);
  await expect(severityRules(page, work).first()).toContainText(two);
  await expect(up, 'the focus goes with the rule').toBeFocused();
  await expect.poll(async () => (await workplace.letters(1))[0]!.severity).toBe('high');

  const enabled = page.getByRole('switch', { name: two });
  await expect(enabled).toBeChecked();
  await enabled.click();
  await expect(enabled).not.toBeChecked();
  await expect(enabled).toBeFocused();
  await expect(page.getByRole('heading', { level: 1 })).toContainText('is off');
  await expect.poll(async () => (await workplace.letters(1))[0]!.severity).toBe('low');
  await enabled.click();
  await expect(enabled).toBeChecked();

  await page.getByRole('link', { name: `Edit ${one}` }).click();
  await expect(filterBox(page)).toHaveValue(`queue:${work}`);
  await expect(preview(page)).toContainText('It would have matched 1 letter');
  await page.getByRole('radio', { name: 'critical' }).check();
  await press(page, 'Save this rule');
  await expect(severityRules(page, one)).toContainText('critical');

  for (const name of [one, two]) {
    await severityRules(page, name).locator('summary').click();
    await severityRules(page, name).getByRole('button', { name: 'Delete this rule' }).click();
    await expect(severityRules(page, name)).toHaveCount(0);
  }
  await expect.poll(order).toEqual([]);
  await expect.poll(async () => (await workplace.letters(1))[0]!.severity).toBe('normal');
});

test('a filter that cannot be read is pointed at, and what a rule may not ask is said', async ({ page, faults }) => {
  await page.goto('/rules/new?sort=severity');
  await live(page);
  await write(page, 'Broken', 'queue:a colour:red', 'high');
  await press(page, 'Preview');
  const place = page.getByRole('alert').filter({ hasText: 'At character 9' });
  await expect(place).toContainText('colour');
  await expect(filterBox(page)).toHaveAttribute('aria-invalid', 'true');

  await filterBox(page).fill('state:held colour:red');
  await press(page, 'Save this rule');
  await expect(page.getByRole('alert').filter({ hasText: 'At character 12' })).toBeVisible();
  await expect(filterBox(page)).toHaveValue('state:held colour:red');

  faults.foresee(400, '/rules/new');
  await filterBox(page).fill('state:held');
  await press(page, 'Preview');
  await expect(page.getByRole('alert').filter({ hasText: 'cannot use state' })).toBeVisible();
  await expect(filterBox(page)).toHaveAttribute('aria-invalid', 'false');
});

test('what can be written is offered while a rule is written', async ({ page }) => {
  await page.goto('/rules/new?sort=severity');
  await live(page);
  await filterBox(page).pressSequentially('rea');
  await page.getByRole('option', { name: /^reason:/ }).click();
  await expect(page.getByRole('option', { name: /^maxlen/ })).toBeVisible();
  await filterBox(page).press('Escape');
  await expect(filterBox(page)).toHaveValue('reason:');
});

test('hostile names are text', async ({ page, workplace, running }) => {
  const name = `<img src=x onerror=alert(1)> "&amp;' ${workplace.work}`;
  const filter = `header."<b>x</b>":"<script>alert(1)</script>" queue:${workplace.work}`;
  const rule = await running.api.rule(name, filter, 'low');
  await page.goto('/rules');
  await live(page);
  await expect(severityRules(page, workplace.work).getByRole('heading')).toHaveText(name);
  await expect(severityRules(page, workplace.work)).toContainText('<script>alert(1)</script>');
  await page.goto(`/rules/${rule.id}`);
  await live(page);
  await expect(page.getByRole('textbox', { name: /^name/ })).toHaveValue(name);
  await press(page, 'Preview');
  await expect(page).toHaveURL(/look=yes/);
  await page.reload();
  await expect(page.getByRole('textbox', { name: /^name/ })).toHaveValue(name);
  await expect(filterBox(page)).toHaveValue(rule.filter);
});

test('a rule is made of a group', async ({ page, workplace, running }) => {
  const [group] = await groupsOf(running.api, workplace, ['the harbour pilot of westwick is asleep']);
  await open(page, group!.id);
  await section(page, 'Make a rule of it').getByRole('link', { name: 'Rule how bad they are' }).click();
  await expect(filterBox(page)).toHaveValue('error_message:"the harbour pilot of westwick is asleep"');
  await page.getByRole('radio', { name: 'low' }).check();
  await press(page, 'Preview');
  await expect(preview(page)).toContainText('It would have matched 1 letter in the last 7 days: 1 normal now.');
  await press(page, 'Save this rule');
  await expect(severityRules(page, group!.title)).toContainText('low');
  await expect.poll(async () => (await workplace.letters(1))[0]!.severity).toBe('low');
});

test('a grouping rule is previewed in groups, and puts letters together', async ({
  page,
  workplace,
  running,
  faults,
}) => {
  const messages = ['an oar broke at the weir of ashby', 'the sluice of ashby does not close'];
  await groupsOf(running.api, workplace, messages);
  await page.goto('/rules');
  await live(page);
  await page.getByRole('link', { name: 'Add a grouping rule' }).click();
  await page.getByRole('textbox', { name: /^name/ }).fill('Waters of ashby');
  await filterBox(page).fill(`queue:${workplace.work}`);
  const key = page.locator('textarea');
  await key.fill('{colour}');
  faults.foresee(400, '/rules/new');
  await press(page, 'Save this rule');
  await expect(page.getByRole('alert').filter({ hasText: 'is not a placeholder' })).toBeVisible();
  await key.fill(`ashby {queue}`);
  await press(page, 'Preview');
  await expect(preview(page)).toContainText('They are 2 groups now, and 1 then.');
  await press(page, 'Save this rule');
  const rules = section(page, 'Grouping').getByRole('listitem');
  await expect(rules.filter({ hasText: 'Waters of ashby' })).toContainText('ashby {queue}');
  const title = `ashby ${workplace.work}`;
  await expect
    .poll(async () => (await running.api.groups()).items.find((group) => group.title === title)?.letters)
    .toBe(2);
});
