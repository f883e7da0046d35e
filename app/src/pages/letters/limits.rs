//! What a search had no time to look at.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::filter::{LetterFilter, Moment};
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::{Page, Span};
use leptos::prelude::*;

use crate::components::Spoken;
use crate::{links, wording};

/// Where a search ended before all was looked at, in each of the ways in which it can.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Limits {
    searched_back_to: Option<DateTime<Utc>>,
    unread: Option<Span>,
    texts_read_back_to: Option<DateTime<Utc>>,
}

impl Limits {
    /// Those of the search that found a page.
    pub(super) fn of(page: &Page<LetterSummary>) -> Self {
        let Page { searched_back_to, unread, texts_read_back_to, .. } = *page;
        Self { searched_back_to, unread, texts_read_back_to }
    }

    /// Whether there are any.
    pub(super) fn are_met(self) -> bool {
        self != Self::default()
    }
}

/// The letters and texts that were not looked at, and how to go on.
#[component]
pub(super) fn SearchLimits(limits: Limits, filter: LetterFilter) -> impl IntoView {
    let stopped = limits.searched_back_to.map(|at| {
        let at = wording::absolute(at);
        format!(
            "The search timed out at {at}: letters that arrived before were not searched. \
             \u{201c}Older\u{201d} goes on from there; a term like queue: or age: makes \
             it faster.",
        )
    });
    let unread = limits.unread.map(|span| {
        let (since, until) = (wording::absolute(span.since), wording::absolute(span.until));
        format!(
            "The search index is behind: letters that first arrived between {since} and {until} are not indexed yet. A match among them is missing here; try again in a few minutes.",
        )
    });
    let in_part = limits.texts_read_back_to.map(|at| {
        let told = format!(
            "Long bodies of letters that last arrived before {} were not searched to their end: only the error, the headers and the beginning of the body were. ",
            wording::absolute(at),
        );
        let href = further_back(&filter, at);
        view! {
            <p class="empty" role="status">
                <Spoken text=told />
                <a href=href>"Search these"</a>
                "; a term like queue: or since: makes it faster."
            </p>
        }
    });
    let told = stopped.into_iter().chain(unread);
    let told = told.map(|text| view! { <p class="empty" role="status"><Spoken text /></p> });
    view! {
        {told.collect_view()}
        {in_part}
    }
}

/// The same search, among the letters that last arrived before a time or at it.
fn further_back(filter: &LetterFilter, at: DateTime<Utc>) -> String {
    let until = Moment::At(at + TimeDelta::microseconds(1)).to_string();
    let before = LetterFilter::from_query([("q", &*filter.to_string()), ("until", &*until)]);
    links::letters_matching(&before.unwrap_or_else(|_| filter.clone()))
}
