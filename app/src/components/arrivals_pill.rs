//! The pill that says what came since the list was read. The list itself never moves under the
//! pointer: it is read again when the pill is pressed.

use std::collections::BTreeSet;

use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use leptos::prelude::*;

use super::Live;
use crate::wording::count;

/// What came since the list was read.
#[derive(Clone, Default)]
struct Since {
    arrived: i64,
    changed: BTreeSet<LetterId>,
    missed: bool,
}

impl Since {
    fn take(&mut self, event: &LiveEvent, shown: &[LetterId]) {
        match event {
            LiveEvent::Arrived {
                letters,
                died_again,
                ..
            } => self.arrived += i64::from(*letters) + i64::from(*died_again),
            LiveEvent::Changed { letters } => self
                .changed
                .extend(letters.iter().filter(|id| shown.contains(id))),
            LiveEvent::Replay { .. } | LiveEvent::Source { .. } => {}
            LiveEvent::Missed => self.missed = true,
        }
    }

    fn text(&self) -> Option<String> {
        match (self.arrived, self.changed.len()) {
            (0, 0) if self.missed => Some("This list may be old: read it again".to_owned()),
            (0, 0) => None,
            (new, 0) => Some(format!("{} new", count(new))),
            (0, changed) => Some(format!("{changed} changed")),
            (new, changed) => Some(format!("{} new, {changed} changed", count(new))),
        }
    }
}

/// Says how many letters are new, and how many shown ones have changed.
#[component]
pub(crate) fn ArrivalsPill(
    /// The letters that are shown.
    shown: Vec<LetterId>,
    /// Whether changes are our own doing, which the list shows by itself.
    #[prop(into)]
    is_ours: Signal<bool>,
    /// Reads the list again.
    #[prop(into)]
    on_press: Callback<()>,
) -> impl IntoView {
    let since = RwSignal::new(Since::default());
    Live::current().on_event(move |event| {
        let is_own = matches!(event, LiveEvent::Changed { .. }) && is_ours.get_untracked();
        if !is_own {
            since.update(|since| since.take(event, &shown));
        }
    });
    let text = move || since.with(Since::text);
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
    use dlo_domain::ids::SourceId;

    use super::*;

    #[test]
    fn only_shown_letters_count_as_changed_and_each_once() {
        let [shown, other] = [1, 2].map(|n| LetterId(uuid::Uuid::from_u128(n)));
        let mut since = Since::default();
        assert_eq!(since.text(), None);
        let changed = LiveEvent::Changed {
            letters: vec![shown, other],
        };
        since.take(&changed, &[shown]);
        since.take(&changed, &[shown]);
        assert_eq!(since.text().as_deref(), Some("1 changed"));
        let arrived = LiveEvent::Arrived {
            source_id: SourceId(uuid::Uuid::nil()),
            letters: 1_200,
            died_again: 4,
        };
        since.take(&arrived, &[shown]);
        assert_eq!(since.text().as_deref(), Some("1,204 new, 1 changed"));
    }
}
