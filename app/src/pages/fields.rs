//! Fields of a form, with their labels.

use leptos::prelude::*;

/// Times for which nobody is told: what stands in a form, and what is shown of it.
pub(super) const TIMES: [(&str, &str); 8] = [
    ("30m", "30 minutes"),
    ("1h", "an hour"),
    ("4h", "4 hours"),
    ("12h", "12 hours"),
    ("1d", "a day"),
    ("3d", "3 days"),
    ("7d", "a week"),
    ("28d", "4 weeks"),
];

/// A box that is checked or not.
pub(super) fn switch(name: &'static str, label: &'static str, is_on: bool) -> AnyView {
    view! {
        <div class="radios">
            <label>
                <input type="checkbox" name=name value="yes" checked=is_on />
                {label}
            </label>
        </div>
    }
    .into_any()
}

/// A field of one line.
pub(super) fn field(name: &'static str, label: &'static str, value: &str) -> AnyView {
    view! {
        <label class="choice">
            <span>{label}</span>
            <input type="text" name=name value=value.to_owned() autocomplete="off" />
        </label>
    }
    .into_any()
}

/// One of some words, each with what is shown of it.
pub(super) fn choice<S: AsRef<str>>(
    name: &'static str,
    label: &'static str,
    options: &[(S, S)],
    chosen: &str,
) -> AnyView {
    let options = options.iter().map(|(word, text)| {
        view! {
            <option value=word.as_ref().to_owned() selected=word.as_ref() == chosen>
                {text.as_ref().to_owned()}
            </option>
        }
    });
    view! {
        <label class="choice">
            <span>{label}</span>
            <select name=name>{options.collect_view()}</select>
        </label>
    }
    .into_any()
}

/// The buttons below a form of a page of its own: to save what is written, another one, and to leave it as it is.
pub(super) fn save_or_leave(back: &'static str, also: Option<AnyView>) -> AnyView {
    view! {
        <div class="actions">
            <button class="button primary" type="submit">
                "Save"
            </button>
            {also}
            <a class="button plain" href=back>
                "Leave it as it is"
            </a>
        </div>
    }
    .into_any()
}

/// A line of text, with as much room as it needs.
pub(super) fn text(
    name: &'static str,
    words: &'static str,
    value: String,
    most: i32,
    required: bool,
) -> AnyView {
    // A little more room than what it may hold: letters are wider than a browser thinks.
    let size = (most + 3).clamp(6, 30);
    view! {
        <label class="choice">
            <span>{words}</span>
            <input
                type="text"
                name=name
                value=value
                maxlength=most
                size=size
                required=required
                autocomplete="off"
                spellcheck="false"
            />
        </label>
    }
    .into_any()
}

/// A box to check.
pub(super) fn check(name: &'static str, words: &'static str, value: &str) -> AnyView {
    view! {
        <label>
            <input type="checkbox" name=name value="on" checked=value == "on" />
            <span>{words}</span>
        </label>
    }
    .into_any()
}
