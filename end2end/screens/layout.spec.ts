// No page is wider than the window: not on a phone, and not on the smallest one that counts.
import { expect, test } from '../fixtures/test';
import { WIDTHS, beyond } from './looks';
import { SCREENS, visit } from './pages';

for (const screen of SCREENS) {
  test(`${screen.name} fits into narrow windows`, async ({ page, running, faults }) => {
    await visit(screen, page, running, faults);
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: 800 });
      expect.soft(await beyond(page), `pixels beyond a window of ${width}`).toBe(0);
    }
  });
}
