//! The pill that says what came since the list was read. The list itself never moves under the
//! pointer: it is read again when the pill is pressed.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use dlo_domain::page::Total;
use leptos::prelude::*;

use super::Live;
use crate::api::letters::CountArrived;
use crate::wording::count;

/// What happened since the list was read.
#[derive(Clone, Default)]
struct Since {
    changed: BTreeSet<LetterId>,
    missed: bool,
}

impl Since {
    fn take(&mut self, event: &LiveEvent, shown: &[LetterId]) {
        match event {
            LiveEvent::Changed { letters } | LiveEvent::Exhausted { letters } => {
                self.changed.extend(letters.iter().filter(|id| shown.contains(id)));
            }
            LiveEvent::Missed => self.missed = true,
            LiveEvent::Arrived { .. }
            | LiveEvent::Replay { .. }
            | LiveEvent::Source { .. }
            | LiveEvent::Rules
            | LiveEvent::Workers
            | LiveEvent::Executions
            | LiveEvent::Policies
            | LiveEvent::Topology
            | LiveEvent::Alerts
            | LiveEvent::Channels => {}
        }
    }

    /// `arrived` is what the office counted, once it was asked.
    fn text(&self, arrived: Total) -> Option<String> {
        let new = match (arrived.count, arrived.is_least) {
            (0, false) => None,
            (0, true) => Some("There may be new ones: read the list again".to_owned()),
            (new, false) => Some(format!("{} new", count(new))),
            (new, true) => Some(format!("{} or more new", count(new))),
        };
        let changed = match self.changed.len() {
            0 => None,
            changed => Some(format!("{changed} changed")),
        };
        match (new, changed) {
            (None, None) if self.missed => Some("This list may be old: read it again".to_owned()),
            (None, None) => None,
            (Some(one), None) | (None, Some(one)) => Some(one),
            (Some(new), Some(changed)) => Some(format!("{new}, {changed}")),
        }
    }
}

/// Says how many letters are new, and how many shown ones have changed.
#[component]
pub(crate) fn ArrivalsPill(
    /// The filter of the list.
    filter: String,
    /// When the newest letter that matched had arrived.
    newest: DateTime<Utc>,
    /// The letters that are shown.
    shown: Vec<LetterId>,
    /// Whether changes are our own doing, which the list shows by itself.
    #[prop(into)]
    is_ours: Signal<bool>,
    /// Reads the list again.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    let live = Live::current();
    let since = RwSignal::new(Since::default());
    live.on_event(move |event| {
        let is_own = matches!(event, LiveEvent::Changed { .. }) && is_ours.get_untracked();
        if !is_own {
            since.update(|since| since.take(event, &shown));
        }
    });
    // Events say that something came, and not whether this list would show it. Nothing is heard
    // while the stream opens, or while the list is on its way: it is asked then, too.
    let arrived = ServerAction::<CountArrived>::new();
    let version = live.version(|event| matches!(event, LiveEvent::Arrived { .. }));
    Effect::new(move |_| {
        if version.get() > 0 || live.has_begun() {
            arrived.dispatch(CountArrived { filter: filter.clone(), after: newest });
        }
    });
    let text = move || {
        let arrived = arrived.value().get();
        // What could not be asked may be anything.
        let failed = matches!(arrived, Some(Err(_)));
        since.with(|since| {
            let missed = since.missed || failed;
            Since { missed, changed: since.changed.clone() }
                .text(arrived.and_then(Result::ok).unwrap_or(Total::exactly(0)))
        })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_shown_letters_count_as_changed_and_each_once() {
        let [shown, other] = [1, 2].map(|n| LetterId(uuid::Uuid::from_u128(n)));
        let mut since = Since::default();
        let none = Total::exactly(0);
        assert_eq!(since.text(none), None);
        let changed = LiveEvent::Changed { letters: vec![shown, other] };
        since.take(&changed, &[shown]);
        since.take(&changed, &[shown]);
        assert_eq!(since.text(none).as_deref(), Some("1 changed"));
        let new = since.text(Total::exactly(1_204));
        assert_eq!(new.as_deref(), Some("1,204 new, 1 changed"));
    }

    #[test]
    fn what_was_missed_is_said_unless_something_better_is_known() {
        let mut since = Since::default();
        since.take(&LiveEvent::Missed, &[]);
        let may_be_old = "This list may be old: read it again";
        let text = |total| since.text(total);
        assert_eq!(text(Total::exactly(0)).as_deref(), Some(may_be_old));
        assert_eq!(text(Total::exactly(3)).as_deref(), Some("3 new"));
    }

    #[test]
    fn what_was_not_counted_is_not_named() {
        let text = |total| Since::default().text(total);
        assert_eq!(text(Total::at_least(10_000)).as_deref(), Some("10,000 or more new"));
        let unknown = "There may be new ones: read the list again";
        assert_eq!(text(Total::at_least(0)).as_deref(), Some(unknown));
    }
}
