// Every page as it is looked at, opened once: by the rules of WCAG 2.2 AA on both papers, wide and narrow; by
// a ruler, for no page may be wider than its window, not on the smallest telephone that counts; and by a
// camera, for people: test-results/screens. With UPDATE_DOC_IMAGES=1 those of the README are taken again.
import path from 'node:path';
import { expect, test } from '../fixtures/test';
import { WIDTHS, beyond, looksOf, picture, violations } from './looks';
import { SCREENS, visit } from './pages';

const DOCS = path.resolve(__dirname, '../../docs/images');
const IN_DOCS = process.env.UPDATE_DOC_IMAGES === '1' ? ['letters', 'overview'] : [];
const CAUSE_SHOWN_WITHIN_MS = 150_000;

for (const screen of SCREENS) {
  test(`axe finds no fault in ${screen.name}, it fits into narrow windows and has its picture taken`, async ({
    page,
    running,
    faults,
    looks,
  }) => {
    if (IN_DOCS.includes(screen.name)) {
      test.setTimeout(2 * CAUSE_SHOWN_WITHIN_MS);
      await page.goto(running.http);
      await expect(page.getByRole('heading', { level: 1 })).toContainText('silent for', { timeout: CAUSE_SHOWN_WITHIN_MS });
    }
    await visit(screen, page, running, faults);
    const ours = await page.evaluate(async () => (await document.fonts.ready).check('14px "IBM Plex Sans"'));
    expect(ours, 'our own fonts are there').toBe(true);
    const ids = await page.locator('[id]').evaluateAll((places) => places.map(({ id }) => id));
    const twice = ids.filter((id, at) => ids.indexOf(id) !== at);
    expect.soft(twice, 'ids that stand twice: an open page would be put together wrongly').toEqual([]);
    const rows = page.locator('main :is(tr, li):not([id], :has(tr, li)):has(a, button[type="submit"])');
    expect.soft(await rows.allTextContents(), 'rows that change their links and buttons when they change places').toEqual([]);
    const islands = await page.locator('leptos-island').count();
    const programs = await page.evaluate(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.wasm')).length,
    );
    expect.soft(programs > 0, 'a page loads WebAssembly where it has islands, and nowhere else').toBe(islands > 0);
    for (const { paper, width, height } of looksOf(looks)) {
      await page.emulateMedia({ colorScheme: paper, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      await screen.settle?.(page);
      expect.soft(await violations(page), `on ${paper} paper, ${width} px wide`).toEqual([]);
      const bytes = await picture(page, `${screen.name}-${width}-${paper}`);
      expect(bytes, 'bytes of the picture').toBeGreaterThan(10_000);
      if (IN_DOCS.includes(screen.name) && width > 1000 && paper === 'light') {
        await page.screenshot({ path: path.join(DOCS, `${screen.name}.png`), animations: 'disabled' });
      }
    }
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await beyond(page), `pixels beyond a window of ${width}`).toBe(0);
    }
  });
}
