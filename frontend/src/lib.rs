//! Dead Letter Office in the browser: brings the pages that the server rendered to life.
#![recursion_limit = "256"]

use wasm_bindgen::prelude::wasm_bindgen;

/// Called once by the page's own script.
#[wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_body(dlo_app::App);
}
