// clicks.mjs ADDRESS ROUNDS: how long it takes from a click on a link to the first painting of the page that it leads
// to, in Chromium, beside the same on two plain documents with the same rules: the least that this machine takes. A
// link is pointed at for as long as a hand takes to press. Prints JSON: milliseconds by page, and of the floor.
import http from 'node:http';
import { Tab, pause, until } from '../fixtures/tab.mjs';

const [address, rounds] = [process.argv[2], Number(process.argv[3])];
const POINTED_AT_MS = 300;
const RESTS_MS = 700;
const nav = (href) => `.nav a[href="${href}"]`;
const PAGES = {
  Letters: nav('/letters'), Letter: 'main tbody a[href^="/letters/"]', Groups: nav('/groups'), Overview: nav('/'),
  Queues: nav('/queues'), Replays: nav('/replays'),
};
const PAINTED = `performance.timeOrigin + performance.getEntriesByName('first-paint')[0]?.startTime`;
const RULES = '{"prerender":[{"eagerness":"eager","where":{"href_matches":"/*"}}]}';

const times = {};
async function click(tab, name, selector, isCounted) {
  const before = await tab.evaluate('performance.timeOrigin');
  // Away from what is pointed at already.
  await tab.point({ x: 2, y: 2 });
  await tab.hover(selector);
  await pause(POINTED_AT_MS);
  const clicked = await tab.click();
  const painted = await until(name, () => tab.evaluate(`performance.timeOrigin !== ${before} && ${PAINTED}`));
  if (isCounted) (times[name] ??= []).push(painted - clicked);
  await pause(RESTS_MS);
}

const tab = await Tab.open();
try {
  await tab.goto(address);
  // The first time round nothing is in the cache yet.
  for (let round = -1; round < rounds; round += 1)
    for (const [name, selector] of Object.entries(PAGES)) await click(tab, name, selector, round >= 0);

  const server = http.createServer(({ url }, answer) => {
    answer.setHeader('content-type', 'text/html');
    const link = `<a href="${url === '/' ? '/again' : '/'}">And again</a>`;
    answer.end(`<!DOCTYPE html><title>plain</title><script type="speculationrules">${RULES}</script><p>A plain document. ${link}`);
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  await tab.goto(`http://127.0.0.1:${server.address().port}/`);
  for (let round = -1; round < rounds; round += 1) await click(tab, 'floor', 'a', round >= 0);
  server.close();
  server.closeAllConnections();
} finally {
  await tab.close();
}
console.log(JSON.stringify(times));
