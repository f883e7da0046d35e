//! Sentences in which names and commands stand between backticks, and times are told in UTC.

use leptos::prelude::*;

use super::Moment;
use crate::visible::{show_lines, show_marks};
use crate::wording;

/// A sentence, with what stands between backticks as code, and times as times. All of it is text: names are
/// whatever somebody called a queue.
#[component]
pub(crate) fn Spoken(
    /// The sentence.
    #[prop(into)]
    text: String,
) -> impl IntoView {
    parts(&text)
        .map(|(part, is_code)| {
            if is_code {
                view! { <code>{show_marks(&part)}</code> }.into_any()
            } else {
                plain(&part)
            }
        })
        .collect_view()
        .into_any()
}

fn plain(mut text: &str) -> AnyView {
    let mut views = Vec::new();
    while let Some((place, at)) = wording::time_in(text) {
        views.push(show_lines(&text[..place.start]).into_any());
        views.push(view! { <Moment at told=text[place.clone()].to_owned() /> }.into_any());
        text = &text[place.end..];
    }
    views.push(show_lines(text).into_any());
    views.into_any()
}

/// Parts of a sentence, and whether each is code. A backtick without another is one of the text.
fn parts(text: &str) -> impl Iterator<Item = (String, bool)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (part, is_code, behind) = match rest.split_once('`') {
            None => (rest.to_owned(), false, ""),
            Some(("", within)) => match within.split_once('`') {
                Some((code, behind)) => (code.to_owned(), true, behind),
                None => (rest.to_owned(), false, ""),
            },
            Some((plain, _)) => (plain.to_owned(), false, &rest[plain.len()..]),
        };
        let is_over = rest.is_empty();
        rest = behind;
        (!is_over).then_some((part, is_code))
    })
    .filter(|(part, _)| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::parts;

    #[test]
    fn what_stands_between_backticks_is_code_and_nothing_is_left_out() {
        for (text, wanted) in [
            ("", vec![]),
            ("plain", vec![("plain", false)]),
            (
                "The source `orders` waits.",
                vec![("The source ", false), ("orders", true), (" waits.", false)],
            ),
            ("`a` and `b`", vec![("a", true), (" and ", false), ("b", true)]),
            ("one ` alone", vec![("one ", false), ("` alone", false)]),
            ("``", vec![]),
            ("`a`b`", vec![("a", true), ("b", false), ("`", false)]),
        ] {
            let told: Vec<_> = parts(text).collect();
            let wanted: Vec<_> =
                wanted.into_iter().map(|(part, is_code)| (part.to_owned(), is_code)).collect();
            assert_eq!(told, wanted, "{text}");
        }
    }
}
