//! Is it working?

mod acting;
mod approval;
mod controls;
mod head;
mod items;
mod ladder;
mod outcome_bar;
mod pace;
mod plan;
mod unknown;

use dlo_domain::audit::Actor;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::page::Page;
use dlo_domain::replay::{
    LetterSearch, Outcome, OutcomeCounts, Replay, ReplayItem, UnknownOutcome,
};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::claimed_origins::{ClaimedOf, ClaimedOriginsNote};
use super::frame::{Watches, shown};
use super::left_out::LeftOutList;
use super::outcome::Outcome as Notice;
use super::some_letters::{LetterSet, SomeLetters};
use crate::components::Pager;
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::outcome_key::outcome_word;
use crate::query::Query;
use crate::request::now;
use crate::visible::{show_line, show_lines};
use crate::{api, links, wording};
use approval::Approval;
use controls::ReplayControls;
use head::Head;
use items::ReplayItems;
use ladder::Ladder;
use outcome_bar::{OutcomeBar, OutcomePatterns};
use plan::ReplayPlan;
use unknown::UnknownLetters;

/// Letters on one page.
const PAGE: u32 = 100;

/// The headers that every letter is sent without: brokers wrote them, and may drop a message that brings them.
pub(super) const HISTORY: &str =
    "x-death, x-first-death-*, x-last-death-*, x-delivery-count, x-acquired-count";

/// What the page shows.
struct ReplayView {
    /// The replay.
    replay: Replay,
    /// Its letters, in the order of publishing.
    items: Page<ReplayItem>,
    /// Of which outcome; `None` if of any.
    outcome: Option<Outcome>,
    /// Where its unknown letters would be looked for, if that is asked.
    search: Option<Result<LetterSearch, ApiError>>,
}

/// One replay.
#[component]
pub(crate) fn ReplayPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|path| path.get("id").unwrap_or_default());
    let query = Query::of_request();
    let title = format!("Replay {}", show_line(&wording::short(&id)));
    let read = read(id, query.clone());
    view! {
        <Title text=title />
        <Watches events=&["replay", "arrived", "changed"] />
        <OutcomePatterns />
        <Notice />
        {shown(read, |view| view! { <Shown view query /> }.into_any())}
    }
    .into_any()
}

async fn read(id: String, query: Query) -> Result<ReplayView, ApiError> {
    let id: ReplayId = api::id(&id, "replay")?;
    let outcome = query.get("outcome").filter(|word| !word.is_empty());
    let outcome = outcome.map(|word| {
        word.parse().map_err(|fault: UnknownOutcome| ApiError::invalid(fault.to_string()))
    });
    let outcome = outcome.transpose()?;
    let after = api::cursor(&query.get("cursor").unwrap_or_default())?;
    let replay = desk().replay(id).await?;
    let search = if replay.outcomes.unknown > 0 && query.get_str("search").is_some() {
        let search = desk().search_unknown(&Actor::local_operator(), id, true).await;
        Some(search.map_err(ApiError::from))
    } else {
        None
    };
    let items = desk().replay_items(id, outcome, after, PAGE).await?;
    Ok(ReplayView { replay, items, outcome, search })
}

#[component]
fn Shown(view: ReplayView, query: Query) -> impl IntoView {
    let ReplayView { replay, items, outcome, search } = view;
    let now = now();
    let path = replay.id.map(links::replay).unwrap_or_default();
    let done = replay.total - replay.outcomes.pending;
    let title = match outcome {
        Some(outcome) => format!("Letters: {}", outcome_word(outcome)),
        None => "Letters in the order of publishing".to_owned(),
    };
    view! {
        <Head replay=replay.clone() now />
        <Approval replay=replay.clone() />
        <Ladder replay=replay.clone() now />
        <section class="section" aria-labelledby="outcomes-title">
            <header>
                <h2 id="outcomes-title">"Outcomes of the " {wording::count(done)} " decided"</h2>
                <span class="note">
                    "only a confirm without a return counts as sent; the watch goes on for those that may die again"
                </span>
            </header>
            <OutcomeBar counts=replay.outcomes replay=replay.id />
            <ReturnRate counts=replay.outcomes />
        </section>
        {replay
            .id
            .map(|id| view! { <UnknownLetters id unknown=replay.outcomes.unknown search /> })}
        <div class="split">
            <div class="stack">
                <ReplayPlan replay=replay.clone() />
                {replay.transform.clone().map(|transform| view! { <Program jq=transform.jq /> })}
                <ClaimedOriginsNote claimed=replay.claimed_origins.clone() of=ClaimedOf::Replay />
                <LeftOutList left_out=replay.left_out.clone() />
            </div>
            <div class="stack sooner">
                <ReplayControls replay />
            </div>
        </div>
        <section class="section" aria-labelledby="items-title">
            <header>
                <h2 id="items-title">{title}</h2>
                <span class="note">
                    "each without the history that brokers wrote (" <span class="id">{HISTORY}</span>
                    "); what else was left off stands beside it"
                </span>
                {outcome
                    .map(|_| {
                        view! {
                            <span class="end">
                                <a href=path.clone()>"all outcomes"</a>
                            </span>
                        }
                    })}
            </header>
            {if items.items.is_empty() {
                view! { <p class="empty">"No letter of this replay has this outcome."</p> }.into_any()
            } else {
                view! {
                    <WentWrong items=items.items.clone() back=path.clone() />
                    <ReplayItems items=items.items />
                }
                    .into_any()
            }}
        </section>
        <Pager path query next=items.next_cursor label="letters of the replay" />
    }
    .into_any()
}

/// What can be done with those of the page that went wrong.
#[component]
fn WentWrong(items: Vec<ReplayItem>, back: String) -> impl IntoView {
    let wrong = items.into_iter().filter(|item| {
        use Outcome as O;
        matches!(item.outcome, O::DiedAgain | O::Unroutable | O::Refused)
    });
    let ids: Vec<LetterId> = wrong.map(|item| item.letter_id).collect();
    (!ids.is_empty()).then(|| {
        let count = i64::try_from(ids.len()).unwrap_or(i64::MAX);
        let words = format!("{} on this page", wording::counted(count, "failed letter"));
        view! { <SomeLetters letters=LetterSet::These(ids) words back /> }
    })
}

#[component]
fn Program(jq: String) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="jq-title">
            <header>
                <h2 id="jq-title">"What is sent is changed by jq"</h2>
                <span class="note">"the letters keep what arrived"</span>
            </header>
            <pre class="body" tabindex="0" role="group" aria-label="The jq program">
                {show_lines(&jq)}
            </pre>
        </section>
    }
    .into_any()
}

/// How many of those that were delivered came back.
#[component]
fn ReturnRate(counts: OutcomeCounts) -> impl IntoView {
    let delivered = counts.delivered();
    let back = counts.died_again;
    let per_mille = if delivered == 0 { 0 } else { back * 1_000 / delivered };
    (delivered > 0).then(|| {
        view! {
            <p class="note-line">
                "Return rate " <b>{format!("{}.{} %", per_mille / 10, per_mille % 10)}</b> ": "
                {wording::count(back)} " of " {wording::count(delivered)}
                " that were delivered came back so far."
            </p>
        }
    })
}
