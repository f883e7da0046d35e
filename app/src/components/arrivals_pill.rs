//! The pill that says what came since the list was read. The list itself never moves under the
//! pointer: it is read again when the pill is pressed.

use std::collections::BTreeSet;

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use leptos::prelude::*;

use super::Live;
use crate::wording::count;

/// Says how many letters are new, and how many shown ones have changed.
#[component]
pub(crate) fn ArrivalsPill(
    /// The letters that are shown.
    shown: Vec<LetterId>,
    /// Reads the list again.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    let arrived = RwSignal::new(0_i64);
    let changed = RwSignal::new(BTreeSet::new());
    Live::current().on_event(move |event| match event {
        LiveEvent::Arrived {
            letters,
            died_again,
            ..
        } => arrived.update(|sum| *sum += i64::from(*letters) + i64::from(*died_again)),
        LiveEvent::Changed { letters } => {
            let ours: Vec<_> = letters
                .iter()
                .filter(|id| shown.contains(id))
                .copied()
                .collect();
            if !ours.is_empty() {
                changed.update(|set| set.extend(ours));
            }
        }
        LiveEvent::Replay { .. } | LiveEvent::Source { .. } => {}
        LiveEvent::Missed => arrived.update(|sum| *sum += 1),
    });
    let text = move || match (arrived.get(), changed.with(BTreeSet::len)) {
        (0, 0) => None,
        (new, 0) => Some(format!("{} new", count(new))),
        (0, changed) => Some(format!("{changed} changed")),
        (new, changed) => Some(format!("{} new, {changed} changed", count(new))),
    };
    view! {
        <div class="pill-row" role="status">
            {move || {
                text()
                    .map(|text| {
                        view! {
                            <button
                                class="arrivals-pill"
                                type="button"
                                title="Read the list again"
                                on:click=move |_| on_press.run(())
                            >
                                {text}
                            </button>
                        }
                    })
            }}
        </div>
    }
    .into_any()
}
