// Groups in a browser that runs no script: plain links and forms.
import { groupsOf } from '../fixtures/groups';
import { rows, section } from '../fixtures/list';
import { expect, test } from '../fixtures/test';

test('a group is found, taken, muted, written about, reopened and resolved', async ({ page, workplace, running }) => {
  const [group] = await groupsOf(running.api, workplace, ['the clockmaker of plain street has no springs']);
  await page.goto('/groups');
  await page.getByRole('navigation', { name: 'States of groups' }).getByRole('link', { name: 'open' }).click();
  await rows(page, group!.title).getByRole('link').click();
  const state = page.locator('.meta .state');
  await page.getByRole('button', { name: 'Assign to me' }).click();
  await expect(page).toHaveURL(new RegExp(`/groups/${group!.id}\\?notice=group$`));
  await expect(state).toHaveText('investigating');

  await page.getByText('Mute…', { exact: true }).click();
  await page.getByRole('textbox', { name: 'or until so many in one hour' }).fill('none');
  await page.getByRole('button', { name: 'Mute this group' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'must be a whole number' })).toBeVisible();
  await page.getByText('Mute…', { exact: true }).click();
  await page.getByRole('button', { name: 'Mute this group' }).click();
  await expect(state).toHaveText('muted');

  const log = section(page, 'What happened');
  await log.getByRole('textbox', { name: 'note' }).fill('springs are ordered');
  await log.getByRole('button', { name: 'Add note' }).click();
  await expect(log.getByRole('listitem').first()).toContainText('springs are ordered');
  await page.getByRole('button', { name: 'Reopen' }).click();
  await expect(state).toHaveText('open');
  await page.getByRole('button', { name: 'Resolve' }).click();
  await expect(state).toHaveText('resolved');
});

test('groups are merged and split', async ({ page, workplace, running }) => {
  const [first, second] = await groupsOf(running.api, workplace, [
    'a kettle without water was delivered',
    'nobody signs for parcels on sundays',
  ]);
  await page.goto(`/groups/${first!.id}`);
  await page.getByRole('link', { name: 'Merge into another group…' }).click();
  await page.getByRole('button', { name: `Merge into ${second!.title}` }).click();
  await expect(page).toHaveURL(new RegExp(`/groups/${second!.id}\\?notice=merged$`));

  const split = page.getByRole('button', { name: 'Split the selected off into a new group' });
  await split.click();
  await expect(page.getByRole('alert').filter({ hasText: 'No signature is selected' })).toBeVisible();
  await page.getByRole('checkbox', { name: `Select ${first!.title}` }).check();
  await split.click();
  await expect(page).toHaveURL(/\/groups\/[0-9a-f-]{36}\?notice=split$/);
  await expect(section(page, '1 signature')).toContainText(first!.title);
});
