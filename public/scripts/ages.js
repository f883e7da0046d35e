// Ages in what is not read again by itself grow here: by the browser's stopwatch, never by its clock.

const UNITS = [[63_072_000, 31_536_000, 'y'], [5_184_000, 2_592_000, 'mo'], [86_400, 86_400, 'd'], [3_600, 3_600, 'h'], [60, 60, 'min'], [1, 1, 's']];

/** How long ago, in one unit, as the server writes it. */
function ageOf(seconds) {
  const unit = UNITS.find(([least]) => seconds >= least);
  return unit ? `${Math.floor(seconds / unit[1])} ${unit[2]}` : 'now';
}

let read = '';
let readAt = 0;
function grow() {
  const kept = document.querySelector('[data-kept]');
  if (!kept) return;
  if (kept.dataset.now !== read) [read, readAt] = [kept.dataset.now, performance.now()];
  const now = Date.parse(read) + performance.now() - readAt;
  for (const time of kept.querySelectorAll('[data-age]')) {
    const age = ageOf(Math.floor((now - Date.parse(time.dateTime)) / 1_000));
    const text = time.dataset.age === 'spoken' && age !== 'now' ? `${age} ago` : age;
    if (time.textContent !== text) time.textContent = text;
  }
}

grow();
addEventListener('dlo:shown', grow);
setInterval(grow, 5_000);
