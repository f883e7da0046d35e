//! The particulars of a letter, as on a registered-mail slip.

use chrono::{DateTime, Utc};
use dlo_domain::letter::Letter;
use leptos::prelude::*;

use crate::components::{Ago, SeverityMark};
use crate::visible::show_name;
use crate::wording;

/// Ids and the like.
#[component]
pub(super) fn Particulars(
    /// The letter.
    letter: Letter,
    /// The trace that it belongs to.
    trace: Option<String>,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let summary = letter.summary;
    let told = |text: Option<String>| match text {
        Some(text) => view! { <span class="id">{show_name(&text)}</span> }.into_any(),
        None => view! { <span class="quiet">"unknown"</span> }.into_any(),
    };
    let row = |name, value: AnyView| {
        view! {
            <div class="all">
                <dt>{name}</dt>
                <dd>{value}</dd>
            </div>
        }
    };
    view! {
        <section class="section" aria-labelledby="particulars-title">
            <header>
                <h2 id="particulars-title">"Particulars"</h2>
            </header>
            <dl class="slip">
                <div class="all">
                    <dt>"letter"</dt>
                    <dd class="id">{summary.id.to_string()}</dd>
                </div>
                <div>
                    <dt>"severity"</dt>
                    <dd>
                        <SeverityMark severity=summary.severity />
                    </dd>
                </div>
                <div>
                    <dt>"first arrived"</dt>
                    <dd>
                        <Ago at=summary.first_arrived_at now spoken=true />
                    </dd>
                </div>
                <div>
                    <dt>"last arrived"</dt>
                    <dd>
                        <Ago at=summary.last_arrived_at now spoken=true />
                    </dd>
                </div>
                <div>
                    <dt>"size"</dt>
                    <dd>{wording::count(summary.size_bytes)} " bytes"</dd>
                </div>
                {row("message id, as its sender says", told(summary.message_id))}
                {row("message type", told(summary.message_type))}
                {trace.map(|trace| row("trace", told(Some(trace))))}
                {letter
                    .execution_id
                    .map(|execution| {
                        let href = crate::links::execution(&execution);
                        let link = view! { <a class="id" href=href>{show_name(&execution)}</a> };
                        row("execution", link.into_any())
                    })}
                {letter
                    .worker
                    .map(|worker| {
                        view! {
                            <div>
                                <dt>"worker"</dt>
                                <dd>
                                    <a class="id" href=crate::links::worker(&worker)>
                                        {show_name(&worker)}
                                    </a>
                                </dd>
                            </div>
                        }
                    })}
            </dl>
        </section>
    }
    .into_any()
}
