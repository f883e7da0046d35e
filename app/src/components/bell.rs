//! The bell at the head of every page: how many alerts fire.

use dlo_domain::alert::Firing;
use leptos::prelude::*;

use crate::desk::desk;
use crate::links;
use crate::reads::begun;

/// Leads to the alerts.
#[component]
pub(crate) fn Bell() -> impl IntoView {
    // Where it cannot be read, no number stands there.
    let firing = begun(async { desk().firing().await });
    let count = Suspend::new(async move { firing.await.ok().and_then(count) });
    view! {
        <a class="bell" href=links::ALERTS>
            <svg width="14" height="16" viewBox="0 0 14 16" fill="none" stroke="currentColor" aria-hidden="true">
                <path d="M2 12V7a5 5 0 0 1 10 0v5l1.5 1H.5zM5.5 15h3" stroke-width="1.5"></path>
            </svg>
            "Alerts"
            <Suspense>{count}</Suspense>
        </a>
    }
    .into_any()
}

fn count(firing: Firing) -> Option<AnyView> {
    let worst = firing.worst?;
    let title = format!("{} firing, the worst is {worst}", firing.count);
    Some(view! { <b class=format!("sev {worst}") title=title>{firing.count}</b> }.into_any())
}
