//! What a replay is, how far it is, and why it does not go on.

use chrono::{DateTime, Utc};
use dlo_domain::replay::{OutcomeCounts, Replay, ReplayState, Stop};
use leptos::prelude::*;

use super::pace;
use crate::components::Ago;
use crate::pages::head::{above, crumbs, here_named};
use crate::pages::replay_badge::ReplayBadge;
use crate::pages::target_text::target_text;
use crate::visible::{show_lines, show_name};
use crate::{links, wording};

/// The head of the page.
#[component]
pub(super) fn Head(
    /// The replay.
    replay: Replay,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let counts = replay.outcomes;
    let pace = replay.pace.map(pace::text);
    let letters = wording::counted(replay.total, "letter");
    let target = target_text(&replay.target, replay.total);
    let parts = parts(counts);
    let verb = match replay.state {
        ReplayState::DryRun => "Would replay",
        ReplayState::AwaitingApproval => "To replay once another person approves:",
        ReplayState::Scheduled => "To replay",
        ReplayState::Running => "Replaying",
        ReplayState::Paused => "Paused: the replay of",
        ReplayState::Cancelled => "Cancelled: the replay of",
        ReplayState::Finished => "Replayed",
    };
    view! {
        <div class="answer">
            <div>
                {crumbs([above("Replays", links::REPLAYS), here_named(replay.id.map(|id| wording::short(&id)))])}
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
                    {pace.map(|pace| view! { <span>{pace}</span> })}
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
fn StopLine(stop: Stop, now: DateTime<Utc>) -> impl IntoView {
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

#[cfg(test)]
mod tests {
    use dlo_domain::replay::Outcome;

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
