// No page is wider than the window: not on a phone, and not on the smallest one that counts.
import { expect, test } from '../fixtures/test';
import { SCREENS, visit } from './pages';

for (const screen of SCREENS) {
  test(`${screen.name} fits into narrow windows`, async ({ page, running, faults }) => {
    await visit(screen, page, running, faults);
    for (const width of [1440, 768, 390, 320]) {
      await page.setViewportSize({ width, height: 800 });
      const beyond = await page.evaluate(() => {
        const { clientWidth, scrollWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      expect.soft(beyond, `pixels beyond a window of ${width}`).toBe(0);
    }
  });
}
