// Every page as it is looked at, on the company's lively office.
import type { Page } from '@playwright/test';
import type { Api } from '../fixtures/api';
import type { Faults } from '../fixtures/faults';
import type { Office } from '../fixtures/office';
import { live } from '../fixtures/test';

/** A page to look at. */
export interface Screen {
  /** What pictures of it are called. */
  name: string;
  /** Its address, once it is known what there is. */
  address(api: Api): Promise<string> | string;
  /** What is done on the page before it is looked at. */
  prepare?(page: Page): Promise<void>;
  /** What is done each time that the window has changed. */
  settle?(page: Page): Promise<void>;
  /** An answer that is not 200. */
  status?: number;
}

async function first(api: Api, filter: string): Promise<string> {
  const { items } = await api.letters(filter);
  if (items[0] === undefined) throw new Error(`the company has no letter for ${filter}`);
  return `/letters/${items[0].id}`;
}

/** The largest replay; one is made when there is none. */
async function replay(api: Api): Promise<string> {
  const { items } = await api.replays();
  const largest = items.sort((a, b) => b.total - a.total)[0];
  if (largest !== undefined) return `/replays/${largest.id}`;
  const held = (await api.letters('state:held')).items.slice(0, 40);
  return `/replays/${(await api.replay(held.map(({ id }) => id))).id}`;
}

/** The group with the most letters. */
async function group(api: Api): Promise<string> {
  const { items } = await api.groups();
  const largest = items.sort((a, b) => b.letters - a.letters)[0];
  if (largest === undefined) throw new Error('the company has no group');
  return `/groups/${largest.id}`;
}

/** Executions of every kind: the address of one that can still be ended. */
async function execution(api: Api): Promise<string> {
  const worker = 'worker-7.eu-north-1';
  const error = 'The ledger did not answer within 30 s, and the invoice was not written';
  const long = `nightly/invoices-${'2026-11-22.'.repeat(12)}`;
  await api.report(
    ...['requested', 'scheduling', 'completed', 'cancelled', 'timed_out'].map((state) => ({ id: `screen-${state}`, state })),
    { id: 'screen-failed', state: 'failed', worker, error, result: { error, rows: [1, 2] } },
    { id: long, state: 'scheduled', worker, max_attempts: 3 },
  );
  return `/executions/${encodeURIComponent(long)}`;
}

/** A rule that came with the product. */
async function rule(api: Api): Promise<string> {
  const [first] = await api.rules('severity');
  if (first === undefined) throw new Error('there is no rule');
  return `/rules/${first.id}`;
}

/** The worst alert; the company always has one. */
async function alert(api: Api): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const [worst] = await api.alerts();
    if (worst !== undefined) return `/alerts/${worst.id}`;
    await new Promise((wake) => setTimeout(wake, 500));
  }
  throw new Error('nothing fires');
}

/** A worker that says all that one can say. */
async function worker(api: Api): Promise<string> {
  const said = { interval_seconds: 3600, queue: 'worker.1.executions', version: '2.3.1', running: 3, capacity: 16, metadata: { zone: 'fra' } };
  await api.heartbeat('shown-worker-1', said);
  return '/workers/shown-worker-1';
}

/** A queue; there is one as soon as the broker was read. */
async function queue(api: Api): Promise<string> {
  for (let tries = 0; tries < 100; tries += 1) {
    const [first] = await api.queues();
    if (first !== undefined) return `/queues/${first.broker}/%2F/${encodeURIComponent(first.name)}`;
    await new Promise((wake) => setTimeout(wake, 500));
  }
  throw new Error('the broker was not read');
}

/** All pages, and the states of them that look different. */
export const SCREENS: Screen[] = [
  { name: 'overview', address: () => '/' },
  { name: 'overview-week', address: () => '/?span=7d' },
  { name: 'letters', address: () => '/letters' },
  {
    name: 'letters-checked',
    address: () => '/letters?state=held',
    prepare: async (page) => {
      const boxes = page.getByRole('table').locator('tbody').getByRole('checkbox');
      await boxes.nth(1).check();
      await boxes.nth(3).check();
      await page.getByText(/^With all/).click();
    },
    // There the bar has its own place, and covers no row.
    settle: (page) => page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight)),
  },
  { name: 'letters-fault', address: () => '/letters?q=state:held+severity:lo' },
  { name: 'letters-none', address: () => '/letters?queue=nobody.*' },
  { name: 'letter', address: (api) => first(api, 'reason:rejected state:held') },
  { name: 'letter-text', address: async (api) => `${await first(api, 'reason:rejected state:held')}?view=text` },
  { name: 'letter-hex', address: async (api) => `${await first(api, 'reason:expired state:held')}?view=hex` },
  { name: 'letter-edit', address: async (api) => `${await first(api, 'reason:rejected state:held')}/edit` },
  { name: 'letter-edit-hex', address: async (api) => `${await first(api, 'reason:rejected state:held')}/edit?as=hex` },
  { name: 'groups', address: () => '/groups' },
  { name: 'groups-merging', address: async (api) => (await group(api)).replace('/groups/', '/groups?merge=') },
  { name: 'groups-none', address: () => '/groups?state=regressed' },
  { name: 'group', address: group },
  { name: 'group-mute', address: group, prepare: (page) => page.getByText('Mute…', { exact: true }).click() },
  { name: 'replays', address: async (api) => ((await replay(api)) ? '/replays' : '') },
  { name: 'replay', address: replay },
  { name: 'replay-new', address: () => '/replays/new?scope=matching&q=state:held' },
  { name: 'replay-new-jq', address: () => '/replays/new?scope=matching&q=state:held&jq=.mended+%3D+true' },
  { name: 'rules', address: () => '/rules' },
  {
    name: 'rules-delete',
    address: () => '/rules',
    prepare: (page) => page.getByText('Delete…', { exact: true }).first().click(),
  },
  { name: 'rule', address: rule },
  { name: 'rule-new', address: () => '/rules/new?sort=severity' },
  { name: 'rule-grouping', address: () => '/rules/new?sort=masks&name=Hosts&filter=reason:rejected&verdict=host-%5Cd%2B&look=yes' },
  { name: 'rule-fault', address: () => '/rules/new?sort=severity&name=a&verdict=high&look=yes&filter=queue:a+severity:lo' },
  { name: 'retries', address: () => '/rules/retries' },
  {
    name: 'retry-policy-new',
    address: () => '/rules/retries/new?name=Timeouts&filter=error_class:*Timeout*&verdict=retry&delays=10s+100s&jitter=20&budget=600&look=yes',
  },
  { name: 'alerts', address: () => '/alerts' },
  { name: 'alert', address: alert },
  { name: 'alert-mute', address: async (api) => `${await alert(api)}?do=mute` },
  { name: 'alerts-history', address: () => '/alerts/history' },
  { name: 'alert-rules', address: () => '/alerts/rules' },
  { name: 'alert-rule', address: async (api) => `/alerts/rules/${(await api.alertRules())[0]!.id}` },
  {
    name: 'alert-rule-new',
    address: () => '/alerts/rules/new?written=yes&preview=yes&name=Mail+dies&filter=queue%3A*&measure=count&window=10m&limit=1&pending=0&clearing=1m&repeat=4h&enabled=yes',
  },
  { name: 'silences', address: () => '/alerts/silences' },
  { name: 'channels', address: () => '/alerts/channels' },
  { name: 'schemas', address: () => '/schemas' },
  { name: 'channel-new', address: () => '/alerts/channels/new' },
  { name: 'workers', address: () => '/workers' },
  { name: 'workers-stale', address: () => '/workers?state=stale' },
  { name: 'worker', address: worker },
  { name: 'executions', address: async (api) => ((await execution(api)) ? '/executions' : '') },
  { name: 'executions-none', address: () => '/executions?tab=stuck&worker=nobody' },
  { name: 'execution', address: execution },
  { name: 'execution-failed', address: async (api) => ((await execution(api)) ? '/executions/screen-failed' : '') },
  { name: 'queues', address: async (api) => ((await queue(api)) ? '/queues' : '') },
  { name: 'queue', address: queue },
  { name: 'queue-plan', address: async (api) => `${await queue(api)}?to=nowhere.dead&look=plan` },
  { name: 'sources', address: () => '/sources' },
  { name: 'palette', address: () => '/letters', prepare: (page) => page.keyboard.press('Control+k') },
  { name: 'keys', address: () => '/letters', prepare: (page) => page.keyboard.press('?') },
  { name: 'not-found', address: () => '/nowhere', status: 404 },
  { name: 'no-such-rule', address: () => '/rules/01900000-0000-7000-8000-999999999999', status: 404 },
  { name: 'no-such-group', address: () => '/groups/01900000-0000-7000-8000-000000000000', status: 404 },
  { name: 'no-such-letter', address: () => '/letters/01900000-0000-7000-8000-000000000000', status: 404 },
];

/** Opens a page and makes it ready to be looked at. */
export async function visit(screen: Screen, page: Page, office: Office, faults: Faults): Promise<void> {
  const address = await screen.address(office.api);
  if (screen.status !== undefined) {
    faults.foresee(screen.status, new URL(address, office.http).pathname);
  }
  await page.goto(address);
  await live(page);
  await screen.prepare?.(page);
}
