// What Lighthouse makes of the pages that people look at most, on a telephone and at a desk. Its package is large, and
// installed for the full tier alone.
import { createServer } from 'node:net';
import { chromium } from '@playwright/test';
import lighthouse, { desktopConfig } from 'lighthouse';
import config from '../playwright.config';
import { expect, test } from '../fixtures/test';
import { SCREENS } from '../screens/pages';

const LEAST = 95;
const CATEGORIES = ['performance', 'accessibility', 'best-practices'] as const;

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as { port: number };
  await new Promise((closed) => server.close(closed));
  return port;
}

for (const name of ['overview', 'letters', 'letter', 'group']) {
  test(`Lighthouse gives ${name} at least ${LEAST}`, async ({ running }) => {
    const screen = SCREENS.find((one) => one.name === name)!;
    const address = new URL(await screen.address(running.api), running.http).href;
    const port = await freePort();
    const { args = [], ...launch } = config.use?.launchOptions ?? {};
    const browser = await chromium.launch({ ...launch, args: [...args, `--remote-debugging-port=${port}`] });
    try {
      for (const [looks, settings] of [['telephone', undefined], ['desk', desktopConfig]] as const) {
        const told = await lighthouse(address, { port, onlyCategories: [...CATEGORIES], logLevel: 'error' }, settings);
        const { categories, audits, runtimeError } = told!.lhr;
        expect(runtimeError, looks).toBeUndefined();
        const lacking = Object.values(audits)
          .filter(({ score }) => score !== null && score < 1)
          .map(({ id, score, displayValue }) => `${id} ${score} ${displayValue ?? ''}`.trim());
        const scores = CATEGORIES.map((category) => Math.round((categories[category]?.score ?? 0) * 100));
        console.log(`${name}, ${looks}: ${CATEGORIES.map((category, at) => `${category} ${scores[at]}`).join(', ')}`);
        const low = CATEGORIES.filter((_, at) => scores[at]! < LEAST);
        expect.soft(low, `${looks}: ${scores.join(', ')}; ${lacking.join('; ')}`).toEqual([]);
      }
    } finally {
      await browser.close();
    }
  });
}
