//! Buttons that wait for an answer.

use leptos::prelude::*;

/// Whether a button is disabled: while an answer is awaited, and once nobody asks any more. The content of a
/// page is read anew after each action, and what was there stays until that has come, although its signals are
/// gone by then.
pub(crate) fn disabled_while(waits: Signal<bool>) -> impl Fn() -> bool + Copy + Send + 'static {
    move || waits.try_get().unwrap_or(true)
}
