// How a page is looked at: by axe, by a ruler, and by a camera.
import path from 'node:path';
import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import type { Options } from '../fixtures/test';

/** How people look at pages. */
const LOOKS = (['light', 'dark'] as const).flatMap((paper) =>
  [1440, 390].map((width) => ({ paper, width, height: width > 1000 ? 900 : 844 })),
);

/** The looks that a project asks for. */
export function looksOf(looks: Options['looks']): typeof LOOKS {
  return looks === 'all' ? LOOKS : LOOKS.slice(0, 1);
}

/** The narrowest is the smallest telephone that counts. */
export const WIDTHS = [1440, 768, 390, 320];

const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
const PICTURES = path.resolve(__dirname, '../test-results/screens');

/** What breaks WCAG 2.2 AA as far as a program can tell, in a form that can be read in a report. */
export async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).withTags(RULES).analyze();
  return found.flatMap(({ id, help, nodes }) =>
    nodes.map((node) => `${id}: ${help}: ${node.target.join(' ')}: ${node.any[0]?.message ?? node.html}`),
  );
}

/** By how many pixels the page is wider than its window. */
export function beyond(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { clientWidth, scrollWidth } = document.documentElement;
    return scrollWidth - clientWidth;
  });
}

/** Takes a picture of the whole page; gives its size in bytes. */
export async function picture(page: Page, name: string): Promise<number> {
  const file = path.join(PICTURES, `${name}.png`);
  return (await page.screenshot({ path: file, fullPage: true, animations: 'disabled' })).length;
}
