//! One letter in the list.

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use leptos::prelude::*;

use super::claimed_mark::ClaimedMark;
use crate::components::{Ago, SeverityMark, StateBadge};
use crate::pages::template::TemplateLine;
use crate::visible::{show_line, show_lines, show_marks};
use crate::{links, wording};

/// The row of a letter. On a narrow page its cells stand in two lines, the error in the first.
#[component]
pub(super) fn LetterRow(
    /// The letter.
    letter: LetterSummary,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let queue = letter.queue.clone().unwrap_or_else(|| "unknown".to_owned());
    let what = letter.error_message.as_ref().or(letter.error_class.as_ref());
    let what =
        what.map_or_else(|| wording::reason(letter.reason).to_owned(), |text| show_line(text));
    let label = format!("Select the letter of {}: {what}", show_line(&queue));
    let at = letter.last_arrived_at;
    view! {
        <tr>
            <td class="pick">
                <input type="checkbox" name="ids[]" value=letter.id.to_string() aria-label=label />
            </td>
            <td class="fit">
                <SeverityMark severity=letter.severity />
            </td>
            <td class="fit num">
                <Ago at now />
            </td>
            <td class="fit origin" title=show_line(&queue)>
                <bdi class="id">{show_marks(&queue)}</bdi>
                " "
                <ClaimedMark letter=letter.clone() />
            </td>
            <td class="fit mid second">{wording::reason(letter.reason)}</td>
            <td class="fill clip">
                <a href=links::letter(letter.id)>{told(&letter)}</a>
            </td>
            <td class="fit mid group">{group(&letter)}</td>
            <td class="fit">
                <StateBadge state=letter.state />
            </td>
            <td class="fit num arrivals" class:once=letter.arrivals == 1>
                {letter.arrivals}
            </td>
        </tr>
    }
    .into_any()
}

/// Leads to the letters that failed alike, once it is known which they are.
fn group(letter: &LetterSummary) -> Option<impl IntoView + use<>> {
    let id = letter.group_id?;
    let title = letter.group_title.clone()?;
    let whole = show_line(&title);
    Some(view! {
        <a class="second" href=links::group(id) title=whole>
            <TemplateLine template=title />
        </a>
    })
}

/// What is told of the failure, in one line.
pub(in crate::pages) fn told(letter: &LetterSummary) -> AnyView {
    let message = letter.error_message.as_deref().map(show_lines);
    match (&letter.error_class, message) {
        (None, None) => {
            let text = format!("no error reported; {}", wording::reason_sentence(letter.reason));
            view! { <span class="quiet">{text}</span> }.into_any()
        }
        (Some(class), message) => {
            let short = show_marks(wording::short_class(class));
            let title = show_line(class);
            view! {
                <bdi class="id" title=title>{short}</bdi>
                " "
                {message}
            }
            .into_any()
        }
        (None, message) => message.into_any(),
    }
}
