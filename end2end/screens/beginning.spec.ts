// An office in which nothing has happened yet teaches how to begin.
import { expect, live, test } from '../fixtures/test';
import { WIDTHS, beyond, looksOf, picture, violations } from './looks';

test.use({ office: 'quiet' });

const BEGINNINGS = [
  {
    address: '/',
    heading: 'No queue is watched yet. Name a dead-letter queue, and its letters are kept here.',
    teaches: 'curl -X POST',
  },
  { address: '/letters', heading: 'Letters', teaches: 'No letter has come yet.' },
  { address: '/groups', heading: 'Groups', teaches: 'A group is one failure' },
  { address: '/replays', heading: 'No replays yet.', teaches: 'plan a replay of them' },
  {
    address: '/sources',
    heading: 'No queue is watched yet. Add one below.',
    teaches: 'Watch another queue',
  },
];

for (const { address, heading, teaches } of BEGINNINGS) {
  test(`${address} teaches how to begin`, async ({ page, looks }) => {
    await page.goto(address);
    await live(page);
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
    await expect(page.getByRole('main')).toContainText(teaches);
    for (const { paper, width, height } of looksOf(looks)) {
      await page.emulateMedia({ colorScheme: paper, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      expect.soft(await violations(page), `on ${paper} paper, ${width} px wide`).toEqual([]);
      await picture(page, `beginning${address.replace('/', '-')}-${width}-${paper}`);
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await beyond(page), `pixels beyond a window of ${width}`).toBe(0);
    }
  });
}

test('the command that teaches is copied by its button', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/');
  await live(page);
  await page.getByRole('button', { name: 'Copy' }).first().click();
  await expect(page.getByRole('button', { name: 'Copied' })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const here = new URL(page.url()).origin;
  expect(copied).toContain(`curl -X POST ${here}/api/v1/sources`);
  expect(copied).toContain('"queue": "orders.dead"');
});
