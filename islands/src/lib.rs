//! The islands: the parts of a page that need a program in the browser. The server renders them as it renders
//! everything else; a browser loads this crate, as WebAssembly, for pages that have one.
//!
//! An island is never put together anew while its page is open: `public/scripts/morph.js` leaves it as it is, and gives it
//! the properties that the page has now. See `page::on_shown`.

mod arrivals_pill;
mod filter_box;
mod page;
mod selected_letters;
mod since;
mod toast;

pub use arrivals_pill::ArrivalsPill;
pub use filter_box::{FAULT_ID, FilterBox};
pub use selected_letters::{SelectAll, SelectedLetters};
pub use toast::ToastPlace;

/// Called once by the page's own script, before it brings the islands to life.
#[cfg(feature = "hydrate")]
#[wasm_bindgen::prelude::wasm_bindgen]
pub fn hydrate() {
    leptos::mount::hydrate_islands();
}
