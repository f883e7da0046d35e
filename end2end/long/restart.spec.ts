// The office goes away and comes back while somebody looks.
import { total } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

test('a list says after an interruption how many came meanwhile', async ({ page, workplace, running, faults }) => {
  await workplace.die();
  await workplace.letters(1);
  await page.goto(workplace.list());
  await live(page);
  faults.foreseeAbsence();
  await running.restart(async () => {
    await expect(page.getByText('not live, trying again')).toBeVisible();
    for (let number = 0; number < 3; number += 1) await workplace.die();
  });
  await workplace.letters(4);
  await live(page);
  await expect(page.getByRole('button', { name: '3 new', exact: true })).toBeVisible();
});

test('a page says that the office is away, and catches up when it is back', async ({
  page,
  workplace,
  running,
  faults,
}) => {
  await workplace.die();
  const id = await workplace.letter();
  await running.api.replay([id]);
  await expect.poll(async () => (await running.api.letter(id)).state).toBe('replayed');
  await page.goto(`/letters/${id}`);
  await live(page);
  faults.foreseeAbsence();
  await running.restart(async () => {
    await expect(page.getByText('not live, trying again')).toBeVisible();
    await workplace.reject();
  });
  await live(page);
  await expect(page.getByRole('heading', { level: 1 })).toContainText('Arrived twice');
});
