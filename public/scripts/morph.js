// Puts a page that was read again in the place of what is shown: only what is different changes. Focus, what is
// unfolded and where one reads stay.
import { FIELD, isWrittenSince } from './fields.js';
import { Idiomorph } from './idiomorph.js';
import { tellTimes } from './times.js';

/** How often a page was shown: what was asked for before the last time is old. */
export let showings = 0;

const PLACES = ['.bell', '.banners', 'main', '.read-at'];

// A row is known by what it is about, so that it keeps its links and buttons when rows change places: who presses
// one acts on what they aimed at.
function nameRows(page) {
  const times = new Map();
  for (const row of page.querySelectorAll('main :is(tr, li):not([id], :has(tr, li))')) {
    const named = row.querySelector('[name=id], button[value]');
    const about = named?.value ?? row.querySelector('[href]')?.getAttribute('href');
    if (!about) continue;
    times.set(about, (times.get(about) ?? 0) + 1);
    row.id = `row-${times.get(about)}-${encodeURI(about)}`;
  }
}

nameRows(document);

/** A page as the server sent it. */
export function parsed(html) {
  const page = new DOMParser().parseFromString(html, 'text/html');
  nameRows(page);
  tellTimes(page);
  return page;
}

// An island (crate `islands`) is never put together anew: it is told what its properties are now.
function isIsland(shown, next, isNewer) {
  if (shown.localName !== 'leptos-island') return false;
  const { props } = next.dataset ?? {};
  if (props && ![...shown.querySelectorAll(FIELD)].some(isNewer)) shown.dataset.props = props;
  return true;
}

const alive = new WeakSet();
function bringToLife(added) {
  if (!added.querySelectorAll) return;
  for (const island of [added, ...added.querySelectorAll('leptos-island')]) {
    if (island.localName !== 'leptos-island' || alive.has(island)) continue;
    alive.add(island);
    // While the program is still on its way, it brings to life what it finds.
    window.__hydrateIsland?.(island, island.dataset.component).catch(() => {});
  }
}

/**
 * Shows `next`, asked for at `asked` (`performance.now()`): what somebody has written since stays. `stays` says what
 * else is not to be touched.
 */
export function show(next, asked, stays = () => false) {
  showings += 1;
  const isNewer = (shown) => isWrittenSince(shown, asked);
  // Of a filter that cannot be read there is no list: the last one stays.
  const isWithout = next.querySelector('main [aria-invalid="true"]') && !next.querySelector('[data-kept]');
  const isLast = (shown) => isWithout && shown.matches?.('[data-kept]');
  const changes = new MutationObserver(() => {});
  changes.observe(document.querySelector('main'), { childList: true, characterData: true, subtree: true });
  const callbacks = {
    beforeNodeMorphed: (shown, next) => !isIsland(shown, next, isNewer) && !isNewer(shown) && !stays(shown),
    beforeNodeRemoved: (shown) => !stays(shown) && !isLast(shown),
    afterNodeAdded: bringToLife,
    // What somebody unfolded or folded stays so.
    beforeAttributeUpdated: (name, shown) => !(name === 'open' && shown.localName === 'details'),
  };
  for (const place of PLACES) {
    const [here, there] = [document.querySelector(place), next.querySelector(place)];
    if (here && there) Idiomorph.morph(here, there, { callbacks });
  }
  document.title = next.title;
  mark(changes.takeRecords());
  changes.disconnect();
  dispatchEvent(new Event('dlo:shown'));
}

// Marks what is different now, but for ages and drawings.
function mark(changes) {
  const places = changes.map(({ target }) => (target.nodeType === Node.TEXT_NODE ? target.parentElement : target));
  const shown = places.filter((place) => place?.isConnected && !place.closest('time, svg, option'));
  for (const place of new Set(shown.map((one) => one.closest('td, th, dd, li, p, h1, h2, h3')))) {
    if (!place) continue;
    place.classList.add('is-new');
    place.addEventListener('animationend', () => place.classList.remove('is-new'), { once: true });
  }
}
