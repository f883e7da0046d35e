// With script, a plan that is out of date says so, and its button waits for a look.
import { section } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

test('a field that is changed puts the plan out of date, and one that is changed back does not', async ({
  page,
  workplace,
  running,
}) => {
  for (const n of [1, 2, 3]) await workplace.die({ body: { n } });
  await workplace.letters(3);
  await page.goto(`/replays/new?scope=matching&q=source:${workplace.source}`);
  await live(page);
  const publish = page.getByRole('button', { name: /^Replay 3 letters/ });
  const look = page.getByRole('button', { name: 'Update the plan' });
  await expect(publish).toBeEnabled();
  await page.getByLabel('letters a second').fill('50');
  await expect(publish).toBeDisabled();
  await expect(page.getByRole('status').filter({ hasText: 'this plan is out of date' })).toBeVisible();
  await page.getByLabel('letters a second').fill('');
  await expect(publish).toBeEnabled();
  await expect(look).toHaveCount(0);

  await page.getByLabel('letters a second').fill('50');
  await page.getByLabel('canary: letters sent after each step').fill('1, 2');
  await section(page, 'Change what is sent').getByRole('textbox').fill('.x = 1 |\n.y = 2');
  await look.click();
  await live(page);
  await page.getByRole('button', { name: 'Replay 3 letters, changed by jq, to the queues they died in, beginning with 1' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  const replay = await running.api.replayAt(page.url());
  expect(replay).toMatchObject({ canary: { steps: [1, 2] }, rate_per_second: 50, transform: { jq: '.x = 1 |\n.y = 2' } });
});

test('the Enter key looks again and publishes nothing', async ({ page, workplace, running }) => {
  await workplace.die({ body: { n: 1 } });
  const id = await workplace.letter();
  await page.goto(`/replays/new?ids[]=${id}`);
  await live(page);
  await page.getByLabel('letters a second').fill('50');
  await page.getByLabel('letters a second').press('Enter');
  await expect(page).toHaveURL(/rate=50/);
  await expect(page.getByLabel('letters a second')).toHaveValue('50');
  expect((await running.api.letter(id)).state).toBe('held');
});

test('an edit that is changed below its differences has to be looked at again', async ({ page, workplace, running }) => {
  await workplace.die({ body: 'amount 1' });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}/edit`);
  await live(page);
  const body = page.getByRole('textbox', { name: 'body', exact: true });
  await body.fill('amount 9');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await expect(section(page, 'What changes').locator('ins')).toHaveText('+ amount 9');
  const send = page.getByRole('button', { name: /^Send 1 letter with this body/ });
  await expect(send).toBeEnabled();
  await body.fill('amount 7');
  await expect(send).toBeDisabled();
  expect((await running.api.letter(id)).state).toBe('held');
  await page.getByRole('button', { name: 'Update the plan' }).click();
  await expect(section(page, 'What changes').locator('ins')).toHaveText('+ amount 7');
  await send.click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect.poll(async () => (await workplace.consume().catch(() => undefined))?.payload).toBe('amount 7');
});
