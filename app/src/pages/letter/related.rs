//! The letters that have something in common with a letter.

use dlo_domain::letter::LetterSummary;
use dlo_domain::relations::RelatedLetters;
use leptos::prelude::*;

use super::unread;
use crate::components::{Moment, SeverityMark, Spoken, StateBadge};
use crate::error::ApiError;
use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// A section about them; nothing where there is nothing that letters can have in common with this one.
#[component]
pub(super) fn RelatedLettersView(
    /// Why they cannot be told, or what they have in common, each with some of them.
    related: Result<Vec<RelatedLetters>, ApiError>,
) -> impl IntoView {
    let related = match related {
        Ok(related) if related.is_empty() => return ().into_any(),
        Ok(related) => related,
        Err(error) => return unread(&error),
    };
    view! {
        <section class="section" aria-labelledby="related-title">
            <header>
                <h2 id="related-title">"Related letters"</h2>
            </header>
            {related.into_iter().map(|one| view! { <Related one /> }).collect_view()}
        </section>
    }
    .into_any()
}

#[component]
fn Related(one: RelatedLetters) -> impl IntoView {
    let note = note(&one);
    let words = words(&one.by);
    let label = format!("Letters with the same {words}");
    view! {
        <div class="related">
            <p class="note-line">
                {words} " "
                <a class="id" href=links::letters_within(&one.filter, "")>
                    {show_name(&one.value)}
                </a>
            </p>
            {(!one.letters.is_empty())
                .then(|| {
                    view! {
                        <ul aria-label=label>
                            {one.letters.into_iter().map(item).collect_view()}
                        </ul>
                    }
                })}
            {note.map(|text| view! { <p class="note-line"><Spoken text /></p> })}
        </div>
    }
    .into_any()
}

fn item(letter: LetterSummary) -> impl IntoView {
    let at = letter.last_arrived_at;
    let queue = letter.queue.unwrap_or_else(|| "unknown".to_owned());
    let what = letter.message_type.or(letter.error_class);
    let what = what.unwrap_or_else(|| wording::reason(letter.reason).to_owned());
    view! {
        <li>
            <SeverityMark severity=letter.severity />
            <a href=links::letter(letter.id)>{show_line(&what)}</a>
            <span class="id">{show_name(&queue)}</span>
            <Moment at />
            <StateBadge state=letter.state />
        </li>
    }
}

/// What they have in common, for people.
fn words(by: &str) -> String {
    by.replace('_', " ")
}

/// What is to be said below the letters that are told.
fn note(one: &RelatedLetters) -> Option<String> {
    match one.searched_back_to {
        _ if one.has_more => Some("… and more.".to_owned()),
        Some(at) => Some(format!(
            "The search timed out: letters that arrived before {} were not searched.",
            wording::absolute(at)
        )),
        None if one.letters.is_empty() => Some("No other letters.".to_owned()),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, Utc};
    use serde_json::json;

    use super::*;

    fn related(related: Vec<RelatedLetters>) -> String {
        view! { <RelatedLettersView related=Ok(related) /> }.into_any().to_html()
    }

    fn of(letters: Vec<LetterSummary>, searched_back_to: Option<DateTime<Utc>>) -> RelatedLetters {
        RelatedLetters {
            by: "correlation_id".to_owned(),
            value: "saga-<17>".to_owned(),
            filter: "correlation_id:\"saga-<17>\"".to_owned(),
            letters,
            has_more: false,
            searched_back_to,
        }
    }

    #[test]
    fn nothing_in_common_is_no_section() {
        assert!(!related(Vec::new()).contains("<section"));
    }

    #[test]
    fn each_letter_is_told_with_its_day() {
        let letter = json!({
            "id": "019a0f3e-5a4b-7c2d-8e1f-0123456789ab", "state": "held", "severity": "high",
            "source": "dead", "source_id": "019a0f3e-5a4b-7c2d-8e1f-0123456789ab", "queue": "<work>",
            "reason": "rejected", "origin_claimed": false, "size_bytes": 1, "arrivals": 1,
            "first_arrived_at": "2026-11-20T03:00:00Z", "last_arrived_at": "2026-11-21T03:00:00Z",
        });
        let letter = serde_json::from_value(letter).expect("a letter");
        let shown = related(vec![of(vec![letter], None)]);
        let href = "/letters/019a0f3e-5a4b-7c2d-8e1f-0123456789ab";
        for part in ["2026-11-21 03:00:00 UTC", "rejected", "&lt;work&gt;", "held", href] {
            assert!(shown.contains(part), "{part} in {shown}");
        }
        assert!(!shown.contains("No other"), "{shown}");
    }

    #[test]
    fn a_search_that_stopped_does_not_say_that_there_is_none() {
        let shown = related(vec![of(Vec::new(), None)]);
        assert!(shown.contains("No other letters."), "{shown}");
        assert!(shown.contains("saga-&lt;17&gt;") && !shown.contains("<17>"), "{shown}");
        let shown = related(vec![of(Vec::new(), Some(DateTime::UNIX_EPOCH))]);
        assert!(shown.contains("1970-01-01") && !shown.contains("No other"), "{shown}");
    }
}
