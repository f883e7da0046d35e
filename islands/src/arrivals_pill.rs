//! The pill that says what came since the list was read. The list itself never moves under the pointer: it is read
//! again when the pill is pressed.

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::LetterId;
use dlo_domain::page::Total;
use leptos::html::Div;
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde::Deserialize;
use web_sys::UrlSearchParams;

use crate::page;
use crate::since::Since;

/// Events of our own decisions have come by then.
const ECHO: Duration = Duration::from_secs(3);

/// The office is asked at most this often what came.
const BREATH: Duration = Duration::from_secs(1);

/// The list as it was read.
#[derive(Clone, PartialEq, Deserialize)]
struct List {
    read_at: DateTime<Utc>,
    filter: String,
    newest: DateTime<Utc>,
    shown: Vec<LetterId>,
}

/// What the pill knows.
#[derive(Clone, Copy)]
struct Known {
    list: StoredValue<List>,
    since: RwSignal<Since>,
    /// How many decisions of this page may still be told as events.
    echoes: StoredValue<u32>,
    /// Whether the office is about to be asked.
    waits: StoredValue<bool>,
}

/// Says how many letters are new, and how many shown ones have changed.
#[island]
pub fn ArrivalsPill(
    /// When the list was read.
    read_at: DateTime<Utc>,
    /// The filter of the list.
    filter: String,
    /// When the newest letter that matched had arrived.
    newest: DateTime<Utc>,
    /// The letters that are shown.
    shown: Vec<LetterId>,
) -> impl IntoView {
    let place = NodeRef::<Div>::new();
    let known = Known {
        list: StoredValue::new(List { read_at, filter, newest, shown }),
        since: RwSignal::new(Since::default()),
        echoes: StoredValue::new(0),
        waits: StoredValue::new(false),
    };
    page::on_told(page::LIVE, move |event| known.hear(&event));
    page::on(page::DECIDED, move |_| known.expect_echo());
    page::on_shown(move || {
        if let Some(now) = place.get_untracked().and_then(|own| page::properties(&own)) {
            known.begin_anew(now);
        }
    });
    // Nobody tells of what came between the reading of the list and then.
    page::on(page::OPEN, move |_| known.ask_soon());
    Effect::new(move |_| known.ask_soon());
    view! {
        <div class="pill-row" role="status" node_ref=place data-alive=page::alive()>
            {move || {
                known
                    .since
                    .with(Since::text)
                    .map(|text| {
                        view! {
                            <button
                                class="arrivals-pill"
                                type="button"
                                title="Read the list again"
                                on:click=move |_| page::read_again()
                            >
                                {text}
                            </button>
                        }
                    })
            }}
        </div>
    }
}

impl Known {
    fn hear(self, event: &LiveEvent) {
        match event {
            // Events say that something came, and not whether this list would show it.
            LiveEvent::Arrived { .. } => self.ask_soon(),
            // Our own doing, which the list shows already or is about to.
            LiveEvent::Changed { .. } if self.echoes.get_value() > 0 || is_deciding() => {}
            _ => {
                let shown = self.list.with_value(|list| list.shown.clone());
                self.since.update(|since| since.take(event, &shown));
            }
        }
    }

    fn expect_echo(self) {
        self.echoes.update_value(|echoes| *echoes += 1);
        set_timeout(move || self.echoes.update_value(|echoes| *echoes -= 1), ECHO);
    }

    /// The page was put together anew: perhaps with a list that was read again, since which nothing happened.
    fn begin_anew(self, now: List) {
        if self.list.with_value(|list| *list != now) {
            self.list.set_value(now);
            self.since.set(Since::default());
        }
    }

    fn ask_soon(self) {
        if self.waits.get_value() {
            return;
        }
        self.waits.set_value(true);
        set_timeout(
            move || {
                self.waits.set_value(false);
                self.ask();
            },
            BREATH,
        );
    }

    fn ask(self) {
        let list = self.list.get_value();
        spawn_local(async move {
            let arrived = arrived_after(&list).await;
            // The list may have been read again meanwhile.
            if self.list.with_value(|now| *now == list) {
                self.since.update(|since| match arrived {
                    Some(arrived) => since.arrived = arrived,
                    // What could not be asked may be anything.
                    None => since.missed = true,
                });
            }
        });
    }
}

/// Whether the answer to a decision is awaited.
fn is_deciding() -> bool {
    let form = document().query_selector("[data-decides][aria-busy=true]");
    form.is_ok_and(|form| form.is_some())
}

/// How many letters came since the list was read. `None` if that could not be asked.
async fn arrived_after(list: &List) -> Option<Total> {
    let query = UrlSearchParams::new().ok()?;
    query.append("filter", &list.filter);
    query.append("after", &list.newest.to_rfc3339());
    page::asked(&format!("/letters/arrived?{}", String::from(query.to_string()))).await
}
