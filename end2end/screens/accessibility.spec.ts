// Every page by the rules of WCAG 2.2 AA, on both papers, wide and narrow.
import { expect, test } from '../fixtures/test';
import { LOOKS, violations } from './looks';
import { SCREENS, visit } from './pages';

for (const screen of SCREENS) {
  test(`axe finds no fault in ${screen.name}`, async ({ page, running, faults }) => {
    await visit(screen, page, running, faults);
    for (const { paper, width, height } of LOOKS) {
      await page.emulateMedia({ colorScheme: paper, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      await screen.settle?.(page);
      expect.soft(await violations(page), `on ${paper} paper, ${width} px wide`).toEqual([]);
    }
  });
}
