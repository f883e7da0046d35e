// Every page by the rules of WCAG 2.2 AA as far as a program can tell, on both papers, wide and narrow.
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from '../fixtures/test';
import { LOOKS, SCREENS, visit } from './pages';

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

/** What axe finds, in a form that can be read in a report. */
async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}: ${node.any[0]?.message ?? node.html}`),
  );
}

for (const screen of SCREENS) {
  test(`axe finds no fault in ${screen.name}`, async ({ page, running, faults }) => {
    await visit(screen, page, running, faults);
    for (const { paper, width, height } of LOOKS) {
      await page.emulateMedia({ colorScheme: paper, reducedMotion: 'reduce' });
      await page.setViewportSize({ width, height });
      expect.soft(await violations(page), `on ${paper} paper, ${width} px wide`).toEqual([]);
    }
  });
}
