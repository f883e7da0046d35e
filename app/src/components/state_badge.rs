//! States as labelled badges; the border says again what the colour says.

use dlo_domain::group::GroupState;
use dlo_domain::replay::ReplayState;
use dlo_domain::state::LetterState;
use leptos::prelude::*;

/// The state of a letter.
#[component]
pub(crate) fn StateBadge(
    /// Which.
    state: LetterState,
) -> impl IntoView {
    view! { <span class=format!("state {state}")>{state.as_str()}</span> }
}

/// How far a replay is.
#[component]
pub(crate) fn ReplayBadge(
    /// How far.
    state: ReplayState,
) -> impl IntoView {
    let class = match state {
        ReplayState::DryRun | ReplayState::AwaitingApproval => "state held",
        ReplayState::Scheduled => "state scheduled",
        ReplayState::Running => "state claimed",
        ReplayState::Paused => "state unknown",
        ReplayState::Cancelled => "state discarded",
        ReplayState::Finished => "state resolved",
    };
    view! { <span class=class>{state.as_str().replace('_', " ")}</span> }
}

/// Where a group stands: a dot, a word, and an edge of its own.
#[component]
pub(crate) fn GroupBadge(
    /// Where.
    state: GroupState,
) -> impl IntoView {
    view! { <span class=format!("state dotted {state}")>{state.as_str()}</span> }
}
