// A form that leads back to its own page is sent without leaving it. Without this script it is sent as any form.
import { FIELD, isWritten } from './fields.js';
import { parsed, show } from './morph.js';
import { compare } from './plan.js';

const addressOf = ({ pathname, search }) => pathname + search;

// What is shown.
let address = addressOf(new URL(performance.getEntriesByType('navigation')[0]?.name ?? location.href));
const UNKNOWN = 'The office did not answer, so it is not known whether that was done. Load this page again to see.';

function tell(text) {
  const place = document.querySelector('.error-place');
  const note = Object.assign(document.createElement('p'), { className: 'error-note', textContent: text });
  place?.replaceChildren(note);
}

const asked = (form, button, name) => button?.getAttribute(`form${name}`) ?? form.getAttribute(name) ?? '';

function bodyOf(form, button) {
  const fields = new FormData(form, button);
  return asked(form, button, 'enctype') === 'multipart/form-data' ? fields : new URLSearchParams(fields);
}

/** The focus goes with the button that was pressed; to another of its form where that can do no more. */
function focusAgain({ id }) {
  const button = id ? document.getElementById(id) : null;
  const usable = button?.disabled ? button.form?.querySelector('[type="submit"]:enabled') : button;
  if (usable && document.activeElement !== usable) usable.focus({ preventScroll: true });
}

async function send(form, button) {
  const to = new URL(asked(form, button, 'action'), location.href);
  const start = performance.now();
  const answer = await fetch(to, { method: 'POST', body: bodyOf(form, button), headers: { accept: 'text/html' } });
  const led = new URL(answer.url);
  if (led.pathname !== location.pathname) {
    // Another page; or no page at all, whose reason is shown as the browser would.
    if (answer.redirected) location.assign(led);
    else tell(`${answer.status}: ${await answer.text()}`);
    return;
  }
  const isRefused = led.searchParams.has('__err');
  if (!isRefused) form.closest('details')?.removeAttribute('open');
  history.replaceState(null, '', led);
  address = addressOf(location);
  // What was written and refused stays where it is.
  show(parsed(await answer.text()), start, (shown) => isRefused && form.contains(shown) && shown.matches?.(FIELD));
  compare();
  const leadsTo = isRefused ? null : document.getElementById(form.dataset.leadsTo);
  if (leadsTo) leadsTo.focus();
  else if (button) focusAgain(button);
}

/** Carries out a decision whose letters are named in its answer, so that it can be taken back. */
async function decide(form, button) {
  const to = new URL(asked(form, button, 'action'), location.href);
  const headers = { accept: 'application/json' };
  const answer = await fetch(to, { method: 'POST', body: bodyOf(form, button), headers });
  const told = await answer.json();
  if (!answer.ok) {
    const [why] = Object.values(told);
    tell(why.reason ?? 'Something went wrong on our side. Load this page again to see whether that was done.');
    return;
  }
  document.querySelector('.error-place')?.replaceChildren();
  form.closest('details')?.removeAttribute('open');
  form.closest('[popover]')?.hidePopover?.();
  // It is done, and can be taken back, whether or not the page can be read again.
  dispatchEvent(new CustomEvent('dlo:decided', { detail: JSON.stringify({ path: to.pathname, changed: told }) }));
  await showAgain().catch(() => tell('That was done, but this page could not be read again. Load it again.'));
}

let askings = 0;
async function showAgain() {
  askings += 1;
  const own = askings;
  const start = performance.now();
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  const page = parsed(await answer.text());
  // Something else was asked for meanwhile.
  if (own !== askings) return;
  show(page, start);
  address = addressOf(location);
}

/** A form that asks for its own page in another way: the page stays, and so do focus and place. */
async function look(form, button) {
  const to = new URL(form.action);
  const fields = [...new FormData(form, button)].filter(([, value]) => value !== '');
  history.pushState(null, '', `${to.pathname}?${new URLSearchParams(fields)}`);
  await showAgain();
}

// Back to what a form asked for before. A place within the page is no other page.
function follow() {
  if (addressOf(location) !== address) showAgain().catch(() => location.reload());
}

addEventListener('popstate', follow);
// Somebody may have gone back while the page was loading.
follow();

const SUBMITS = '[data-submits]';
document.addEventListener('change', ({ target }) => {
  if (target.matches(SUBMITS)) target.form.requestSubmit();
});

// Only where somebody says what became of the letters.
const isToldInPlace = (form) => 'decides' in form.dataset && document.querySelector('.toast-place[data-alive]');

function wayOf(form, button) {
  if (!form.closest('main')) return null;
  if (asked(form, button, 'method').toLowerCase() === 'post') return isToldInPlace(form) ? decide : send;
  const isOwn = new URL(asked(form, button, 'action'), location.href).pathname === location.pathname;
  return isOwn && 'inPlace' in form.dataset ? look : null;
}

document.addEventListener('submit', (event) => {
  const { target: form, submitter: button } = event;
  const way = wayOf(form, button);
  if (!way) return;
  event.preventDefault();
  // Pressed twice, it is sent once; but asked in another way, it is asked anew.
  if (form.ariaBusy === 'true' && way !== look) return;
  form.ariaBusy = 'true';
  way(form, button)
    .catch(() => (way === look ? location.reload() : tell(UNKNOWN)))
    .finally(() => {
      form.ariaBusy = 'false';
    });
});

// What was chosen before this script came.
[...document.querySelectorAll(SUBMITS)].find(isWritten)?.form.requestSubmit();
