//! What came of a replay's letters: a bar, and a count for each outcome.

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{Outcome, OutcomeCounts};
use leptos::prelude::*;

use crate::pages::outcome_key::{OutcomeKey, outcome_word};
use crate::{links, wording};

/// In the order of the bar: what went well first. Pending letters are beside it.
const IN_BAR: [Outcome; 7] = [
    Outcome::Settled,
    Outcome::Processed,
    Outcome::Confirmed,
    Outcome::DiedAgain,
    Outcome::Refused,
    Outcome::Unroutable,
    Outcome::Unknown,
];

/// What an outcome means.
fn meaning(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Pending => "not published yet, or the answer is awaited",
        Outcome::Confirmed => "the broker has it in a queue",
        Outcome::Unroutable => "no such queue: held again",
        Outcome::Refused => "not published, or refused by the broker: held again",
        Outcome::Unknown => "it may or may not be in a queue: the detail says why",
        Outcome::DiedAgain => "delivered, failed, and back: held again",
        Outcome::Processed => "its receiver reported success",
        Outcome::Settled => "did not come back while it was watched",
    }
}

/// The patterns that the bar is filled with; once a page.
#[component]
pub(crate) fn OutcomePatterns() -> impl IntoView {
    view! {
        <svg width="0" height="0" aria-hidden="true" class="patterns">
            <defs>
                <pattern
                    id="hatch-settled"
                    width="5"
                    height="5"
                    patternUnits="userSpaceOnUse"
                    patternTransform="rotate(45)"
                >
                    <rect class="h-settled" width="2.5" height="5"></rect>
                </pattern>
                <pattern
                    id="hatch-ink"
                    width="5"
                    height="5"
                    patternUnits="userSpaceOnUse"
                    patternTransform="rotate(45)"
                >
                    <rect class="h-ink" width="2.5" height="5"></rect>
                </pattern>
            </defs>
        </svg>
    }
    .into_any()
}

/// The bar of a replay and its counts; a count leads to its letters.
#[component]
pub(crate) fn OutcomeBar(
    /// The counts.
    counts: OutcomeCounts,
    /// The replay; absent where nothing is to be linked.
    #[prop(optional_no_strip)]
    replay: Option<ReplayId>,
) -> impl IntoView {
    let done = counts.total() - counts.pending;
    let label: Vec<String> = Outcome::ALL
        .into_iter()
        .filter(|outcome| counts.of(*outcome) > 0)
        .map(|outcome| format!("{} {}", wording::count(counts.of(outcome)), outcome_word(outcome)))
        .collect();
    let bar = (done > 0).then(|| {
        view! {
            <svg class="outcome" role="img" aria-label=label.join(", ")>
                {segments(counts, done)
                    .into_iter()
                    .map(|(outcome, from, width)| {
                        let from = percent(from);
                        view! {
                            <rect
                                class=outcome.as_str()
                                x=from.clone()
                                width=percent(width)
                                height="24"
                            ></rect>
                            <line class="gap" x1=from.clone() x2=from y1="0" y2="24"></line>
                        }
                    })
                    .collect_view()}
            </svg>
        }
    });
    view! {
        {bar}
        <ul class="outcome-counts">
            {IN_BAR
                .into_iter()
                .chain([Outcome::Pending])
                .map(|outcome| view! { <Count outcome letters=counts.of(outcome) replay /> })
                .collect_view()}
        </ul>
    }
    .into_any()
}

#[component]
fn Count(outcome: Outcome, letters: i64, replay: Option<ReplayId>) -> impl IntoView {
    let count = wording::count(letters);
    let word = outcome_word(outcome);
    let inside = view! {
        <b>{count}</b>
        // Nobody sees it, but those who hear it need it.
        " "
        {word}
    };
    let href = replay
        .filter(|_| letters > 0)
        .map(|replay| links::with_query(&links::replay(replay), [("outcome", outcome.as_str())]));
    view! {
        <li class:quiet=letters == 0 title=meaning(outcome)>
            <OutcomeKey outcome />
            {match href {
                Some(href) => view! { <a href=href>{inside}</a> }.into_any(),
                None => view! { <span>{inside}</span> }.into_any(),
            }}
        </li>
    }
    .into_any()
}

/// Each outcome that happened with where it begins and how wide it is, in hundredths of a percent.
fn segments(counts: OutcomeCounts, done: i64) -> Vec<(Outcome, i64, i64)> {
    let mut before = 0;
    let mut segments = Vec::new();
    for outcome in IN_BAR {
        let letters = counts.of(outcome);
        if letters > 0 {
            let from = before * 10_000 / done;
            let to = (before + letters) * 10_000 / done;
            segments.push((outcome, from, to - from));
        }
        before += letters;
    }
    segments
}

fn percent(hundredths: i64) -> String {
    format!("{}.{:02}%", hundredths / 100, hundredths % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_segments_fill_the_bar_without_a_gap() {
        let mut counts = OutcomeCounts::default();
        counts.add(Outcome::Confirmed, 1);
        counts.add(Outcome::DiedAgain, 1);
        counts.add(Outcome::Unknown, 1);
        counts.add(Outcome::Pending, 9);
        let segments = segments(counts, 3);
        assert_eq!(
            segments,
            [
                (Outcome::Confirmed, 0, 3_333),
                (Outcome::DiedAgain, 3_333, 3_333),
                (Outcome::Unknown, 6_666, 3_334),
            ]
        );
        assert_eq!(percent(3_333), "33.33%");
    }
}
