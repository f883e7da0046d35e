//! What islands know of the page around them.

use leptos::prelude::*;
use serde::de::DeserializeOwned;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{CustomEvent, Element, Event, Response};

/// Told when the page was put together anew.
const SHOWN: &str = "dlo:shown";

/// Told when something happened, with a `LiveEvent` as JSON.
pub(crate) const LIVE: &str = "dlo:live";

/// Told when events come from now on.
pub(crate) const OPEN: &str = "dlo:open";

/// Told when a decision was carried out, with what became of the letters as JSON.
pub(crate) const DECIDED: &str = "dlo:decided";

/// Asks for the page to be read again.
const READ_AGAIN: &str = "dlo:read-again";

/// `data-alive` of an island's element: there once the browser has brought it to life.
pub(crate) fn alive() -> impl Fn() -> Option<&'static str> + Clone + Send + 'static {
    let is_alive = RwSignal::new(false);
    Effect::new(move |_| is_alive.set(true));
    move || is_alive.get().then_some("")
}

/// Calls back with every event of this name, in the browser only.
pub(crate) fn on(name: &'static str, listener: impl Fn(Event) + Clone + 'static) {
    Effect::new(move |_| {
        // A page, and the islands on it, live until it is left.
        window_event_listener_untyped(name, listener.clone());
    });
}

/// Calls back with what every event of this name tells.
pub(crate) fn on_told<T: DeserializeOwned>(
    name: &'static str,
    listener: impl Fn(T) + Clone + 'static,
) {
    on(name, move |event| {
        let told = event.dyn_ref::<CustomEvent>().and_then(|event| event.detail().as_string());
        if let Some(told) = told.and_then(|text| serde_json::from_str(&text).ok()) {
            listener(told);
        }
    });
}

/// Calls back when the page was put together anew.
pub(crate) fn on_shown(listener: impl Fn() + Clone + 'static) {
    on(SHOWN, move |_| listener());
}

/// The properties that the page has now for the island around an element.
pub(crate) fn properties<T: DeserializeOwned>(within: &Element) -> Option<T> {
    let island = within.closest("leptos-island").ok().flatten()?;
    serde_json::from_str(&island.get_attribute("data-props")?).ok()
}

/// What the office answers to a question, as JSON. `None` if it does not, or answers something else.
pub(crate) async fn asked<T: DeserializeOwned>(address: &str) -> Option<T> {
    let answer = JsFuture::from(window().fetch_with_str(address)).await.ok()?;
    let text = answer.dyn_into::<Response>().ok()?.text().ok()?;
    serde_json::from_str(&JsFuture::from(text).await.ok()?.as_string()?).ok()
}

/// Asks for the page to be read again.
pub(crate) fn read_again() {
    if let Ok(event) = Event::new(READ_AGAIN) {
        // Nobody prevents it.
        let _ = window().dispatch_event(&event);
    }
}
