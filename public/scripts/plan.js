// A form beside a plan of what it says: once somebody changes a field, the plan is out of date, and the buttons that
// would carry it out wait until it is looked at again. Without this script the server says so.
import { FIELD, isWritten } from './fields.js';

/** Compares the form of a plan with what its page came with. */
export function compare() {
  const form = document.querySelector('form[data-plan]');
  if (!form) return;
  const isOutdated = [...form.querySelectorAll(FIELD)].some(isWritten);
  for (const button of form.querySelectorAll('[data-planned]')) button.disabled = isOutdated;
  for (const note of form.querySelectorAll('[data-outdated]')) note.hidden = !isOutdated;
}

document.addEventListener('input', compare);
// What stands in the fields may have been changed before this script came.
compare();
