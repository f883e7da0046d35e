//! What happens while a page is open: one stream of events for the whole application.
//!
//! Events are hints. Pages ask again for what they show; nothing is taken from an event itself.

use std::time::Duration;

use dlo_domain::event::LiveEvent;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{EventSource, MessageEvent};

const STREAM: &str = "/events";

/// Before a stream that the server refused is asked for again.
const AGAIN: Duration = Duration::from_secs(5);

/// Letters are grouped so long after their arrival at most, when all is well.
const GROUPED: Duration = Duration::from_secs(3);

/// Pages ask again at most this often.
const BREATH: Duration = Duration::from_secs(1);

/// The stream of events.
#[derive(Clone, Copy)]
pub(crate) struct Live {
    last: RwSignal<Option<LiveEvent>>,
    is_open: RwSignal<Option<bool>>,
    /// Whether the stream was ever open.
    has_begun: RwSignal<bool>,
}

impl Live {
    /// The stream of this application.
    pub(crate) fn current() -> Self {
        expect_context()
    }

    /// Whether the stream was open before this page was made.
    pub(crate) fn has_begun(self) -> bool {
        self.has_begun.get_untracked()
    }

    /// Calls back with every event from now on, in the browser only.
    pub(crate) fn on_event(self, mut listener: impl FnMut(&LiveEvent) + 'static) {
        Effect::new(move |began: Option<()>| {
            self.last.with(|event| {
                // The first run finds the event that came last before this page.
                if let (Some(()), Some(event)) = (began, event) {
                    listener(event);
                }
            });
        });
    }

    /// A number that grows when something of concern happened, at most once a second: put it
    /// into the source of a resource to have it asked for again.
    pub(crate) fn version(
        self,
        is_of_concern: impl Fn(&LiveEvent) -> bool + 'static,
    ) -> ReadSignal<u32> {
        let (version, grow) = signal(0);
        let waits = StoredValue::new(false);
        let soon = move || {
            if waits.try_get_value() == Some(false) {
                waits.set_value(true);
                set_timeout(
                    move || {
                        // The page may be gone by now.
                        if waits.try_update_value(|waits| *waits = false).is_some() {
                            grow.try_update(|version| *version += 1);
                        }
                    },
                    BREATH,
                );
            }
        };
        self.on_event(move |event| {
            if matches!(event, LiveEvent::Missed) || is_of_concern(event) {
                soon();
            }
        });
        // Nobody told of what happened between the making of this page and the stream's opening.
        if !self.has_begun.get_untracked() {
            Effect::new(move |_| {
                if self.has_begun.get() {
                    soon();
                }
            });
        }
        version
    }

    /// As `version`, for what groups show: it grows once more when the letters are grouped, of
    /// which nobody tells.
    pub(crate) fn groups_version(self) -> Memo<u32> {
        self.version_and_after(|event| {
            matches!(
                event,
                LiveEvent::Arrived { .. } | LiveEvent::Changed { .. } | LiveEvent::Replay { .. }
            )
        })
    }

    /// As `version`, and once more when the letters that came are grouped.
    pub(crate) fn version_and_after(
        self,
        is_of_concern: impl Fn(&LiveEvent) -> bool + 'static,
    ) -> Memo<u32> {
        let version = self.version(is_of_concern);
        let (after, grow) = signal(0);
        Effect::new(move |_| {
            if version.get() > 0 {
                set_timeout(
                    move || {
                        // The page may be gone by then.
                        grow.try_update(|after| *after += 1);
                    },
                    GROUPED,
                );
            }
        });
        Memo::new(move |_| version.get() + after.get())
    }
}

/// Opens the stream once the page has come to life.
pub(crate) fn provide_live() {
    let live = Live {
        last: RwSignal::new(None),
        is_open: RwSignal::new(None),
        has_begun: RwSignal::new(false),
    };
    provide_context(live);
    Effect::new(move |_| open(live));
}

fn open(live: Live) {
    let Ok(stream) = EventSource::new(STREAM) else {
        return;
    };
    let on_message = Closure::<dyn FnMut(MessageEvent)>::new(move |message: MessageEvent| {
        if let Some(text) = message.data().as_string()
            && let Ok(event) = serde_json::from_str(&text)
        {
            live.last.set(Some(event));
        }
    });
    let on_open = Closure::<dyn FnMut()>::new(move || {
        if live.is_open.get_untracked() == Some(false) {
            live.last.set(Some(LiveEvent::Missed));
        }
        live.is_open.set(Some(true));
        if !live.has_begun.get_untracked() {
            live.has_begun.set(true);
        }
    });
    let failed = stream.clone();
    let on_error = Closure::<dyn FnMut()>::new(move || {
        live.is_open.set(Some(false));
        // The browser tries again by itself, but for an answer that is no stream.
        if failed.ready_state() == EventSource::CLOSED {
            set_timeout(move || open(live), AGAIN);
        }
    });
    stream.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    stream.set_onopen(Some(on_open.as_ref().unchecked_ref()));
    stream.set_onerror(Some(on_error.as_ref().unchecked_ref()));
    // They live as long as the page.
    on_message.forget();
    on_open.forget();
    on_error.forget();
}

/// Says whether the page is live.
#[component]
pub(crate) fn LiveMark() -> impl IntoView {
    let is_open = Live::current().is_open;
    view! {
        <span class="live" data-live=move || is_open.get().map(|open| open.to_string()) role="status">
            {move || match is_open.get() {
                None => "",
                Some(true) => "live",
                Some(false) => "not live, trying again",
            }}
        </span>
    }
    .into_any()
}
