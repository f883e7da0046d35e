//! Dead-letter queues that nobody takes letters from, each with a button that does.

use leptos::form::ActionForm;
use leptos::prelude::*;

use super::{Spoken, disabled_while};
use crate::api::sources::{AddSource, FoundList, FoundRow};
use crate::links;
use crate::visible::show_name;

/// The queues. Nothing when there are none.
#[component]
pub(crate) fn FoundQueues(
    /// The queues.
    found: FoundList,
    /// The action that watches one.
    add: ServerAction<AddSource>,
) -> impl IntoView {
    if found.rows.is_empty() {
        return ().into_any();
    }
    let waits = Signal::derive(move || add.pending().get());
    let rows = found.rows.into_iter().map(move |one| row(one, add, waits));
    let more = found.is_more.then(|| {
        view! {
            <p class="note-line">
                <a href=links::QUEUES>"There are more among all queues"</a>
            </p>
        }
    });
    view! {
        <section class="section" aria-labelledby="found-title">
            <header>
                <h2 id="found-title">"Dead-letter queues that nobody takes letters from"</h2>
            </header>
            <ul class="sources">{rows.collect_view()}</ul>
            {more}
        </section>
    }
    .into_any()
}

fn row(one: FoundRow, add: ServerAction<AddSource>, waits: Signal<bool>) -> AnyView {
    let fields = [
        ("queue", one.queue.clone()),
        ("vhost", one.vhost.clone()),
        ("broker", one.broker.clone()),
        ("mode", "take".to_owned()),
    ];
    view! {
        <li>
            <div class="say">
                <h3>
                    <a class="id" href=one.href>
                        {show_name(&one.queue)}
                    </a>
                </h3>
                <p class="meta">
                    <span>
                        "vhost " <span class="id">{show_name(&one.vhost)}</span> ", broker "
                        <span class="id">{show_name(&one.broker)}</span>
                    </span>
                </p>
                <p class="detail">
                    <Spoken text=one.why />
                </p>
            </div>
            <dl class="counts">
                <div>
                    <dt>"waiting"</dt>
                    <dd>{one.ready}</dd>
                </div>
            </dl>
            <div class="actions">
                <ActionForm action=add>
                    {fields
                        .into_iter()
                        .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
                        .collect_view()}
                    <button class="button" type="submit" disabled=disabled_while(waits)>
                        "Watch"
                    </button>
                </ActionForm>
            </div>
        </li>
    }
    .into_any()
}
