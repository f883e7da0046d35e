// Retry policies, whose forms are plain ones: what is written is previewed, kept, and carried out.
import { expect, test } from '../fixtures/test';

test('a policy is previewed and saved, retries a letter, and gives up on it', async ({ page, workplace }) => {
  await workplace.die();
  await workplace.letters(1);
  await page.goto('/rules');
  await page.getByRole('link', { name: 'retry policies' }).click();
  await page.getByRole('link', { name: 'Add a retry policy' }).click();
  const name = `Again ${workplace.work}`;
  await page.getByRole('textbox', { name: /^name/ }).fill(name);
  await page.getByRole('textbox', { name: /^which letters/ }).fill('colour:red');
  await page.getByRole('textbox', { name: /^wait before/ }).fill('1s');
  await page.getByRole('button', { name: 'Save this policy' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'colour' })).toBeVisible();
  await expect(page.getByRole('textbox', { name: /^name/ })).toHaveValue(name);

  await page.getByRole('textbox', { name: /^which letters/ }).fill(`queue:${workplace.work}`);
  await page.getByRole('button', { name: 'Preview' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'It would have taken 1 letter in the last 7 days' })).toBeVisible();
  await page.getByRole('button', { name: 'Save this policy' }).click();
  await expect(page).toHaveURL(/\/rules\/retries\?notice=policy$/);
  const row = page.getByRole('listitem').filter({ hasText: name });
  await expect(row).toContainText('retries after 1 s');

  // A letter that was there before is retried when a person says so.
  await row.getByRole('link', { name: `Edit ${name}` }).click();
  await page.getByRole('button', { name: 'Apply it to the letters that are held now' }).click();
  await expect(page.getByText('The policies are now applied to 1 letter that')).toBeVisible();
  await expect(async () => void (await workplace.reject())).toPass();
  const [letter] = await workplace.letters(1);
  await expect(async () => {
    await page.goto(`/letters/${letter!.id}`);
    await expect(page.getByText('Exhausted: it was tried once')).toBeVisible();
  }).toPass();
  await page.goto(`/letters?q=exhausted:true&source=${workplace.source}`);
  await expect(page.getByRole('table').locator('tbody').getByRole('row')).toHaveCount(1);

  // Its replay is listed apart from people's, and leads back to it.
  await page.goto('/replays');
  await expect(page.getByText(`retry policy ${name}`)).toHaveCount(0);
  await page.getByRole('navigation', { name: 'Replays by' }).getByRole('link', { name: 'retry policies' }).click();
  await expect(page).toHaveURL(/\/replays\?by=policies$/);
  const made = page.getByRole('row').filter({ hasText: `retry policy ${name}` });
  await made.getByRole('link').click();
  await page.getByRole('link', { name: `retry policy ${name}` }).click();
  const policy = page.url();
  await page.getByRole('link', { name: 'Its replays' }).click();
  await expect(page).toHaveURL(/\/replays\?by=policy:[0-9a-f-]+$/);
  await expect(made).toHaveCount(1);

  await page.goto('/rules/retries');
  await row.getByRole('switch', { name }).click();
  await expect(page).toHaveURL(/\/rules\/retries\?notice=policies$/);
  await expect(row.getByRole('switch', { name })).not.toBeChecked();
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Delete this policy' }).click();
  await expect(page).toHaveURL(/\/rules\/retries\?notice=policy-removed$/);
  await expect(row).toHaveCount(0);

  // Links to it tell what it was, and lead to what it did.
  await page.goto(policy);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(`The retry policy “${name}” was removed.`);
  await expect(page.getByText(/^Local operator removed it, 20/)).toBeVisible();
  await page.getByRole('link', { name: 'Its replays' }).click();
  await expect(made).toHaveCount(1);
  await page.goBack();
  await page.getByRole('link', { name: 'Write a new policy like it' }).click();
  await expect(page.getByRole('textbox', { name: /^which letters/ })).toHaveValue(`queue:${workplace.work}`);
});

test('a scheduled letter is taken away from its policy', async ({ page, workplace }) => {
  await page.goto('/rules/retries/new');
  const name = `Later ${workplace.work}`;
  await page.getByRole('textbox', { name: /^name/ }).fill(name);
  await page.getByRole('textbox', { name: /^which letters/ }).fill(`queue:${workplace.work}`);
  await page.getByRole('textbox', { name: /^wait before/ }).fill('1h');
  await page.getByRole('button', { name: 'Save this policy' }).click();
  await expect(page).toHaveURL(/notice=policy$/);
  await workplace.die();
  await expect.poll(async () => (await workplace.letters(1))[0]!.state).toBe('scheduled');
  await page.goto(`/letters/${await workplace.letter()}`);
  await expect(page.getByText('Try 1 is due at')).toBeVisible();
  await page.getByRole('button', { name: 'Hold: I will decide' }).click();
  await expect(page.getByRole('status').filter({ hasText: '1 letter held' })).toBeVisible();
  expect((await workplace.letters(1))[0]!.state).toBe('held');

  // Many at once: some that are checked, then all that match.
  for (const body of ['two', 'three', 'four']) await workplace.die({ body });
  const states = async () => (await workplace.letters(4)).map(({ state }) => state).sort();
  await expect.poll(states).toEqual(['held', 'scheduled', 'scheduled', 'scheduled']);
  await page.goto(workplace.list({ state: 'scheduled' }));
  await page.locator('tbody').getByRole('checkbox').first().check();
  await page.getByRole('button', { name: 'Hold the selected letters: no retry' }).click();
  await expect(page.getByRole('status').filter({ hasText: '1 letter held' })).toBeVisible();
  await page.getByText('With all 2 letters…').click();
  await page.getByRole('button', { name: 'Hold the scheduled of 2 letters' }).click();
  await expect(page.getByRole('status').filter({ hasText: '2 letters held' })).toBeVisible();
  expect(await states()).toEqual(['held', 'held', 'held', 'held']);

  await page.goto('/rules/retries');
  const row = page.getByRole('listitem').filter({ hasText: name });
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Delete this policy' }).click();
  await expect(row).toHaveCount(0);
});
