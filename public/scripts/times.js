// Times in the reader's own zone, or in UTC as the server writes them: whichever somebody chose last. What is copied
// is UTC, so that it means the same to whoever it is sent to.
const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
const zones = new Intl.DateTimeFormat('en', { timeZoneName: 'short' });
const CLOCK = /\d\d:\d\d(:\d\d)?/;

const wantsOwn = () => own !== 'UTC' && localStorage.getItem('times') !== 'utc';

let isOwn = wantsOwn();

const two = (number) => String(number).padStart(2, '0');
const dateOf = (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
const zoneOf = (at) => zones.formatToParts(at).find(({ type }) => type === 'timeZoneName').value;

/** `2026-03-12 03:14:20 UTC`, or a part of it, as it is told here. */
function toldHere(utc, at) {
  const clock = (_, seconds) => `${two(at.getHours())}:${two(at.getMinutes())}${seconds ? `:${two(at.getSeconds())}` : ''}`;
  return utc.replace(/\d{4}-\d\d-\d\d/, dateOf(at)).replace(CLOCK, clock).replace('UTC', zoneOf(at));
}

// An age has its time on hover. What names a day alone is a day in UTC.
function* timesOf(page) {
  for (const one of page.querySelectorAll('time, [data-at]')) {
    const isAge = 'age' in one.dataset;
    const utc = (one.dataset.utc ??= isAge ? one.title : one.textContent);
    const at = new Date(one.dataset.at ?? one.dateTime);
    if (CLOCK.test(utc) && one.firstChild?.data && !Number.isNaN(at.valueOf())) yield { one, isAge, utc, at };
  }
}

// The server writes UTC: who reads that, and always did, has nothing to wait for.
let isChanged = false;

/** Tells the times of a page in the reader's own zone, with UTC on hover; or in UTC. */
export function tellTimes(page, here = isOwn) {
  if (!here && !isChanged) return;
  isChanged = true;
  for (const { one, isAge, utc, at } of timesOf(page)) {
    const told = here ? toldHere(utc, at) : utc;
    if (isAge) {
      one.title = here ? `${told}, ${utc}` : utc;
      continue;
    }
    const text = one.firstChild;
    if (text.data !== told) text.data = told;
    if (one.localName === 'time' && !one.title) one.title = utc;
  }
}

function tellZone() {
  const [zone, other] = [document.querySelector('.zone'), document.querySelector('[data-zone]')];
  if (!zone || !other) return;
  zone.textContent = isOwn ? `Times are ${own.replaceAll('_', ' ')}` : 'Times are UTC';
  other.textContent = isOwn ? 'Show UTC' : `Show ${own.replaceAll('_', ' ')}`;
  other.hidden = own === 'UTC';
}

function tell() {
  tellTimes(document);
  tellZone();
}

tell();

// Something else may have been chosen since a page was rendered ahead.
document.addEventListener('prerenderingchange', () => {
  isOwn = wantsOwn();
  tell();
});

document.addEventListener('click', ({ target }) => {
  if (!target.closest?.('[data-zone]')) return;
  isOwn = !isOwn;
  localStorage.setItem('times', isOwn ? 'own' : 'utc');
  tell();
});

// The ends of a selection that lie within a time enclose all of it.
function select({ anchorNode, anchorOffset, focusNode, focusOffset }) {
  const place = (node, offset) => (node.parentElement?.dataset.utc && offset > 0 ? node.length : offset);
  getSelection().setBaseAndExtent(anchorNode, place(anchorNode, anchorOffset), focusNode, place(focusNode, focusOffset));
}

document.addEventListener('copy', ({ target }) => {
  const chosen = getSelection();
  if (!isOwn || chosen.isCollapsed || target.matches?.('input, textarea')) return;
  const { anchorNode, anchorOffset, focusNode, focusOffset } = chosen;
  const ends = { anchorNode, anchorOffset, focusNode, focusOffset };
  tellTimes(document, false);
  select(ends);
  // The browser copies once this is over.
  setTimeout(() => {
    tellTimes(document);
    select(ends);
  });
});
