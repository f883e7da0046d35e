//! Where do the dead letters of this queue go, and where shall they?

use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::Said;
use crate::api::queue::{DeadLetteringDraft, QueueView, read_queue};
use crate::components::{DeadLettering, ErrorPanel, FindingList, Notice, Spoken, Waiting, said};
use crate::links;
use crate::visible::{show_line, show_lines, show_name};

/// One queue. It is not read again by itself: that would take away what somebody writes in its form,
/// or the plan that they are looking at.
#[component]
pub(crate) fn QueuePage() -> impl IntoView {
    let (params, query) = (use_params_map(), use_query_map());
    let asked = Memo::new(move |_| {
        let of = |name| query.with(|query| query.get(name).unwrap_or_default());
        let draft = params.with(|params| query.with(|query| DeadLetteringDraft::of(params, query)));
        (draft, of("look"), of("fault"))
    });
    let queue =
        Resource::new(move || asked.get(), |(draft, look, fault)| read_queue(draft, look, fault));
    view! {
        <Title text="Queue" />
        <Notice />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match queue.await {
                    Ok(sheet) => view! { <Sheet sheet /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Sheet(sheet: QueueView) -> impl IntoView {
    let findings = (!sheet.findings.is_empty()).then(|| {
        view! {
            <section class="section" aria-labelledby="findings-title">
                <header>
                    <h2 id="findings-title">"Findings"</h2>
                    <span class="note">"what is lost, and what mends it"</span>
                </header>
                <FindingList rows=sheet.findings />
            </section>
        }
    });
    let notes = sheet
        .notes
        .into_iter()
        .map(|note| view! { <p class="note-line"><Spoken text=note /></p> })
        .collect_view();
    let form = if sheet.no_form.is_empty() {
        view! { <DeadLettering form=sheet.form /> }.into_any()
    } else {
        view! { <p class="second">{show_lines(&sheet.no_form)}</p> }.into_any()
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::QUEUES>"Queues"</a>
                    </li>
                    <li>
                        <a class="id" href=sheet.vhost.0>
                            {show_name(&sheet.vhost.1)}
                        </a>
                    </li>
                </ol>
                <h1>{said(sheet.heading)}</h1>
                {notes}
            </div>
        </div>
        <section class="section" aria-labelledby="facts-title">
            <header>
                <h2 id="facts-title">"What is known of it"</h2>
                <span class="note">{show_line(&sheet.place)}</span>
            </header>
            <dl class="slip">{sheet.facts.into_iter().map(fact).collect_view()}</dl>
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

fn fact((name, value): (String, Said)) -> impl IntoView {
    view! {
        <div>
            <dt>{name}</dt>
            <dd>{said(value)}</dd>
        </div>
    }
    .into_any()
}
