// A page that is rendered ahead, while somebody points at the link to it, is a page like any other once it is shown.
import { Tab, until } from '../fixtures/tab.mjs';
import { expect, test } from '../fixtures/test';

// What moves between two pages, asked of the next one when it is shown for the first time.
const HEARS = `addEventListener('pagereveal', ({ viewTransition }) =>
  viewTransition?.ready.then(() => {
    self.moved = document.getAnimations().map(({ effect }) => effect.pseudoElement).filter((name) => /group/.test(name));
  }));`;
// Why nothing moves when the page is left, kept for the next one.
const LEAVES = `addEventListener('pageswap', ({ viewTransition }) =>
  viewTransition.ready.catch(({ name }) => sessionStorage.setItem('skipped', name)));`;
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

test('between the pages of the navigation the rule under the name moves, elsewhere nothing', async ({ running, workplace }) => {
  await workplace.die();
  await workplace.letter();
  const tab = await Tab.open();
  try {
    await tab.goto(`${running.http}/groups`);
    await tab.hover('.nav a[href="/letters"]');
    await until('the letters, ahead', () => tab.ahead && tab.evaluate(`document.readyState === 'complete'`, tab.ahead));
    await tab.evaluate(HEARS, tab.ahead);
    await tab.click();
    await until('the letters', () => tab.evaluate(`location.pathname === '/letters'`));
    expect(await until('what moved', () => tab.evaluate('self.moved'))).toEqual(['::view-transition-group(current-page)']);

    await tab.evaluate(LEAVES);
    await tab.hover('main tbody a[href^="/letters/"]');
    await tab.click();
    await until('the letter', () => tab.evaluate(`/^\\/letters\\/./.test(location.pathname)`));
    expect(await until('no transition', () => tab.evaluate(`sessionStorage.getItem('skipped')`))).toBe('AbortError');
  } finally {
    await tab.close();
  }
});
