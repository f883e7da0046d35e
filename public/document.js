// A document is as it was when it was read. When something happens that it shows, it is asked for again, and
// what came takes the place of what is there: never while somebody writes in it or has opened a part of it.
const concerns = new Set(['alerts', 'channels', 'missed']);
const live = document.querySelector('.live');
let asks = 0;

// A form that is a page of its own is as it was given out: what stands in it may have been copied elsewhere.
const isInUse = (main) =>
  main.querySelector('[data-still], details[open], form :focus') !== null || [...main.querySelectorAll('input, select, textarea')].some(isWritten);

// Whether a field holds something else than what the page came with.
function isWritten(field) {
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected) && field.selectedIndex > 0;
  return field.value !== field.defaultValue;
}

function say(isOpen) {
  if (!live) return;
  live.dataset.live = String(isOpen);
  live.textContent = isOpen ? 'live' : 'not live, trying again';
}

async function refresh() {
  const main = document.querySelector('main');
  if (document.hidden || isInUse(main)) return;
  const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
  // Somebody may have begun to write meanwhile.
  if (isInUse(main)) return;
  for (const place of ['main', '.bell']) {
    const [here, there] = [document.querySelector(place), next.querySelector(place)];
    if (here && there && here.innerHTML !== there.innerHTML) here.replaceChildren(...there.childNodes);
  }
}

// At most once in two seconds.
function soon() {
  asks ||= setTimeout(() => {
    asks = 0;
    refresh().catch(() => say(false));
  }, 2000);
}

const stream = new EventSource('/events');
let wasOpen = false;
stream.onopen = () => {
  if (wasOpen) soon();
  wasOpen = true;
  say(true);
};
stream.onerror = () => say(false);
stream.onmessage = (message) => {
  const event = JSON.parse(message.data);
  if (concerns.has(event.type)) soon();
};
document.addEventListener('visibilitychange', soon);
// Ages grow, and figures, of which nobody tells.
setInterval(soon, 30_000);
