//! The sentence that says what became of a letter.

use dlo_domain::letter::Letter;
use dlo_domain::state::LetterState;
use leptos::prelude::*;

use crate::components::{SeverityMark, StateBadge};
use crate::pages::head::{above, crumbs, here_named, named};
use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// The head of a letter's page.
#[component]
pub(super) fn LetterHead(
    /// The letter.
    letter: Letter,
) -> impl IntoView {
    let summary = letter.summary;
    let filter =
        dlo_domain::filter::FilterForm { queue: summary.queue.clone(), ..Default::default() };
    let queue = summary.queue.clone().map(|queue| {
        let href = links::letters(&filter);
        view! {
            " on "
            <a href=href>{show_name(&queue)}</a>
        }
    });
    let its_page = summary.queue.as_ref().map(|queue| {
        let page = links::queue(links::ANY_BROKER, &letter.vhost, queue);
        view! { <a href=page>"the queue it died in"</a> }
    });
    // A message may die many times before it comes: only arrivals are counted here.
    let died = match summary.arrivals {
        ..=1 => "Died".to_owned(),
        many => format!("Arrived {}, last died", wording::times(many)),
    };
    let cause = match summary.error_class.clone() {
        Some(class) => view! {
            " of "
            <span title=show_line(&class)>{show_name(wording::short_class(&class))}</span>
        }
        .into_any(),
        None => format!(": {}", wording::reason_sentence(summary.reason)).into_any(),
    };
    let standing = standing(summary.state);
    let same_failure = match letter.group_letters {
        Some(letters) => format!("Same failure ({})", wording::count(letters)),
        None => "Same failure".to_owned(),
    };
    let letters = [above("Letters", links::LETTERS)].into_iter();
    let queue_above = summary.queue.as_ref().map(|queue| named(queue, links::letters(&filter)));
    let steps = letters.chain(queue_above).chain([here_named(wording::short(&summary.id))]);
    view! {
        <div>
            {crumbs(steps)}
            <h1>{died} {queue} {cause} "." {standing}</h1>
            <p class="meta">
                <SeverityMark severity=summary.severity />
                <StateBadge state=summary.state />
                {summary
                    .message_type
                    .map(|kind| view! { <span class="id">{show_name(&kind)}</span> })}
                <span title=format!("{} bytes", wording::count(summary.size_bytes))>
                    {wording::size(summary.size_bytes)}
                </span>
                <span>{wording::counted(summary.arrivals.into(), "arrival")}</span>
                {summary
                    .group_id
                    .map(|id| {
                        let title = summary.group_title.as_deref().map(show_line);
                        view! {
                            <a href=links::group(id) title=title>
                                {same_failure}
                            </a>
                        }
                    })} {its_page}
            </p>
        </div>
    }
    .into_any()
}

fn standing(state: LetterState) -> &'static str {
    match state {
        LetterState::Held => "",
        LetterState::Scheduled => " It will be replayed automatically.",
        LetterState::Claimed => " A replay has it.",
        LetterState::Replayed => " It was replayed and has not come back.",
        LetterState::Unknown => " It may or may not be in a queue: see its last replay.",
        LetterState::Resolved => " It is resolved.",
        LetterState::Discarded => " It was discarded.",
    }
}
