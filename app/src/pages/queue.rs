//! Where do the dead letters of this queue go, and where shall they?

mod acting;
mod draft;
mod facts;
mod form;
mod plan;
mod view;

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::frame::{Watches, shown};
use super::outcome::Outcome;
use super::queues::FindingList;
use super::said::{fact, said};
use crate::components::Spoken;
use crate::links;
use crate::pages::head::{PageHead, above, crumbs, named};
use crate::query::Query;
use crate::visible::{show_line, show_lines};
use draft::DeadLetteringDraft;
use form::DeadLettering;
use view::QueueView;

/// One queue.
#[component]
pub(crate) fn QueuePage() -> impl IntoView {
    let (path, query) = (use_params_map().get_untracked(), Query::of_request());
    let draft = DeadLetteringDraft::of(&path, &query);
    let [look, fault] = ["look", "fault"].map(|name| query.get(name).unwrap_or_default());
    let read = async move { view::of(draft, &look, &fault).await };
    view! {
        <Title text="Queue" />
        <Watches events=&["topology"] />
        <Outcome />
        {shown(read, |view| view! { <Sheet view /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Sheet(view: QueueView) -> impl IntoView {
    let findings = (!view.findings.is_empty()).then(|| {
        view! {
            <section class="section" aria-labelledby="findings-title">
                <header>
                    <h2 id="findings-title">"Findings"</h2>
                    <span class="note">"what is lost, and how to fix it"</span>
                </header>
                <FindingList rows=view.findings />
            </section>
        }
    });
    let notes = view
        .notes
        .into_iter()
        .map(|note| view! { <p class="note-line"><Spoken text=note /></p> })
        .collect_view();
    let form = if view.no_form.is_empty() {
        view! { <DeadLettering form=view.form /> }.into_any()
    } else {
        view! { <p class="second">{show_lines(&view.no_form)}</p> }.into_any()
    };
    view! {
        <PageHead
            crumbs=crumbs([above("Queues", links::QUEUES), named(&view.vhost.words, view.vhost.href)])
            heading=said(view.heading)
        >
            {notes}
        </PageHead>
        <section class="section" aria-labelledby="facts-title">
            <header>
                <h2 id="facts-title">"What is known of it"</h2>
                <span class="note">{show_line(&view.place)}</span>
            </header>
            <dl class="slip">{view.facts.into_iter().map(fact).collect_view()}</dl>
        </section>
        {findings}
        <section class="section" id="dead-lettering" aria-labelledby="dead-lettering-title">
            <header>
                <h2 id="dead-lettering-title">"Dead-lettering"</h2>
                <span class="note">"by policy: no queue is declared again"</span>
            </header>
            {form}
        </section>
    }
    .into_any()
}
