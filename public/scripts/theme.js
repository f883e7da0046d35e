// Runs before the first painting: says that there is a script, and puts on the paper that a person
// chose. Everything works without it.
const root = document.documentElement;
root.dataset.script = '';
const chosen = localStorage.getItem('theme');
if (chosen === 'light' || chosen === 'dark') root.dataset.theme = chosen;

document.addEventListener('click', (event) => {
  if (!event.target.closest?.('.theme')) return;
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const next = (root.dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
  root.dataset.theme = next;
  localStorage.setItem('theme', next);
});
