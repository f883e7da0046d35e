//! Two texts beside each other, line by line.

use dlo_domain::changing::{Diff, DiffLine, DiffMark};
use leptos::prelude::*;

use crate::pages::body_diff::BodyDiff;
use crate::visible::show_lines;

/// Lines that stand at one height.
#[derive(Debug, PartialEq, Eq)]
enum Row {
    /// The same on both sides.
    Same(String),
    /// What stands on one side, and on the other; a side may have nothing.
    Other(Option<String>, Option<String>),
    /// Lines that are the same and left out.
    Skipped,
}

/// What differs, the older text on the left; one below the other where there is no room.
#[component]
pub(super) fn SideBySide(
    /// What differs.
    diff: Diff,
    /// What it is, for people who hear it.
    label: &'static str,
    /// What each side is.
    names: [String; 2],
) -> impl IntoView {
    if diff.lines.is_empty() {
        return view! { <BodyDiff diff label /> }.into_any();
    }
    let [before, after] = names;
    view! {
        <table class="sides" aria-label=label>
            <thead>
                <tr>
                    <th scope="col">{before}</th>
                    <th scope="col">{after}</th>
                </tr>
            </thead>
            <tbody>{rows(diff.lines).into_iter().map(shown).collect_view()}</tbody>
        </table>
        {diff.cut.then(|| view! { <p class="note-line">"There is more than is shown here."</p> })}
    }
    .into_any()
}

/// What is taken away beside what is put in its place, line by line.
fn rows(lines: Vec<DiffLine>) -> Vec<Row> {
    let mut rows = Vec::new();
    // The first row of those that the next added line may stand in.
    let mut free = 0;
    for DiffLine { mark, text } in lines {
        match mark {
            DiffMark::Removed => rows.push(Row::Other(Some(text), None)),
            DiffMark::Added => {
                match rows.get_mut(free) {
                    Some(Row::Other(_, side)) => *side = Some(text),
                    _ => rows.push(Row::Other(None, Some(text))),
                }
                free += 1;
                continue;
            }
            DiffMark::Same => rows.push(Row::Same(text)),
            DiffMark::Skipped => rows.push(Row::Skipped),
        }
        if mark != DiffMark::Removed {
            free = rows.len();
        }
    }
    rows
}

fn shown(row: Row) -> AnyView {
    match row {
        Row::Same(text) => view! {
            <tr>
                <td>{show_lines(&text)}</td>
                <td class="again">{show_lines(&text)}</td>
            </tr>
        }
        .into_any(),
        Row::Other(before, after) => {
            let before = before.map(|text| view! { <del>{show_lines(&text)}</del> });
            let after = after.map(|text| view! { <ins>{show_lines(&text)}</ins> });
            view! {
                <tr>
                    <td>{before}</td>
                    <td>{after}</td>
                </tr>
            }
            .into_any()
        }
        Row::Skipped => view! {
            <tr>
                <td colspan="2" class="skipped">
                    "⋯"
                </td>
            </tr>
        }
        .into_any(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_changed_stands_beside_what_it_was() {
        let lines = [
            (DiffMark::Skipped, ""),
            (DiffMark::Same, "a"),
            (DiffMark::Removed, "b"),
            (DiffMark::Removed, "c"),
            (DiffMark::Added, "B"),
            (DiffMark::Same, "d"),
            (DiffMark::Added, "e"),
            (DiffMark::Added, "f"),
            (DiffMark::Removed, "g"),
            (DiffMark::Added, "h"),
        ];
        let lines = lines.map(|(mark, text)| DiffLine { mark, text: text.to_owned() });
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(
            rows(lines.into()),
            [
                Row::Skipped,
                Row::Same("a".to_owned()),
                Row::Other(some("b"), some("B")),
                Row::Other(some("c"), None),
                Row::Same("d".to_owned()),
                Row::Other(None, some("e")),
                Row::Other(None, some("f")),
                Row::Other(some("g"), some("h")),
            ]
        );
    }
}
