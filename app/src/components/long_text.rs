//! A text that may be long, such as an error: its beginning, and all of it where somebody asks.

use leptos::prelude::*;

use crate::visible::show_lines;
use crate::wording::count;

/// A text with more characters is folded.
const MOST_CHARACTERS: usize = 400;

/// So is one with more lines.
const MOST_LINES: usize = 6;

/// The text, folded if it is long.
#[component]
pub(crate) fn LongText(
    /// The text.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    let Some(beginning) = beginning(&text) else {
        return show_lines(&text).into_any();
    };
    let beginning = format!("{}…", show_lines(beginning));
    let characters = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    view! {
        <details class="long">
            <summary>
                <span>{beginning}</span>
                <b>{format!("All {} characters", count(characters))}</b>
            </summary>
            {show_lines(&text)}
        </details>
    }
    .into_any()
}

/// What is shown of a long text at first. `None` if the text is short.
fn beginning(text: &str) -> Option<&str> {
    let by_characters = text.char_indices().nth(MOST_CHARACTERS).map(|(at, _)| at);
    let by_lines = text.match_indices('\n').nth(MOST_LINES - 1).map(|(at, _)| at);
    let end = match (by_characters, by_lines) {
        (Some(one), Some(other)) => one.min(other),
        (one, other) => one.or(other)?,
    };
    // One blank line at the end is not worth a fold.
    let (shown, rest) = text.split_at(end);
    (!rest.trim().is_empty()).then_some(shown)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_text_is_folded() {
        assert_eq!(beginning(&"é".repeat(400)), None);
        assert_eq!(beginning(&"é".repeat(401)), Some(&*"é".repeat(400)));
        assert_eq!(beginning("1\n2\n3\n4\n5\n6\n\n"), None);
        assert_eq!(beginning("1\n2\n3\n4\n5\n6\n7"), Some("1\n2\n3\n4\n5\n6"));
        let both = format!("{}\n", "é".repeat(100)).repeat(7);
        let shown = beginning(&both).expect("a beginning");
        assert_eq!(shown.chars().count(), 400);
    }

    #[test]
    fn all_of_it_is_there_as_text() {
        let shown = view! { <LongText text=format!("<b>{}", "x".repeat(5_000)) /> }.to_html();
        assert!(shown.contains("All 5,003 characters"), "{shown}");
        assert!(shown.contains(&"x".repeat(5_000)) && !shown.contains("<b>x"), "{shown}");
    }
}
