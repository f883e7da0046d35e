//! The banner over every page: what is degraded, since when, and what is safe.

mod saying;

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::office::Trouble;
use leptos::prelude::*;

use super::{Ago, Live, Spoken};
use crate::api::office::{Troubles, read_troubles};
use crate::error::ApiError;
use crate::wording;
use saying::Sayings;

/// What asks for attention on every page: what is not well, and what fires. Read once, for the banner and the bell.
#[derive(Clone, Copy)]
pub(crate) struct Attention {
    /// What was read last.
    pub(crate) read: Resource<Result<Troubles, ApiError>>,
}

impl Attention {
    /// That of this application.
    pub(crate) fn current() -> Self {
        expect_context()
    }
}

/// Begins to read what asks for attention.
pub(crate) fn provide_attention() {
    let version = Live::current()
        .version(|event| matches!(event, LiveEvent::Source { .. } | LiveEvent::Alerts));
    let read = Resource::new(move || version.get(), |_| read_troubles());
    provide_context(Attention { read });
}

/// Shown only when something is not well.
#[component]
pub(crate) fn TroubleBanner() -> impl IntoView {
    let troubles = Attention::current().read;
    view! {
        <Transition>
            {move || Suspend::new(async move {
                let read = troubles.await.ok().filter(|read| !read.troubles.is_empty())?;
                let (says, now) = (Sayings::of(read.troubles), read.now);
                Some(
                    view! {
                        <div class="banner" role="status">
                            {said(says.told, now)}
                            {(!says.folded.is_empty()).then(|| folded(says.folded, now))}
                        </div>
                    },
                )
            })}
        </Transition>
    }
    .into_any()
}

fn said(troubles: Vec<Trouble>, now: DateTime<Utc>) -> impl IntoView + use<> {
    troubles
        .into_iter()
        .map(|trouble| {
            view! {
                <p><Spoken text=trouble.what /> " Since " <Ago at=trouble.since now spoken=true /> "."</p>
            }
        })
        .collect_view()
}

/// Many sources: how many, and which on demand.
fn folded(sources: Vec<Trouble>, now: DateTime<Utc>) -> impl IntoView + use<> {
    let number = i64::try_from(sources.len()).unwrap_or(i64::MAX);
    view! {
        <p>
            <a href="/sources">{wording::counted(number, "source")} " need attention"</a>
            ". Every letter taken so far is kept."
        </p>
        <details>
            <summary>"Which, and why"</summary>
            {said(sources, now)}
        </details>
    }
}
