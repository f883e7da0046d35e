// clicks.mjs ADDRESS ROUNDS: how long it takes from a click on a link to the first painting of the page that it leads
// to, in Chromium, beside the same on two plain documents: the least that this machine takes. A link is pointed at for
// as long as a hand takes to press. Prints JSON: milliseconds by page, and of the floor.
import http from 'node:http';
import { chromium } from '@playwright/test';

const [address, rounds] = [process.argv[2], Number(process.argv[3])];
const POINTED_AT_MS = 300;
const PAGES = ['Letters', 'Groups', 'Overview', 'Queues', 'Replays'];

const browser = await chromium.launch({
  executablePath: process.env.DLO_CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});

async function opened() {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => {
    const note = ({ timeStamp }) => sessionStorage.setItem('clicked', String(performance.timeOrigin + timeStamp));
    addEventListener('click', note, { capture: true });
  });
  return page;
}

async function click(page, link) {
  await link.hover();
  await page.waitForTimeout(POINTED_AT_MS);
  await Promise.all([page.waitForEvent('load'), link.click()]);
  return page.evaluate(async () => {
    const painted = await new Promise((resolve) => {
      new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime)).observe({ type: 'paint', buffered: true });
    });
    return performance.timeOrigin + painted - Number(sessionStorage.getItem('clicked'));
  });
}

const times = { floor: [] };
const page = await opened();
await page.goto(address);
for (let round = -1; round < rounds; round += 1) {
  for (const name of PAGES) {
    const took = await click(page, page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name }));
    // The first time round nothing is in the cache yet.
    if (round >= 0) (times[name] ??= []).push(took);
  }
}
await page.close();

const plain = '<!DOCTYPE html><title>plain</title><p>A plain document. <a href="/">And again</a>';
const server = http.createServer((_, answer) => {
  answer.setHeader('content-type', 'text/html');
  answer.end(plain);
});
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const bare = await opened();
await bare.goto(`http://127.0.0.1:${server.address().port}/`);
for (let round = -1; round < rounds; round += 1) {
  const took = await click(bare, bare.getByRole('link'));
  if (round >= 0) times.floor.push(took);
}
await browser.close();
server.close();
console.log(JSON.stringify(times));
