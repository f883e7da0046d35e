// The whole story of a fleet: a worker dies, its work dies, the office says so, the worker is back, and
// all work is done.
import type { Page } from '@playwright/test';
import type { Office } from '../fixtures/office';
import { section } from '../fixtures/list';
import { expect, live, test } from '../fixtures/test';

test.use({ office: 'staffed' });

const WORKER = 'attune-worker-7';
const QUEUE = 'worker.7.executions';
const sentence = (page: Page) => page.getByRole('heading', { level: 1 });

/** Turns the switch of the fleet: `fixed` has the worker come to work, `broken` kills it. */
const turn = (running: Office, word: 'fixed' | 'broken') =>
  running.broker.publish('fleet.switch', Buffer.from(word), {});

/** Hands executions to the worker, as an executor does: each is reported first. */
async function handOut(running: Office, ids: string[], maxAttempts: number): Promise<void> {
  await running.api.report(
    ...ids.map((id) => ({ id, state: 'scheduled', worker: WORKER, max_attempts: maxAttempts })),
  );
  for (const id of ids) {
    const payload = { execution_id: id, action_ref: 'core.echo', attempt: 1 };
    const body = { message_type: 'ExecutionRequested', payload };
    await running.broker.publish(QUEUE, Buffer.from(JSON.stringify(body)), {
      content_type: 'application/json',
      type: 'ExecutionRequested',
      message_id: id,
    });
  }
}

/** Waits until all of these are in this state, and were ended by this. */
async function untilAll(running: Office, ids: string[], state: string, by: string | null = null): Promise<void> {
  for (const id of ids) {
    await expect
      .poll(async () => {
        const found = await running.api.execution(id);
        return [found.state, found.failed_by];
      }, { message: id })
      .toEqual([state, by]);
  }
}

/** Goes to the page of the worker until it says this. */
async function workerSays(page: Page, words: string | RegExp): Promise<void> {
  await expect(async () => {
    await page.goto(`/workers/${WORKER}`);
    await expect(sentence(page)).toHaveText(words, { timeout: 1_000 });
  }).toPass();
}

/** The worker was found silent after three heartbeats that did not come, and soon after the third. */
async function isFoundInTime(running: Office): Promise<void> {
  const { interval_ms: interval, downtimes } = await running.api.worker(WORKER);
  const [last] = downtimes;
  const found = Date.parse(last!.found_at) - Date.parse(last!.since);
  expect(found).toBeGreaterThanOrEqual(3 * interval);
  expect(found).toBeLessThan(3 * interval + 10_000);
}

/** The axis of a worker's page tells its silence; its queue has a page from which nothing is hidden. */
async function looksForTheCause(page: Page, running: Office): Promise<void> {
  await page.goto(`/workers/${WORKER}`);
  const axis = section(page, 'Silence, queues and deaths');
  await expect(axis.getByRole('listitem').filter({ hasText: WORKER }).first()).toContainText('silent');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Queues' }).click();
  await expect(section(page, 'Topology')).toBeVisible();
  await expect(section(page, 'Queues').getByRole('row')).not.toHaveCount(0);
  const queue = (await running.api.queues()).find(({ name }) => name === QUEUE);
  await page.goto(`/queues/${queue!.broker}/%2F/${QUEUE}`);
  await expect(sentence(page)).toContainText(`${QUEUE}: dead letters go to`);
  await expect(section(page, 'Dead-lettering')).toBeVisible();
}

test('a worker dies, its executions fail or move on, and all are done once it is back', async ({ page, running }) => {
  test.setTimeout(300_000);
  const run = `story-${Date.now()}`;
  const some = (word: string, count: number) => Array.from({ length: count }, (_, number) => `${run}-${word}-${number}`);
  const [early, single, twice] = [some('early', 3), some('single', 6), some('twice', 2)];

  // The worker is there, and does its work.
  await turn(running, 'fixed');
  await workerSays(page, new RegExp(`^${WORKER} is at work\\.`));
  await handOut(running, early, 1);
  await untilAll(running, early, 'completed');

  // It dies, and is found silent.
  await turn(running, 'broken');
  await workerSays(page, new RegExp(`^${WORKER} has been silent for`));
  await isFoundInTime(running);
  await handOut(running, single, 1);
  await handOut(running, twice, 2);

  // What was handed to it expires: the handler fails what has no attempt left, and moves the rest on.
  await untilAll(running, single, 'failed', 'dead_letter_handler');
  await untilAll(running, twice, 'completed');
  for (const id of twice) {
    const moved = await running.api.execution(id);
    expect(moved.attempt).toBe(2);
    expect(moved.worker).not.toBe(WORKER);
  }

  // The first page says what may be why, and leads to the worker.
  await page.goto('/');
  await section(page, 'Causes').getByRole('link', { name: /^\d+ stale workers?$/ }).click();
  // The list says it of the only one that is silent, with what that cost.
  await expect(sentence(page)).toHaveText(
    new RegExp(`^${WORKER} has been silent for .+\\. \\d+ letters? that died in its queue waits?\\..* \\d+ others? (is|are) at work\\.$`),
  );
  await page.locator('tr a[href^="/workers/"]').filter({ hasText: WORKER }).click();
  await expect(sentence(page)).toContainText(`${WORKER} has been silent for`);
  await expect(page.getByRole('row').filter({ hasText: 'still away' })).toHaveCount(1);

  // From the group of its letters to the worker, an execution, and that one's letter.
  const [letter] = (await running.api.letters(`execution:${single[0]}`)).items;
  const group = letter!.group_id!;
  await page.goto(`/groups/${group}`);
  const behind = section(page, 'Workers and executions behind them');
  await expect(behind.getByRole('link', { name: WORKER })).toHaveAttribute('href', `/workers/${WORKER}`);
  await behind.locator('a[href^="/executions/"]').first().click();
  await expect(sentence(page)).toHaveText(/^(Failed|Completed|Running|Assigned)/);
  await page.goto(`/executions/${single[0]}`);
  await expect(sentence(page)).toHaveText(`Failed on worker ${WORKER}.`);
  await expect(page.getByText('its message expired in the queue').first()).toBeVisible();
  await section(page, 'Its dead letters').getByRole('listitem').getByRole('link').click();
  await expect(page).toHaveURL(new RegExp(`/letters/${letter!.id}$`));
  await expect(page.getByRole('link', { name: single[0], exact: true }).first()).toBeVisible();
  await page.getByRole('link', { name: WORKER, exact: true }).first().click();
  await expect(sentence(page)).toContainText(`${WORKER} has been silent for`);
  await page.getByRole('link', { name: 'its executions' }).click();
  await expect(page.getByRole('row').filter({ hasText: single[0]! })).toHaveCount(1);

  await looksForTheCause(page, running);

  // One that cannot wait goes to another worker, which does it.
  const [urgent] = (await running.api.letters(`execution:${single[5]}`)).items;
  const { worker: other } = await running.api.execution(twice[0]!);
  const sent = await running.api.replay([urgent!.id], { target: { mode: 'worker', worker: other } });
  await untilAll(running, [single[5]!], 'completed');
  expect((await running.api.execution(single[5]!)).worker).toBe(other);
  await page.goto(`/replays/${sent.id}`);
  await expect(page.locator('.meta .state', { hasText: 'finished' })).toBeVisible();

  // It is back; what waits in the group is replayed, and all of it is done.
  await turn(running, 'fixed');
  await workerSays(page, new RegExp(`^${WORKER} is at work\\.`));
  await expect(page.getByText('still away')).toHaveCount(0);
  await page.goto(`/groups/${group}`);
  await page.getByRole('link', { name: /^Plan a replay of [\d,]+ letters/ }).click();
  await page.getByRole('button', { name: /^Replay [\d,]+ letters to the queues they died in/ }).click();
  await expect(page).toHaveURL(/\/replays\/[0-9a-f-]{36}$/);
  await live(page);
  await expect(page.locator('.meta .state', { hasText: 'finished' })).toBeVisible();
  await untilAll(running, single, 'completed');
  await expect(section(page, /^Outcomes of the/)).toContainText('Return rate 0.0 %');
  await page.goto(`/groups/${group}`);
  await expect(sentence(page)).toContainText(/^No letter of this group waits/);
  await page.goto(`/executions/${single[0]}`);
  await expect(sentence(page)).toHaveText(`Completed on worker ${WORKER}.`);
  await expect(page.getByText('attempt 2 of 2')).toBeVisible();
});
