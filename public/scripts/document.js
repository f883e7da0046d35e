// A document is as it was when it was read. When something happens that it shows, it is asked for again, and what
// is different takes the place of what is there: focus, what is unfolded and where one reads stay.
import './forms.js';
import { FIELD, isWritten } from './fields.js';
import { parsed, show, showings } from './morph.js';
import './ages.js';
import './keys.js';
import './palette.js';
import './theme.js';

// At most so often, in milliseconds; and so often at least, since ages grow and figures change untold.
const [MOST, LEAST] = [2_000, 10_000];
// How long several events are waited for: they often come together.
const TOGETHER = 200;

// Every document shows what is not well and what fires; the rest each names in its head.
const named = document.querySelector('meta[name="watches"]')?.content.split(' ') ?? [];
const watched = new Set(['missed', 'source', 'alerts', ...named]);
const mark = document.querySelector('.live');

function say(isLive) {
  if (!mark) return;
  mark.dataset.live = String(isLive);
  mark.textContent = isLive ? 'live' : 'not live, trying again';
}

// Whether somebody presses something, writes, or has unfolded a form. One that is a page of its own is never written over: what
// stands in it may have been copied elsewhere.
const isInUse = (main) =>
  main.matches(':active') ||
  main.querySelector(`[data-still], .steady:hover, details[open] form ${FIELD}, form ${FIELD}:focus`) !== null ||
  [...main.querySelectorAll(FIELD)].some(isWritten);

const isKept = (shown) => shown.matches?.('[data-kept]');
const isChecked = (shown) => shown.matches?.('.pick input:checked');

// What is kept is read again only when somebody asks for it.
async function refresh(isAsked = false) {
  const main = document.querySelector('main');
  if (!isAsked && (document.hidden || isInUse(main))) return;
  const before = showings;
  const start = performance.now();
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  // What is gone says so in a page of its own; of an office that cannot answer what is shown stays.
  if (answer.status >= 500) throw new Error(`${answer.status}`);
  const next = parsed(await answer.text());
  // Somebody may have begun to write meanwhile.
  if (!isAsked && isInUse(main)) return;
  // What a form led to meanwhile is newer.
  if (showings !== before) return soon();
  show(next, start, isAsked ? isChecked : isKept);
  say(stream.readyState === EventSource.OPEN);
}

let awaited = 0;
let last = 0;
let reading = Promise.resolve();
function soon() {
  awaited ||= setTimeout(() => {
    // One after the other. What happens while a page is read leads to another reading.
    reading = reading.then(() => {
      awaited = 0;
      last = Date.now();
      return refresh().catch(() => say(false));
    });
  }, Math.max(TOGETHER, last + MOST - Date.now()));
}

let stream;
let wasOpen = false;
function listen() {
  stream?.close();
  stream = new EventSource('/events');
  stream.onopen = () => {
    if (wasOpen) hear('{"type":"missed"}');
    wasOpen = true;
    dispatchEvent(new Event('dlo:open'));
    say(true);
  };
  stream.onerror = () => {
    say(false);
    // A browser tries again by itself, but for an answer that is no stream.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 5_000);
  };
  stream.onmessage = ({ data }) => hear(data);
}

function hear(data) {
  dispatchEvent(new CustomEvent('dlo:live', { detail: data }));
  if (watched.has(JSON.parse(data).type)) soon();
}

// A page that is rendered ahead of a click listens once it is shown, and may be old by then.
if (document.prerendering) {
  document.addEventListener('prerenderingchange', () => {
    listen();
    soon();
  });
} else listen();

// The rule under the name of the current page moves to the next one's. Elsewhere a transition would only take time.
addEventListener('pageswap', ({ viewTransition, activation }) => {
  const isNamed = [...document.querySelectorAll('.nav a')].some(({ href }) => href === activation?.entry.url);
  if (isNamed || !viewTransition) return;
  // That it was skipped is no fault to whoever comes back to a page that was kept.
  viewTransition.ready.catch(() => {});
  viewTransition.skipTransition();
});

// Who comes back finds the page as it was left, and then what has happened since. A page with an open stream is kept
// by no browser.
addEventListener('pagehide', () => stream?.close());
addEventListener('pageshow', ({ persisted }) => persisted && listen());

// A page that was asked for before somebody came to it, or that a browser had kept, may be old.
const { type, deliveryType } = performance.getEntriesByType('navigation')[0] ?? {};
if (type === 'back_forward' || deliveryType) soon();

document.addEventListener('visibilitychange', soon);
addEventListener('dlo:read-again', () => {
  const newest = new URL(location.href);
  for (const name of ['cursor', 'newer']) newest.searchParams.delete(name);
  // The newest are on the first page.
  if (newest.href === location.href) refresh(true).catch(() => say(false));
  else location.assign(newest);
});
setInterval(soon, LEAST);
