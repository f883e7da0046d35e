//! What could be written at the cursor of the box.

use dlo_domain::filter::{Completion, KnownValues, Suggestion, complete};
use dlo_domain::visible_text::visible;
use leptos::ev::{KeyboardEvent, MouseEvent};
use leptos::html::Input;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::page;

/// The id of their list.
pub(super) const LIST: &str = "filter-suggestions";

/// Where the values that letters have are told.
const VALUES: &str = "/letters/values";

/// The suggestions of one box.
#[derive(Clone, Copy)]
pub(super) struct Suggestions {
    /// The box.
    pub(super) input: NodeRef<Input>,
    known: StoredValue<KnownValues>,
    /// Whether the values were asked for.
    is_asked: StoredValue<bool>,
    /// Whether something was written since the suggestions were closed.
    is_written: StoredValue<bool>,
    shown: RwSignal<Completion>,
    /// Which one the arrow keys are at.
    active: RwSignal<Option<usize>>,
}

/// The id of one of them.
fn option_id(place: usize) -> String {
    format!("{LIST}-{place}")
}

impl Suggestions {
    /// For a box that is made next.
    pub(super) fn new() -> Self {
        Self {
            input: NodeRef::new(),
            known: StoredValue::default(),
            is_asked: StoredValue::new(false),
            is_written: StoredValue::new(false),
            shown: RwSignal::new(Completion::default()),
            active: RwSignal::new(None),
        }
    }

    pub(super) fn are_shown(self) -> bool {
        self.shown.with(|shown| !shown.suggestions.is_empty())
    }

    /// The id of the one that the arrow keys are at.
    pub(super) fn active_id(self) -> Option<String> {
        self.active.get().map(option_id)
    }

    /// Shows none.
    pub(super) fn close(self) {
        self.is_written.set_value(false);
        self.active.set(None);
        self.shown.set(Completion::default());
    }

    /// Asks which values letters have now.
    pub(super) fn ask(self) {
        self.is_asked.set_value(true);
        spawn_local(async move {
            // Fields and words are offered without them, too.
            let Some(known) = page::asked(VALUES).await else { return };
            self.known.set_value(known);
            // Somebody wrote meanwhile, and has not gone to a suggestion yet.
            let waits = self.is_written.get_value() && self.active.get_untracked().is_none();
            if waits {
                self.look();
            }
        });
    }

    /// Looks again, after somebody wrote.
    pub(super) fn write(self) {
        // Whoever stood in the box before it came to life.
        if !self.is_asked.get_value() {
            self.ask();
        }
        self.is_written.set_value(true);
        self.look();
    }

    /// Looks again, after the text or the cursor has changed.
    pub(super) fn look(self) {
        let Some(input) = self.input.get_untracked() else {
            return;
        };
        let text = input.value();
        let units = input.selection_start().ok().flatten();
        let cursor = byte_of(&text, units.unwrap_or(u32::MAX));
        let completion = self.known.with_value(|known| complete(&text, cursor, known));
        self.active.set(None);
        self.shown.set(completion);
    }

    /// Arrows move, Enter and Tab take what they are at, Escape closes. Everything else is the box's own, so that
    /// Enter sends the filter as long as no suggestion was gone to.
    pub(super) fn on_key(self, event: &KeyboardEvent) {
        let count = self.shown.with_untracked(|shown| shown.suggestions.len());
        if count == 0 {
            return;
        }
        let active = self.active.get_untracked();
        match (event.key().as_str(), active) {
            ("ArrowDown", None) => self.active.set(Some(0)),
            ("ArrowDown", Some(place)) => self.active.set(Some((place + 1) % count)),
            ("ArrowUp", None | Some(0)) => self.active.set(Some(count - 1)),
            ("ArrowUp", Some(place)) => self.active.set(Some(place - 1)),
            ("Enter" | "Tab", Some(place)) => self.take(place),
            ("Escape", _) => self.close(),
            _ => return,
        }
        event.prevent_default();
    }

    /// Puts a suggestion into the box.
    fn take(self, place: usize) {
        let completion = self.shown.get_untracked();
        let Some(input) = self.input.get_untracked() else {
            return;
        };
        let mut text = input.value();
        let Some(suggestion) = completion.suggestions.get(place) else {
            return;
        };
        // The box may have changed since.
        if text.get(completion.span.clone()).is_none() {
            return self.close();
        }
        let cursor = completion.span.start + suggestion.text.len();
        text.replace_range(completion.span, &suggestion.text);
        let units = text[..cursor].encode_utf16().count();
        let units = u32::try_from(units).unwrap_or(u32::MAX);
        input.set_value(&text);
        // A box that is gone needs no cursor.
        let _ = input.set_selection_range(units, units);
        let ends_here = !suggestion.text.ends_with([':', '.']);
        if ends_here {
            self.close();
        } else {
            self.look();
        }
    }

    /// The list below the box, while there is something to suggest.
    pub(super) fn list(self) -> impl IntoView {
        move || {
            self.are_shown().then(|| {
                let shown = self.shown.get().suggestions.into_iter().enumerate();
                let options =
                    shown.map(|(place, suggestion)| self.option(place, &suggestion)).collect_view();
                view! {
                    <ul class="suggestions" id=LIST role="listbox" aria-label="Suggestions">
                        {options}
                    </ul>
                }
            })
        }
    }

    fn option(self, place: usize, suggestion: &Suggestion) -> impl IntoView + use<> {
        let selected = move || (self.active.get() == Some(place)).to_string();
        let on_press = move |event: MouseEvent| {
            event.prevent_default();
            self.take(place);
        };
        view! {
            <li id=option_id(place) role="option" aria-selected=selected on:mousedown=on_press>
                <code>{visible(&suggestion.text).into_owned()}</code>
                <span>{visible(&suggestion.help).into_owned()}</span>
            </li>
        }
    }
}

/// Browsers count in UTF-16, and the text is UTF-8.
fn byte_of(text: &str, units: u32) -> usize {
    let mut left = usize::try_from(units).unwrap_or(usize::MAX);
    let before = text.chars().take_while(|c| {
        let fits = left >= c.len_utf16();
        left = left.saturating_sub(c.len_utf16());
        fits
    });
    before.map(char::len_utf8).sum()
}

#[cfg(test)]
mod tests {
    use super::byte_of;

    #[test]
    fn the_cursor_is_found_in_any_script() {
        for (text, units, byte) in
            [("abc", 2, 2), ("äb", 1, 2), ("😀b", 2, 4), ("😀b", 1, 0), ("ab", 9, 2)]
        {
            assert_eq!(byte_of(text, units), byte, "{text} {units}");
        }
    }
}
