//! The part of the page of a new replay that changes what is sent.

use dlo_domain::ids::LetterId;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use crate::api::changes::try_transform;
use crate::components::{ErrorNote, TransformForm, TransformOutcome};

/// A jq program, and what it would make of the letters that the address names.
#[component]
pub(crate) fn TransformPanel() -> impl IntoView {
    let query = use_query_map();
    let asked = Memo::new(move |_| {
        query.with(|query| {
            let of = |name: &str| query.get(name).unwrap_or_default();
            let ids = query.get_all("ids[]").unwrap_or_default();
            let ids: Vec<LetterId> = ids.iter().filter_map(|id| id.parse().ok()).collect();
            (ids, of("q"), of("scope"), of("jq"))
        })
    });
    let preview = Resource::new(
        move || asked.get(),
        |(ids, filter, scope, jq)| try_transform(ids, filter, scope, jq),
    );
    view! {
        <section class="section" id="transform" aria-labelledby="transform-title">
            <header>
                <h2 id="transform-title">"Change what is sent"</h2>
                <span class="note">"the letters keep what arrived"</span>
            </header>
            {move || view! { <TransformForm path="/replays/new" query=query.get() /> }}
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
