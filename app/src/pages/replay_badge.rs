//! The state of a replay as a labelled badge; the border says again what the colour says.

use dlo_domain::replay::ReplayState;
use leptos::prelude::*;

/// How far a replay is.
#[component]
pub(super) fn ReplayBadge(
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
