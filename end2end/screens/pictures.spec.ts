// Pictures of every page, to be looked at by people: test-results/screens. With
// UPDATE_DOC_IMAGES=1 those of the README are taken again.
import path from 'node:path';
import { expect, test } from '../fixtures/test';
import { LOOKS, picture } from './looks';
import { SCREENS, visit } from './pages';

const DOCS = path.resolve(__dirname, '../../docs/images');
const IN_DOCS = ['letters', 'overview'];

for (const screen of SCREENS) {
  test(`${screen.name} has its picture taken`, async ({ page, running, faults }) => {
    await visit(screen, page, running, faults);
    const ours = await page.evaluate(async () => (await document.fonts.ready).check('14px "IBM Plex Sans"'));
    expect(ours, 'our own fonts are there').toBe(true);
    for (const { paper, width, height } of LOOKS) {
      await page.emulateMedia({ colorScheme: paper });
      await page.setViewportSize({ width, height });
      const bytes = await picture(page, `${screen.name}-${width}-${paper}`);
      expect(bytes, 'bytes of the picture').toBeGreaterThan(10_000);
      if (process.env.UPDATE_DOC_IMAGES === '1' && IN_DOCS.includes(screen.name) && width > 1000 && paper === 'light') {
        await page.screenshot({ path: path.join(DOCS, `${screen.name}.png`), animations: 'disabled' });
      }
    }
  });
}
