//! The letters of the list that are selected: how many they are, and the box that selects all. What is selected is asked
//! of the list itself, since a box may have been checked before this code ran.

use dlo_domain::numbers::counted;
use leptos::html::Input;
use leptos::prelude::*;
use wasm_bindgen::JsCast as _;
use web_sys::HtmlInputElement;

use crate::page;

const BOXES: &str = ".letters-form tbody .pick input";

/// How many letters are selected, in words.
#[island]
pub fn SelectedLetters(
    /// What is said while none is known to be selected.
    none: String,
    /// What is said then, with `{}` in the place of how many letters they are.
    some: String,
) -> impl IntoView {
    let selected = RwSignal::new(0_i64);
    let look = move || {
        let number = boxes().filter(HtmlInputElement::checked).count();
        selected.set(i64::try_from(number).unwrap_or(i64::MAX));
    };
    page::on("change", move |_| look());
    // The boxes are reset once everybody has heard of it.
    page::on("reset", move |_| request_animation_frame(look));
    page::on_shown(look);
    Effect::new(move |_| look());
    let text = move || match selected.get() {
        0 => none.clone(),
        number => some.replace("{}", &counted(number, "letter")),
    };
    view! { <span data-alive=page::alive()>{text}</span> }
}

/// The box that checks all letters of the page, or none.
#[island]
pub fn SelectAll(
    /// What it does, in words.
    label: String,
) -> impl IntoView {
    let own = NodeRef::<Input>::new();
    let check = move |_| {
        if let Some(own) = own.get_untracked() {
            boxes().for_each(|one| one.set_checked(own.checked()));
        }
    };
    view! {
        <input
            class="needs-script"
            type="checkbox"
            aria-label=label
            node_ref=own
            on:change=check
            data-alive=page::alive()
        />
    }
}

fn boxes() -> impl Iterator<Item = HtmlInputElement> {
    let found = document().query_selector_all(BOXES).ok();
    let count = found.as_ref().map_or(0, web_sys::NodeList::length);
    (0..count).filter_map(move |index| found.as_ref()?.get(index)?.dyn_into().ok())
}
