// Rules in a browser that runs no script: plain links and forms.
import { section } from '../fixtures/list';
import { filterBox, severityRules, write } from '../fixtures/rules';
import { expect, test } from '../fixtures/test';

test('a rule is previewed, saved, moved, switched off and deleted', async ({ page, workplace, running }) => {
  await workplace.die();
  await workplace.letters(1);
  await page.goto('/rules');
  await page.getByRole('link', { name: 'Add a severity rule' }).click();
  const name = `Plainly ${workplace.work}`;
  await write(page, name, `queue:${workplace.work}`, 'critical');
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(section(page, 'Preview')).toContainText('It would have matched 1 letter in the last 7 days: 1 normal now.');
  await expect(page.getByRole('radio', { name: 'critical' })).toBeChecked();

  await filterBox(page).fill('colour:red');
  await page.getByRole('button', { name: 'Save this rule' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'At character 1' })).toContainText('colour');
  await expect(filterBox(page)).toHaveValue('colour:red');
  await expect(page.getByRole('textbox', { name: /^name/ })).toHaveValue(name);

  await filterBox(page).fill(`queue:${workplace.work}`);
  await page.getByRole('button', { name: 'Save this rule' }).click();
  await expect(page).toHaveURL(/\/rules\?notice=judging-rule$/);
  await expect(page.getByRole('status').filter({ hasText: 'It applies to new letters at once.' })).toBeVisible();
  await expect.poll(async () => (await workplace.letters(1))[0]!.severity).toBe('critical');

  const place = async () => (await running.api.rules('severity')).find((rule) => rule.name === name)!.position;
  const before = await place();
  await page.getByRole('button', { name: `Move ${name} up` }).click();
  await expect(page).toHaveURL(/\/rules\?notice=judging-rules$/);
  expect(await place()).toBe(before - 1);

  await page.getByRole('switch', { name }).click();
  await expect(page.getByRole('switch', { name })).not.toBeChecked();
  await expect.poll(async () => (await workplace.letters(1))[0]!.severity).toBe('normal');
  await severityRules(page, name).locator('summary').click();
  await severityRules(page, name).getByRole('button', { name: 'Delete this rule' }).click();
  await expect(page).toHaveURL(/\/rules\?notice=judging-rule-removed$/);
  await expect(severityRules(page, name)).toHaveCount(0);
});
