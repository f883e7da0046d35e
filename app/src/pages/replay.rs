//! Is it working?

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{LeftOut, Outcome, OutcomeCounts, Replay, ReplayItem, ReplayState, Stop};
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::replays::{ControlReplay, ReplayRead, SearchUnknown, read_replay};
use crate::components::{
    Ago, Approval, ClaimedOf, ClaimedOriginsNote, ErrorPanel, Ladder, Live, Notice, OutcomeBar,
    OutcomePatterns, Pager, ReplayBadge, ReplayControls, ReplayItems, ReplayPlan, SomeLetters,
    Spoken, UnknownLetters, Waiting, Which, outcome_word, target_text,
};
use crate::visible::{show_line, show_lines, show_name};
use crate::{links, wording};

/// What every letter is sent without: brokers wrote it, and would take it amiss.
pub(super) const HISTORY: &str =
    "x-death, x-first-death-*, x-last-death-*, x-delivery-count, x-acquired-count";

/// One replay.
#[component]
pub(crate) fn ReplayPage() -> impl IntoView {
    let params = use_params_map();
    let query = use_query_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let of = move |name: &'static str| {
        Memo::new(move |_| query.with(|query| query.get(name).unwrap_or_default()))
    };
    let (outcome, cursor) = (of("outcome"), of("cursor"));
    let version = Live::current().version(move |event| match event {
        LiveEvent::Replay { replay_id } => replay_id.to_string() == id.get_untracked(),
        LiveEvent::Arrived { died_again, .. } => *died_again > 0,
        LiveEvent::Changed { .. } => true,
        LiveEvent::Source { .. }
        | LiveEvent::Rules
        | LiveEvent::Policies
        | LiveEvent::Workers
        | LiveEvent::Topology
        | LiveEvent::Alerts
        | LiveEvent::Channels
        | LiveEvent::Exhausted { .. }
        | LiveEvent::Executions
        | LiveEvent::Missed => false,
    });
    let control = ServerAction::<ControlReplay>::new();
    let search = ServerAction::<SearchUnknown>::new();
    let replay = Resource::new(
        move || {
            let changes = (version.get(), control.version().get(), search.version().get());
            (id.get(), outcome.get(), cursor.get(), changes)
        },
        |(id, outcome, cursor, _)| read_replay(id, outcome, cursor),
    );
    view! {
        <Title text=move || format!("Replay {}", show_line(&wording::short(&id.get()))) />
        <OutcomePatterns />
        <Notice />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match replay.await {
                    Ok(read) => view! { <Read read outcome=outcome.get() control search /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Read(
    read: ReplayRead,
    outcome: String,
    control: ServerAction<ControlReplay>,
    search: ServerAction<SearchUnknown>,
) -> impl IntoView {
    let ReplayRead { now, replay, pace, items } = read;
    let query = use_query_map().get_untracked();
    let outcome: Option<Outcome> = outcome.parse().ok();
    let path = replay.id.map(links::replay).unwrap_or_default();
    let done = replay.total - replay.outcomes.pending;
    let title = match outcome {
        Some(outcome) => format!("Letters: {}", outcome_word(outcome)),
        None => "Letters in the order of publishing".to_owned(),
    };
    view! {
        <Head replay=replay.clone() pace now />
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
            .map(|id| view! { <UnknownLetters id unknown=replay.outcomes.unknown action=search /> })}
        <div class="split">
            <div class="stack">
                <ReplayPlan replay=replay.clone() />
                {replay.transform.clone().map(|transform| view! { <Program jq=transform.jq /> })}
                <ClaimedOriginsNote claimed=replay.claimed_origins.clone() of=ClaimedOf::Replay />
                <LeftOutList left_out=replay.left_out.clone() />
            </div>
            <div class="stack sooner">
                <ReplayControls replay action=control />
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
        view! { <SomeLetters letters=Which::These(ids) words back /> }
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

#[component]
fn Head(replay: Replay, pace: String, now: chrono::DateTime<chrono::Utc>) -> impl IntoView {
    let counts = replay.outcomes;
    let letters = wording::counted(replay.total, "letter");
    let target = target_text(&replay.target, replay.total);
    let parts = parts(counts);
    let verb = match replay.state {
        ReplayState::DryRun => "Would replay",
        ReplayState::AwaitingApproval => "To replay when somebody else approves:",
        ReplayState::Scheduled => "To replay",
        ReplayState::Running => "Replaying",
        ReplayState::Paused => "Paused: the replay of",
        ReplayState::Cancelled => "Cancelled: the replay of",
        ReplayState::Finished => "Replayed",
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href="/replays">"Replays"</a>
                    </li>
                    <li class="id">{replay.id.map(|id| wording::short(&id))}</li>
                </ol>
                <h1>
                    {format!("{verb} {letters} to {target}")}
                    {(!parts.is_empty()).then(|| format!(": {}", parts.join(", ")))} "."
                </h1>
                <p class="meta">
                    <ReplayBadge state=replay.state />
                    <span>"asked " <Ago at=replay.created_at now spoken=true /></span>
                    {replay
                        .finished_at
                        .map(|at| {
                            view! {
                                <span>
                                    {if replay.total == 0 {
                                        "there was nothing to publish "
                                    } else {
                                        "every letter has an outcome, the last one "
                                    }} <Ago at now spoken=true />
                                </span>
                            }
                        })}
                    <span>
                        "by "
                        {match replay.policy_id {
                            Some(policy) => {
                                let form = links::policy_form(&policy.to_string());
                                view! { <a href=form>{show_name(&replay.created_by)}</a> }.into_any()
                            }
                            None => show_name(&replay.created_by),
                        }}
                    </span>
                    {(!pace.is_empty()).then(|| view! { <span>{pace}</span> })}
                    {replay.edited.then(|| view! { <span>"its body was edited by hand"</span> })}
                    {(replay.state == ReplayState::Running)
                        .then_some("it goes on when this page is closed")}
                </p>
                {replay.stopped.map(|stop| view! { <StopLine stop now /> })}
            </div>
        </div>
    }
    .into_any()
}

/// What came of the letters, in the words that stand at their counts.
fn parts(counts: OutcomeCounts) -> Vec<String> {
    [
        (counts.confirmed, "confirmed by the broker"),
        (counts.processed, "processed"),
        (counts.settled, "settled"),
        (counts.died_again, "died again"),
        (counts.refused + counts.unroutable, "not sent"),
        (counts.unknown, "unknown"),
        (counts.pending, "to go"),
    ]
    .into_iter()
    .filter(|(letters, _)| *letters > 0)
    .map(|(letters, what)| format!("{} {what}", wording::count(letters)))
    .collect()
}

/// Why it does not go on.
#[component]
fn StopLine(stop: Stop, now: chrono::DateTime<chrono::Utc>) -> impl IntoView {
    let Stop { at, by, why } = stop;
    let what = match why {
        Some(why) => format!("It stopped by itself: {why}."),
        None => format!("{by} stopped it."),
    };
    view! {
        <p class="stop-line" role="status">
            {show_lines(&what)} " " <Ago at now spoken=true />
        </p>
    }
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

/// Letters that were asked for and left out.
#[component]
pub(super) fn LeftOutList(left_out: Vec<LeftOut>) -> impl IntoView {
    if left_out.is_empty() {
        return ().into_any();
    }
    view! {
        <section class="section" aria-labelledby="left-out-title">
            <header>
                <h2 id="left-out-title">"Left out"</h2>
                <span class="note">"asked for, and not touched"</span>
            </header>
            <ul class="left-out">
                {left_out
                    .into_iter()
                    .map(|left| {
                        view! {
                            <li>
                                <b>{wording::count(left.letters)}</b>
                                <span>
                                    <Spoken text=left.reason />
                                    <small class="examples">
                                        {left
                                            .examples
                                            .into_iter()
                                            .take(5)
                                            .map(|id| {
                                                view! {
                                                    <a class="id" href=links::letter(id)>
                                                        {wording::short(&id)}
                                                    </a>
                                                }
                                            })
                                            .collect_view()}
                                    </small>
                                </span>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
        </section>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_settled_is_not_said_to_be_confirmed_beside_a_count_of_none() {
        let mut counts = OutcomeCounts::default();
        counts.add(Outcome::Settled, 2);
        counts.add(Outcome::Processed, 1);
        assert_eq!(parts(counts), ["1 processed", "2 settled"]);
        counts.add(Outcome::Confirmed, 4);
        counts.add(Outcome::Refused, 1);
        counts.add(Outcome::Unroutable, 1);
        let told = ["4 confirmed by the broker", "1 processed", "2 settled", "2 not sent"];
        assert_eq!(parts(counts), told);
    }
}
