//! The banner over every page: what is degraded, since when, and what is safe.

mod shortened;

use chrono::{DateTime, Utc};
use dlo_domain::office::Trouble;
use leptos::prelude::*;

use super::{Ago, Spoken};
use crate::desk::desk;
use crate::reads::begun;
use crate::request::now;
use crate::wording;
use shortened::Shortened;

/// Shown only when something is not well.
#[component]
pub(crate) fn TroubleBanner() -> impl IntoView {
    let troubles = begun(async { desk().troubles().await });
    let banner = Suspend::new(async move {
        let troubles = troubles.await;
        (!troubles.is_empty()).then(|| {
            let (shortened, now) = (Shortened::of(troubles), now());
            view! {
                <div class="banner" role="status">
                    {said(shortened.always, now)}
                    {(!shortened.folded.is_empty()).then(|| folded(shortened.folded, now))}
                </div>
            }
        })
    });
    view! { <Suspense>{banner}</Suspense> }.into_any()
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
