// What is sent is changed in a browser that runs no script.
import { section } from '../fixtures/list';
import { expect, test } from '../fixtures/test';

test('a letter is edited and sent, and others are changed with jq', async ({ page, workplace }) => {
  await workplace.die({ body: 'country=XX', headers: { 'x-error': 'no such country' } });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}`);
  await page.getByRole('link', { name: 'Edit…' }).click();
  await page.getByRole('textbox', { name: 'body', exact: true }).fill('country=DE');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await expect(section(page, 'What changes').locator('ins')).toHaveText('+ country=DE');
  await page.getByRole('link', { name: 'Hex' }).click();
  await expect(page.getByRole('textbox', { name: 'body', exact: true })).toHaveValue('636f756e7472793d4445');
  await page.getByRole('button', { name: `Send 1 letter with this body to ${workplace.work}` }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect.poll(async () => (await workplace.consume().catch(() => undefined))?.payload).toBe('country=DE');

  await workplace.die({ body: { n: 1 }, headers: { 'x-error': 'no such number' } });
  await workplace.letters(2);
  await page.goto(`/replays/new?scope=matching&q=source:${workplace.source}+state:held`);
  const changing = section(page, 'Change what is sent');
  await changing.getByRole('textbox').fill('.n += 1');
  await changing.getByRole('button', { name: 'Try it on these letters' }).click();
  await expect(changing.getByRole('status')).toContainText('1 changed, 0 unchanged, 0 errors of 1 letter');
  await page.getByRole('button', { name: 'Replay 1 letter, changed by jq, to the queue it died in' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect.poll(async () => (await workplace.consume().catch(() => undefined))?.payload).toBe('{"n":2}');
});
