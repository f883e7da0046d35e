//! Dead Letter Office in the browser: brings the pages that the server rendered to life.
#![recursion_limit = "256"]

use wasm_bindgen::prelude::wasm_bindgen;
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::{PerformanceEntry, Url, Window};

/// Called once by the page's own script.
#[wasm_bindgen]
pub fn hydrate() {
    if let Some(window) = web_sys::window()
        && is_elsewhere(&window).unwrap_or(false)
    {
        // Nothing more can be done when the browser refuses it.
        let _ = window.location().reload();
        return;
    }
    leptos::mount::hydrate_body(dlo_app::App);
}

/// Whether somebody went back or forth while the page was loading: the browser then shows another address than
/// the one that the server rendered, which cannot be brought to life.
fn is_elsewhere(window: &Window) -> Result<bool, JsValue> {
    let entries = window.performance().map(|all| all.get_entries_by_type("navigation"));
    let Some(loaded) = entries.and_then(|all| all.get(0).dyn_into::<PerformanceEntry>().ok())
    else {
        return Ok(false);
    };
    let (loaded, shown) = (Url::new(&loaded.name())?, window.location());
    Ok((loaded.pathname(), loaded.search()) != (shown.pathname()?, shown.search()?))
}
