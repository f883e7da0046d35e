//! The banner over every page: what is degraded, since when, and what is safe.

use dlo_domain::event::LiveEvent;
use leptos::prelude::*;

use super::{Ago, Live};
use crate::api::office::read_troubles;

/// Shown only when something is not well.
#[component]
pub(crate) fn TroubleBanner() -> impl IntoView {
    let version = Live::current().version(|event| matches!(event, LiveEvent::Source { .. }));
    let troubles = Resource::new(move || version.get(), |_| read_troubles());
    view! {
        <Transition>
            {move || Suspend::new(async move {
                let read = troubles.await.ok().filter(|read| !read.troubles.is_empty())?;
                Some(
                    view! {
                        <div class="banner" role="status">
                            {read
                                .troubles
                                .into_iter()
                                .map(|trouble| {
                                    view! {
                                        <p>
                                            {trouble.what} " Since "
                                            <Ago at=trouble.since now=read.now spoken=true /> "."
                                        </p>
                                    }
                                })
                                .collect_view()}
                        </div>
                    },
                )
            })}
        </Transition>
    }
    .into_any()
}
