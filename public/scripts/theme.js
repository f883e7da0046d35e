// Switches between light and dark paper. What was chosen is put on by the document itself, before its first painting.
const root = document.documentElement;

document.addEventListener('click', (event) => {
  if (!event.target.closest?.('.theme')) return;
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  const next = (root.dataset.theme ?? system) === 'dark' ? 'light' : 'dark';
  root.dataset.theme = next;
  localStorage.setItem('theme', next);
});
