// Ctrl-K: finds a page, a worker, group or queue by its name, letters, or what can be done on the page at hand (the
// dialog #palette). What leads somewhere it follows, and what is folded it unfolds; a button it only shows, with the
// focus on it: nobody presses one by its name.
const dialog = document.querySelector('#palette');
const [field, list] = [dialog.querySelector('input'), dialog.querySelector('ul')];
const places = [...list.children];
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** What each option is about, where it is no place: an element of the page. */
const targets = new WeakMap();

function option(text, { href, target } = {}) {
  const made = document.createElement('li');
  made.setAttribute('role', 'option');
  made.id = `option-${Math.random()}`;
  made.textContent = text;
  if (href) made.dataset.href = href;
  if (target) targets.set(made, target);
  return made;
}

// What can be done here: the buttons, and what looks like one.
function actions() {
  const seen = new Map();
  for (const target of document.querySelectorAll('main :is(.button, button)')) {
    const text = target.textContent.trim();
    if (text && !target.disabled && target.checkVisibility() && !seen.has(text)) seen.set(text, option(text, { target }));
  }
  return [...seen.values()];
}

// What was written may be an id, or a filter.
function asked(text) {
  if (!text) return [];
  const found = [option(`Letters that match “${text}”`, { href: `/letters?q=${encodeURIComponent(text)}` })];
  if (ID.test(text)) {
    for (const [word, path] of [['Letter', 'letters'], ['Group', 'groups'], ['Replay', 'replays']]) {
      found.push(option(`${word} ${text}`, { href: `/${path}/${text}` }));
    }
  }
  return found;
}

/** What is known by a name: how it is called here, and where it leads. */
const NAMED = {
  worker: ({ value }) => [`Worker ${value}`, `/workers/${encodeURIComponent(value)}`],
  group: ({ value, name }) => [`Group: ${name}`, `/groups/${value}`],
  queue: ({ value }) => [`Letters from ${value}`, `/letters?queue=${encodeURIComponent(value)}`],
};
const MOST_NAMED = 8;
let named = [];

// Names change: they are asked for each time, and those of before serve meanwhile.
async function readNames() {
  const answer = await fetch('/letters/values').catch(() => {});
  if (!answer?.ok) return;
  const known = await answer.json();
  named = Object.entries(NAMED).flatMap(([kind, call]) => (known.find(({ field }) => field === kind)?.values ?? []).map(call));
  if (!dialog.open || !field.value) return;
  // What somebody has stepped to stays chosen.
  const stepped = chosen() === list.firstElementChild ? null : chosen()?.textContent;
  find();
  if (stepped) choose([...list.children].find(({ textContent }) => textContent === stepped) ?? list.firstElementChild);
}

let here = [];
const chosen = () => list.querySelector('[aria-selected="true"]');

function choose(one) {
  chosen()?.removeAttribute('aria-selected');
  one?.setAttribute('aria-selected', 'true');
  one?.scrollIntoView({ block: 'nearest' });
  field.setAttribute('aria-activedescendant', one?.id ?? '');
}

function find() {
  const text = field.value.trim();
  const words = text.toLowerCase().split(/\s+/);
  const fits = (name) => words.every((word) => name.toLowerCase().includes(word));
  const all = [...here, ...places].filter(({ textContent }) => fits(textContent));
  const begins = (one) => one.textContent.toLowerCase().startsWith(words[0]);
  const known = text ? named.filter(([name]) => fits(name)).slice(0, MOST_NAMED) : [];
  list.replaceChildren(
    ...all.filter(begins),
    ...all.filter((one) => !begins(one)),
    ...known.map(([name, href]) => option(name, { href })),
    ...asked(text),
  );
  choose(list.firstElementChild);
}

function open() {
  if (document.querySelector('dialog[open]')) return;
  here = actions();
  field.value = '';
  dialog.showModal();
  find();
  readNames();
}

function follow(one) {
  if (!one) return;
  const target = targets.get(one);
  // The dialog gives the focus back to where it was; what is chosen takes it from there.
  dialog.close();
  if (one.dataset.href) location.assign(one.dataset.href);
  else if (target.localName === 'button') target.focus();
  else target.click();
}

function step(by) {
  const all = [...list.children];
  const at = all.indexOf(chosen()) + by;
  choose(all[(at + all.length) % all.length]);
}

const keys = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: () => follow(chosen()) };

field.addEventListener('input', find);
field.addEventListener('keydown', (event) => {
  if (!keys[event.key] || event.isComposing) return;
  event.preventDefault();
  keys[event.key]();
});
list.addEventListener('click', ({ target }) => follow(target.closest('li')));
// Beside the dialog is its backdrop.
dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close());
document.addEventListener('keydown', (event) => {
  if (event.key !== 'k' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return;
  event.preventDefault();
  open();
});
document.addEventListener('click', ({ target }) => target.closest?.('[data-palette]') && open());
