// A page that is rendered ahead, while somebody points at the link to it, is a page like any other once it is shown.
import { Tab, until } from '../fixtures/tab.mjs';
import { expect, test } from '../fixtures/test';

const LISTENS = `document.querySelector('.live').dataset.live === 'true'`;

test('a page is rendered ahead, and listens and is of now once it is shown', async ({ running, workplace }) => {
  const tab = await Tab.open();
  try {
    await tab.goto(`${running.http}/groups`);
    await until('the groups, live', () => tab.evaluate(LISTENS));
    await tab.hover('.nav a[href="/letters"]');
    await until('the letters, ahead', () => tab.ahead && tab.evaluate(`document.readyState === 'complete'`, tab.ahead));
    expect(await tab.evaluate('document.prerendering && location.pathname', tab.ahead)).toBe('/letters');
    expect(await tab.evaluate(LISTENS, tab.ahead)).toBe(false);

    // Meanwhile a letter comes, and another paper is chosen.
    await workplace.die();
    await workplace.letter();
    await tab.evaluate(`localStorage.setItem('theme', 'dark')`);

    await tab.click();
    await until('the letters', () => tab.evaluate(`location.pathname === '/letters'`));
    await until('the letters, live', () => tab.evaluate(LISTENS));
    expect(await tab.evaluate(`performance.getEntriesByType('navigation')[0].activationStart`)).toBeGreaterThan(0);
    expect(await tab.evaluate('document.documentElement.dataset.theme')).toBe('dark');
    await until('the letter', () => tab.evaluate(`/\\d new/.test(document.body.innerText)`));
  } finally {
    await tab.close();
  }
});
