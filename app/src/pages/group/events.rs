//! What happened to a group, and what people wrote about it.

use chrono::{DateTime, Utc};
use dlo_domain::group::GroupEvent;
use leptos::prelude::*;

use crate::components::{Ago, Spoken};
use crate::visible::show_name;

/// The timeline, newest first.
#[component]
pub(super) fn GroupEvents(
    /// What happened.
    events: Vec<GroupEvent>,
    /// When it was read.
    now: DateTime<Utc>,
) -> impl IntoView {
    if events.is_empty() {
        return view! { <p class="note-line">"No activity yet."</p> }.into_any();
    }
    view! {
        <ul class="log">
            {events
                .into_iter()
                .map(|event| {
                    let is_note = event.action == "note";
                    view! {
                        <li>
                            <Ago at=event.at now />
                            <span>
                                <b>{show_name(&event.actor)}</b>
                                {if is_note { ":".to_owned() } else { format!(" {}", event.action) }}
                                {event
                                    .detail
                                    .map(|detail| {
                                        let class = if is_note { "written" } else { "quiet" };
                                        view! { <small class=class><Spoken text=detail /></small> }
                                    })}
                            </span>
                        </li>
                    }
                })
                .collect_view()}
        </ul>
    }
    .into_any()
}
