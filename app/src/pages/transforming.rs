//! The part of the page of a new replay that changes what is sent.

use leptos::prelude::*;

use crate::api::changes::try_transform;
use crate::api::replays::ReplayForm;
use crate::components::{ErrorNote, TransformField, TransformOutcome};

/// A jq program, and what would be sent of the letters that the form names. It is a part of that form.
#[component]
pub(crate) fn TransformPanel(
    /// What the form holds.
    form: ReplayForm,
) -> impl IntoView {
    let jq = form.manner.jq.clone();
    let preview = Resource::new(
        move || form.clone(),
        |form| {
            let manner = form.manner;
            let (headers, opens, keeps) =
                (manner.headers, manner.open_envelopes, manner.keep_expiration);
            try_transform(form.ids, form.q, form.scope, manner.jq, headers, opens, keeps)
        },
    );
    view! {
        <section class="section" id="transform" aria-labelledby="transform-title">
            <header>
                <h2 id="transform-title">"Change what is sent"</h2>
                <span class="note">"the letters keep what arrived"</span>
            </header>
            <TransformField jq />
            <Transition>
                {move || Suspend::new(async move {
                    match preview.await {
                        Ok(None) => ().into_any(),
                        Ok(Some(preview)) => view! { <TransformOutcome preview /> }.into_any(),
                        Err(error) => {
                            view! { <ErrorNote error=Signal::stored(Some(error)) /> }.into_any()
                        }
                    }
                })}
            </Transition>
        </section>
    }
    .into_any()
}
