// A document is as it was when it was read. When something happens that it shows, it is asked for again, and what
// is different takes the place of what is there: focus, what is unfolded and where one reads stay.
import { Idiomorph } from './idiomorph.js';

const PLACES = ['.bell', '.banners', 'main'];
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

// Whether a field holds something else than the page came with.
function isWritten(field) {
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected) && field.selectedIndex > 0;
  return field.value !== field.defaultValue;
}

const FIELD = ':is(input:not([type="hidden"]), select, textarea)';

// Whether somebody writes, or has unfolded a form. One that is a page of its own is never written over: what
// stands in it may have been copied elsewhere.
const isInUse = (main) =>
  main.querySelector(`[data-still], details[open] form ${FIELD}, form ${FIELD}:focus`) !== null ||
  [...main.querySelectorAll(FIELD)].some(isWritten);

// What somebody unfolded or folded stays so.
const keepsFold = (name, element) => !(name === 'open' && element.localName === 'details');

// Marks what is different now, but for ages and drawings.
function markChanges(changes) {
  const places = changes.map(({ target }) => (target.nodeType === Node.TEXT_NODE ? target.parentElement : target));
  const shown = places.filter((place) => place?.isConnected && !place.closest('time, svg, option'));
  for (const place of new Set(shown.map((one) => one.closest('td, th, dd, li, p, h1, h2, h3')))) {
    if (!place) continue;
    place.classList.add('is-new');
    place.addEventListener('animationend', () => place.classList.remove('is-new'), { once: true });
  }
}

async function refresh() {
  const main = document.querySelector('main');
  if (document.hidden || isInUse(main)) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  // What is gone says so in a page of its own; of an office that cannot answer what is shown stays.
  if (answer.status >= 500) throw new Error(`${answer.status}`);
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // Somebody may have begun to write meanwhile.
  if (isInUse(main)) return;
  const changes = new MutationObserver(() => {});
  changes.observe(main, { childList: true, characterData: true, subtree: true });
  for (const place of PLACES) {
    const [here, there] = [document.querySelector(place), next.querySelector(place)];
    if (here && there) Idiomorph.morph(here, there, { callbacks: { beforeAttributeUpdated: keepsFold } });
  }
  markChanges(changes.takeRecords());
  changes.disconnect();
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
  stream = new EventSource('/events');
  stream.onopen = () => {
    if (wasOpen) soon();
    wasOpen = true;
    say(true);
  };
  stream.onerror = () => {
    say(false);
    // A browser tries again by itself, but for an answer that is no stream.
    if (stream.readyState === EventSource.CLOSED) setTimeout(listen, 5_000);
  };
  stream.onmessage = (message) => {
    if (watched.has(JSON.parse(message.data).type)) soon();
  };
}

listen();
document.addEventListener('visibilitychange', soon);
setInterval(soon, LEAST);
