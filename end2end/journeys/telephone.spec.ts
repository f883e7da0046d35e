// On call with a telephone: the list stays readable while letters are selected, and a letter tells
// what matters first.
import { pick, rows, section } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';
import { violations } from '../screens/looks';

test.use({ viewport: { width: 390, height: 844 }, hasTouch: true });

test('the bar of the selected letters is one row, covers none of theirs, and holds the rest in a sheet', async ({
  page,
  workplace,
  running,
}) => {
  await workplace.dieTogether(15);
  await workplace.letters(15);
  await page.goto(workplace.list());
  await live(page);
  await pick(page, 'error 15');
  await pick(page, 'error 14');
  const bar = page.getByRole('group', { name: 'The selected letters' });
  expect((await bar.boundingBox())!.height, 'pixels of the bar').toBeLessThan(80);
  await expect(bar.getByRole('button', { name: 'Plan a replay of 2 letters…' })).toBeInViewport();

  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  const last = (await rows(page).last().boundingBox())!;
  expect(last.y + last.height, 'where the last row ends').toBeLessThanOrEqual((await bar.boundingBox())!.y);

  const reason = page.getByRole('textbox', { name: 'Reason for the discard' }).first();
  await expect(reason).toBeHidden();
  await bar.getByRole('button', { name: 'More…' }).click();
  await expect(reason).toBeVisible();
  for (const paper of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: paper, reducedMotion: 'reduce' });
    expect.soft(await violations(page), `on ${paper} paper`).toEqual([]);
  }
  await reason.fill('from the sofa');
  await page.getByRole('button', { name: 'Discard 2 letters' }).click();
  await expect(page.getByText('2 letters discarded.')).toBeVisible();
  await expect(bar).toBeHidden();
  expect((await running.api.letters(`source:${workplace.source} state:discarded`)).items).toHaveLength(2);
});

test('what happened to a letter stands before its payload, and both before its headers', async ({ page, workplace }) => {
  await workplace.die({ headers: { 'x-error': 'amount is negative' } });
  await page.goto(`/letters/${await workplace.letter()}`);
  const names = ['What happened', 'Payload', 'Headers', 'Properties', 'Audit'];
  for (const name of names) await expect(section(page, name)).toBeVisible();
  // At one moment: what came in meanwhile moves them.
  const headings = await page.locator('main h2').evaluateAll((all) =>
    all.map((one) => ({ name: one.textContent.trim(), top: one.getBoundingClientRect().top })),
  );
  const downwards = headings.sort((one, other) => one.top - other.top).map(({ name }) => name);
  expect(downwards.filter((name) => names.includes(name))).toEqual(names);
});
