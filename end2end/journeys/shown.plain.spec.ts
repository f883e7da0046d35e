// What is typed on the page of a new replay is what is done, in a browser that runs no script.
import { section } from '../fixtures/list';
import { expect, test } from '../fixtures/test';

test('a canary, a rate and a program that are typed are carried out, or nothing is', async ({ page, workplace, running }) => {
  for (const n of [1, 2, 3]) await workplace.die({ body: { n } });
  await workplace.letters(3);
  await page.goto(`/replays/new?scope=matching&q=source:${workplace.source}`);
  await page.getByLabel('canary: letters sent after each step').fill('1, 2');
  await page.getByLabel('letters a second').fill('50');
  await section(page, 'Change what is sent').getByRole('textbox').fill('.x = 1');

  // The plan on the screen says nothing of all that, so it is not carried out; what was typed is shown.
  await page.getByRole('button', { name: 'Replay 3 letters to the queues they died in' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'not the plan that was shown' })).toBeVisible();
  expect((await running.api.letters(`source:${workplace.source} state:held`)).items).toHaveLength(3);
  await expect(page.getByLabel('canary: letters sent after each step')).toHaveValue('1, 2');
  await expect(page.getByLabel('letters a second')).toHaveValue('50');
  await expect(section(page, 'Change what is sent').getByRole('textbox')).toHaveValue('.x = 1');
  await expect(section(page, 'Change what is sent').getByRole('status')).toContainText('3 changed');

  await page.getByRole('button', { name: 'Replay 3 letters, changed by jq, to the queues they died in, beginning with 1' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  const replay = await running.api.replayAt(page.url());
  expect(replay).toMatchObject({ canary: { steps: [1, 2] }, rate_per_second: 50, transform: { jq: '.x = 1' } });
});

test('every button keeps what is typed', async ({ page, workplace }) => {
  await workplace.die({ body: { n: 1 } });
  await workplace.letter();
  for (const button of ['Look again', 'Try it on these letters']) {
    await page.goto(`/replays/new?scope=matching&q=source:${workplace.source}`);
    await page.getByLabel('canary: letters sent after each step').fill('1, 5');
    const program = section(page, 'Change what is sent').getByRole('textbox');
    await program.fill('.x = 1');
    await page.getByRole('button', { name: button }).click();
    await expect(page).toHaveURL(/steps=/);
    await expect(page.getByLabel('canary: letters sent after each step')).toHaveValue('1, 5');
    await expect(program).toHaveValue('.x = 1');
  }
});

test('an edit that is changed below its differences is not sent before they are shown', async ({ page, workplace, running }) => {
  await workplace.die({ body: 'amount 1' });
  const id = await workplace.letter();
  await page.goto(`/letters/${id}/edit`);
  const body = page.getByRole('textbox', { name: 'body', exact: true });
  await body.fill('amount 9');
  await page.getByRole('button', { name: 'Show what changes' }).click();
  await expect(section(page, 'What changes').locator('ins')).toHaveText('+ amount 9');
  await body.fill('amount 7');
  await page.getByRole('button', { name: /^Send 1 letter with this body/ }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'changed after its differences were shown' })).toBeVisible();
  await expect(section(page, 'What changes').locator('ins')).toHaveText('+ amount 7');
  expect((await running.api.letter(id)).state).toBe('held');
  await page.getByRole('button', { name: /^Send 1 letter with this body/ }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await expect.poll(async () => (await workplace.consume().catch(() => undefined))?.payload).toBe('amount 7');
});

test('what speaks against a replay stands at its button, and a canary comes first', async ({ page, workplace, running }) => {
  for (const n of [1, 2, 3]) await workplace.die({ body: { n } });
  await workplace.letters(3);
  await page.goto(`/replays/new?scope=matching&q=source:${workplace.source}`);
  await expect(page.getByRole('list', { name: 'Before you replay' })).toContainText(`Nobody consumes from ${workplace.work}`);
  await page.getByRole('button', { name: 'Replay 1 letter first, then the other 2, to the queues they died in' }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  const replay = await running.api.replayAt(page.url());
  expect(replay).toMatchObject({ canary: { steps: [1, 10, 100] } });
});
