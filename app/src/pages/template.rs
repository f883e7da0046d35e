//! A message with placeholders: what varies stands as a quiet chip among what does not.

use crate::visible::{show_line, show_lines, show_name};
use dlo_domain::grouping::{Segment, Variable};
use leptos::prelude::*;

/// Text, or what kind of value stands in its place.
#[derive(Debug, PartialEq, Eq)]
enum Piece<'a> {
    Same(&'a str),
    Varies(Variable),
}

/// Divides a template at its placeholders.
fn pieces(template: &str) -> Vec<Piece<'_>> {
    let mut pieces = Vec::new();
    let mut rest = template;
    let mut from = 0;
    while let Some(place) = rest[from..].find('<').map(|place| from + place) {
        let kind =
            Variable::ALL.into_iter().find(|kind| rest[place..].starts_with(kind.placeholder()));
        let Some(kind) = kind else {
            from = place + 1;
            continue;
        };
        if place > 0 {
            pieces.push(Piece::Same(&rest[..place]));
        }
        pieces.push(Piece::Varies(kind));
        rest = &rest[place + kind.placeholder().len()..];
        from = 0;
    }
    if !rest.is_empty() {
        pieces.push(Piece::Same(rest));
    }
    pieces
}

/// What varies, in a word.
fn kind_word(kind: Variable) -> &'static str {
    match kind {
        Variable::Word => "word",
        Variable::Shared => "from the body",
        kind => kind.placeholder().trim_matches(['<', '>']),
    }
}

/// A template as one line of text with chips.
#[component]
pub(super) fn TemplateLine(
    /// The template.
    template: String,
) -> impl IntoView {
    let views = pieces(&template)
        .into_iter()
        .map(|piece| match piece {
            Piece::Same(text) => show_lines(text).into_any(),
            Piece::Varies(kind) => view! { <var>{kind_word(kind)}</var> }.into_any(),
        })
        .collect_view();
    view! { <span class="template">{views}</span> }.into_any()
}

/// A template at full length, and below it what was seen in its places.
#[component]
pub(super) fn TemplateExplained(
    /// The parts of the template.
    segments: Vec<Segment>,
) -> impl IntoView {
    let seen: Vec<(Variable, String)> = segments
        .iter()
        .filter_map(|segment| Some((segment.variable?, segment.examples.join(", "))))
        .filter(|(_, examples)| !examples.is_empty())
        .collect();
    let views = segments
        .into_iter()
        .map(|segment| match segment.variable {
            None => show_lines(&segment.text).into_any(),
            Some(kind) => {
                let examples = show_line(&segment.examples.join(", "));
                let title = (!examples.is_empty()).then_some(examples);
                view! { <var title=title>{kind_word(kind)}</var> }.into_any()
            }
        })
        .collect_view();
    view! {
        <div class="template-explained">
            <p class="template large">{views}</p>
            {(!seen.is_empty())
                .then(|| {
                    view! {
                        <ul class="seen">
                            {seen
                                .into_iter()
                                .map(|(kind, examples)| {
                                    view! {
                                        <li>
                                            <var>{kind_word(kind)}</var>
                                            " was "
                                            <span class="id">{show_name(&examples)}</span>
                                        </li>
                                    }
                                })
                                .collect_view()}
                        </ul>
                    }
                })}
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_stand_apart_from_the_text() {
        assert_eq!(
            pieces("<number> of <*> in <init>"),
            [
                Piece::Varies(Variable::Number),
                Piece::Same(" of "),
                Piece::Varies(Variable::Word),
                Piece::Same(" in <init>"),
            ]
        );
    }

    #[test]
    fn text_without_placeholders_stays_whole() {
        assert_eq!(pieces("a < b > ü<"), [Piece::Same("a < b > ü<")]);
        assert!(pieces("").is_empty());
    }
}
