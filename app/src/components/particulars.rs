//! The particulars of a letter, as on a registered-mail slip.

use chrono::{DateTime, Utc};
use dlo_domain::letter::Letter;
use leptos::prelude::*;

use super::{Ago, SeverityMark};
use crate::visible::show_name;
use crate::wording;

/// Ids and the like.
#[component]
pub(crate) fn Particulars(
    /// The letter.
    letter: Letter,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let summary = letter.summary;
    let told = |text: Option<String>| match text {
        Some(text) => view! { <span class="id">{show_name(&text)}</span> }.into_any(),
        None => view! { <span class="quiet">"not told"</span> }.into_any(),
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
                <div class="all">
                    <dt>"message id, as its sender says"</dt>
                    <dd>{told(summary.message_id)}</dd>
                </div>
                <div class="all">
                    <dt>"message type"</dt>
                    <dd>{told(summary.message_type)}</dd>
                </div>
                {letter
                    .execution_id
                    .map(|execution| {
                        view! {
                            <div class="all">
                                <dt>"execution"</dt>
                                <dd>
                                    <a class="id" href=crate::links::execution(&execution)>
                                        {show_name(&execution)}
                                    </a>
                                </dd>
                            </div>
                        }
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
