//! What to know before a replay is made, at the button that makes it.

use dlo_domain::replay::{ReplayWarning, WarningKind};
use leptos::prelude::*;

use crate::visible::{show_lines, show_within};
use crate::wording;

/// Warnings that are told one by one; the others are counted.
const MOST_TOLD: usize = 6;

/// The warnings, what must fail first.
#[component]
pub(super) fn ReplayWarnings(
    /// The warnings.
    warnings: Vec<ReplayWarning>,
    /// Whether the form around it takes another worker for its target, and changes of headers.
    takes_offers: bool,
) -> impl IntoView {
    if warnings.is_empty() {
        return ().into_any();
    }
    let more = warnings.len().saturating_sub(MOST_TOLD);
    let more = (more > 0).then(|| {
        let more = wording::counted(i64::try_from(more).unwrap_or(i64::MAX), "more warning");
        view! { <li>{format!("And {more} like these: see where the letters go.")}</li> }
    });
    let told = warnings.into_iter().take(MOST_TOLD);
    view! {
        <ul class="warnings" aria-label="Before you replay">
            {told.map(|warning| view! { <Warning warning takes_offers /> }).collect_view()} {more}
        </ul>
    }
    .into_any()
}

#[component]
fn Warning(warning: ReplayWarning, takes_offers: bool) -> impl IntoView {
    let word = if warning.will_fail { "This will fail. " } else { "Careful. " };
    let worker = warning.fresh_worker.filter(|_| takes_offers);
    let offer = worker.map(|worker| {
        let words = format!("Send to worker {} instead: it is at work", show_within(&worker));
        view! {
            <button class="button" type="submit" name="to_worker" value=worker>
                {words}
            </button>
        }
    });
    let remedy = warning.remedy.filter(|_| takes_offers).map(|remedy| {
        view! {
            <button class="button" type="submit" name="more_headers" value=remedy.to_string()>
                {if remedy.set.is_empty() { "Leave it out" } else { "Reset it" }}
            </button>
        }
    });
    let opens = (warning.kind == WarningKind::ErrorEnvelope && takes_offers).then(|| {
        view! {
            <button class="button" type="submit" name="open_envelopes" value="on">
                "Send what is inside"
            </button>
        }
    });
    view! {
        <li data-fails=warning.will_fail.then_some("")>
            <p>
                <b>{word}</b>
                {show_lines(&warning.message)}
            </p>
            {offer} {remedy} {opens}
        </li>
    }
    .into_any()
}
