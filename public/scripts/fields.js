// The fields of forms that a person writes into.
export const FIELD = ':is(input:not([type="hidden"]), select, textarea)';

const writtenAt = new WeakMap();
document.addEventListener('input', ({ target, timeStamp }) => writtenAt.set(target, timeStamp));

/** Whether somebody has written into a field since then (`performance.now()`). */
export const isWrittenSince = (field, then) => writtenAt.get(field) > then;

/** Whether a field holds something else than the page came with. */
export function isWritten(field) {
  if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
  if (field.options) return [...field.options].some((option) => option.selected !== option.defaultSelected) && field.selectedIndex > 0;
  // A line of text has no ends of lines, whatever the page came with.
  return field.value !== field.defaultValue && field.value !== field.defaultValue.replace(/[\r\n]/g, '');
}
