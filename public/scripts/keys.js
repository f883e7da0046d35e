// Keys and copying. It presses what is on the page already, so that a key never does more than a
// click: the list of keys is the dialog #keys.
const pages = {
  o: '/', l: '/letters', g: '/groups', r: '/replays', q: '/queues', w: '/workers', e: '/executions', a: '/alerts',
  u: '/rules', s: '/sources',
};
let awaitsPage = 0;

const isSeen = (one) => one.checkVisibility();

// A row is one of any list, if it leads somewhere: by its first link, or by what it unfolds.
const ROWS = 'main :is(tr, li):has(a[href]):not(:has(tr, li), thead *, .crumbs *, nav *)';
const rows = () => [...document.querySelectorAll(ROWS)].filter(isSeen);
const lead = (row) => [...row.querySelectorAll('a[href], summary')].find(isSeen);

let last;
const current = () => (last?.isConnected ? last : undefined);

function mark(row) {
  current()?.classList.remove('cursor');
  last = row;
  if (!row) return;
  row.classList.add('cursor');
  row.scrollIntoView({ block: 'nearest' });
  lead(row)?.focus({ preventScroll: true });
}

// A page that was read again does not know which row it was.
addEventListener('dlo:shown', () => current()?.classList.add('cursor'));

function move(step) {
  const all = rows();
  const at = all.indexOf(current());
  mark(all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(Math.max(at + step, 0), all.length - 1)]);
}

// What can be seen now.
const seen = (selector) => [...document.querySelectorAll(selector)].find(isSeen);

// What can be seen once its fold is opened. The bar of the selected letters is hidden while none is.
const reachable = (one) => (one.closest('.bulk') ?? one.closest('details') ?? one).offsetParent !== null;

const keys = {
  '/': () => document.querySelector('#q')?.focus(),
  j: () => move(1),
  k: () => move(-1),
  x: () => current()?.querySelector('.pick input')?.click(),
  // The button, or the field behind a fold, that replays or discards what is looked at.
  r: () => seen('[data-key="r"]')?.focus(),
  d: () => {
    const field = [...document.querySelectorAll('[data-key="d"]')].find((one) => reachable(one));
    if (!field) return;
    const fold = field.closest('details');
    if (fold) fold.open = true;
    const rest = field.closest('[popover]');
    if (rest && !field.offsetParent) rest.showPopover?.();
    field.focus();
  },
  '?': () => document.querySelector('#keys')?.showModal(),
  g: () => { awaitsPage = Date.now(); },
};

document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
  const writes = target.matches?.('input:not([type="checkbox"]), select, textarea');
  if (writes) {
    if (key === 'Escape') target.blur();
    return;
  }
  if (Date.now() - awaitsPage < 1500 && pages[key]) {
    awaitsPage = 0;
    event.preventDefault();
    location.assign(pages[key]);
    return;
  }
  if (key === 'Enter' && current() && !target.closest?.('a, button, summary')) {
    lead(current())?.click();
    return;
  }
  if (keys[key]) {
    event.preventDefault();
    keys[key]();
  }
});

document.addEventListener('click', async (event) => {
  if (event.target.closest?.('[data-keys]')) document.querySelector('#keys')?.showModal();
  const button = event.target.closest?.('[data-copy]');
  if (!button) return;
  const whole = button.parentElement.querySelector('pre');
  const text = button.dataset.copy || whole.textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = 'Copied';
  } catch {
    // No clipboard here: the text is selected, so that a key copies it.
    if (!whole) button.textContent = text;
    getSelection().selectAllChildren(whole ?? button);
  }
});
