//! Changes what is sent of letters: a jq program, and what would be sent.

use dlo_domain::changing::{TransformPreview, TryTransform};
use leptos::prelude::*;

use super::form::ReplayForm;
use super::tried::TransformOutcome;
use crate::components::Spoken;
use crate::desk::desk;
use crate::error::ApiError;
use crate::request::now;
use crate::{api, wording};

/// What would be sent of letters; `None` where neither their bodies nor their headers are changed.
///
/// # Errors
/// A program or a change of headers that cannot be read, no letters chosen, or a desk that does not answer.
pub(super) async fn tried(form: ReplayForm) -> Result<Option<TransformPreview>, ApiError> {
    let fields = form.fields;
    let is_changed = |field: &String| !field.trim().is_empty();
    if ![&fields.jq, &fields.headers, &fields.open_envelopes].into_iter().any(is_changed) {
        return Ok(None);
    }
    let new = fields.what_is_sent().ask(api::selection(form.ids, form.q, &form.scope)?, now())?;
    let asked = TryTransform {
        selection: new.selection,
        transform: new.transform,
        open_envelopes: new.open_envelopes,
        headers: new.headers,
        keep_expiration: new.keep_expiration,
    };
    Ok(Some(desk().try_transform(&asked).await?))
}

/// A jq program, and what would be sent of the letters that the form names. It is a part of that form.
#[component]
pub(super) fn TransformPanel(
    /// The program.
    jq: String,
    /// What would be sent.
    tried: Result<Option<TransformPreview>, ApiError>,
) -> impl IntoView {
    let outcome = match tried {
        Ok(None) => ().into_any(),
        Ok(Some(preview)) => view! { <TransformOutcome preview /> }.into_any(),
        Err(error) => {
            let says = wording::sentence(&error.to_string());
            view! { <p class="error-note" role="alert"><Spoken text=says /></p> }.into_any()
        }
    };
    view! {
        <section class="section" id="transform" aria-labelledby="transform-title">
            <header>
                <h2 id="transform-title">"Change what is sent"</h2>
                <span class="note">"the letters keep what arrived"</span>
            </header>
            <TransformField jq />
            {outcome}
        </section>
    }
    .into_any()
}

/// The field of the program, and the button that tries it: the form around it looks again.
#[component]
fn TransformField(jq: String) -> impl IntoView {
    let has_program = !jq.trim().is_empty();
    view! {
        <div class="stack tight padded">
            <label class="choice code">
                <span>
                    "a jq program that gives one value for each JSON body; empty to send what arrived"
                </span>
                <textarea
                    name="jq"
                    rows="4"
                    maxlength="8000"
                    spellcheck="false"
                    autocomplete="off"
                    placeholder=".customer.country = \"DE\" | del(.debug)"
                >
                    {jq}
                </textarea>
            </label>
            <button class="button" type="submit">
                {if has_program { "Try again" } else { "Try it on these letters" }}
            </button>
        </div>
    }
    .into_any()
}
