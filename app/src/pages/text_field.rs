//! A line of text in a form.

use leptos::prelude::*;

/// A field for a line of text.
#[component]
pub(super) fn TextField(
    /// Its name in what is sent.
    name: &'static str,
    /// What stands in it.
    value: String,
    /// What it is for.
    label: &'static str,
    /// What stands in it while it is empty.
    #[prop(into)]
    hint: String,
    /// How many characters it takes.
    #[prop(default = 255)]
    most: i32,
    /// Whether nothing is sent without it.
    #[prop(optional)]
    required: bool,
    /// The id of a `datalist` with texts that it offers.
    #[prop(optional)]
    list: Option<&'static str>,
) -> impl IntoView {
    view! {
        <label class="choice">
            <span>{label}</span>
            <input
                type="text"
                name=name
                value=value
                placeholder=hint
                maxlength=most
                required=required
                list=list
                autocomplete="off"
                spellcheck="false"
            />
        </label>
    }
    .into_any()
}
