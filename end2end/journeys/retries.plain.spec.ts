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
  await expect(page.getByText('The policies are asked of 1 letter that')).toBeVisible();
  await expect(async () => void (await workplace.reject())).toPass();
  const [letter] = await workplace.letters(1);
  await expect(async () => {
    await page.goto(`/letters/${letter!.id}`);
    await expect(page.getByText('Exhausted: it was tried once')).toBeVisible();
  }).toPass();
  await page.goto(`/letters?q=exhausted:true&source=${workplace.source}`);
  await expect(page.getByRole('table').locator('tbody').getByRole('row')).toHaveCount(1);

  await page.goto('/rules/retries');
  await row.getByRole('switch', { name }).click();
  await expect(page).toHaveURL(/\/rules\/retries\?notice=policies$/);
  await expect(row.getByRole('switch', { name })).not.toBeChecked();
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Delete this policy' }).click();
  await expect(page).toHaveURL(/\/rules\/retries\?notice=policy-removed$/);
  await expect(row).toHaveCount(0);
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
  await page.getByRole('button', { name: 'Hold it: I decide' }).click();
  await expect(page.getByRole('status').filter({ hasText: '1 letter held' })).toBeVisible();
  expect((await workplace.letters(1))[0]!.state).toBe('held');
  await page.goto('/rules/retries');
  const row = page.getByRole('listitem').filter({ hasText: name });
  await row.locator('summary').click();
  await row.getByRole('button', { name: 'Delete this policy' }).click();
  await expect(row).toHaveCount(0);
});
