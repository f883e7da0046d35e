//! Who did what with a letter, and why.

use dlo_domain::audit::AuditEntry;
use leptos::prelude::*;

use crate::components::{Instant, Spoken};
use crate::visible::show_name;

/// The audit trail, newest first.
#[component]
pub(super) fn AuditLog(
    /// The entries.
    entries: Vec<AuditEntry>,
    /// How many older ones are left out.
    omitted: u32,
) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="audit-title">
            <header>
                <h2 id="audit-title">"Audit"</h2>
                <span class="note">{entries.len()} {if entries.len() == 1 { " entry" } else { " entries" }}</span>
            </header>
            {entries
                .is_empty()
                .then(|| view! { <p class="note-line">"No activity yet."</p> })}
            <ul class="log">
                {entries
                    .into_iter()
                    .map(|entry| {
                        view! {
                            <li>
                                <Instant at=entry.at />
                                <span>
                                    {show_name(&entry.actor)} ": " <span class="id">{entry.action}</span>
                                    {entry
                                        .detail
                                        .map(|detail| view! { <small class="quiet"><Spoken text=detail /></small> })}
                                </span>
                            </li>
                        }
                    })
                    .collect_view()}
            </ul>
            {(omitted > 0).then(|| view! { <p class="note-line">"… and older ones, which are not shown here."</p> })}
        </section>
    }
    .into_any()
}
