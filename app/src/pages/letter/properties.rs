//! The basic properties of an arrival.

use dlo_domain::wire::{Properties, WireText};
use leptos::prelude::*;

use super::wire_table::timestamp;
use crate::visible::show_name;

/// Properties that AMQP 0.9.1 knows.
const KNOWN: usize = 13;

/// The properties that the message carried.
#[component]
pub(super) fn PropertiesTable(
    /// The properties.
    properties: Properties,
) -> impl IntoView {
    let rows = rows(properties);
    view! {
        <section class="section" aria-labelledby="properties-title">
            <header>
                <h2 id="properties-title">"Properties"</h2>
                <span class="note">{rows.len()} " of " {KNOWN} " set"</span>
            </header>
            {if rows.is_empty() {
                view! { <p class="note-line">"The message had none."</p> }.into_any()
            } else {
                view! {
                    <table class="ledger wire">
                        <thead>
                            <tr>
                                <th>"name"</th>
                                <th>"value"</th>
                            </tr>
                        </thead>
                        <tbody>
                            {rows
                                .into_iter()
                                .map(|(name, value)| {
                                    view! {
                                        <tr>
                                            <th scope="row" class="fit">
                                                <span class="id">{name}</span>
                                            </th>
                                            <td class="id value">{show_name(&value)}</td>
                                        </tr>
                                    }
                                })
                                .collect_view()}
                        </tbody>
                    </table>
                }
                    .into_any()
            }}
        </section>
    }
    .into_any()
}

fn rows(properties: Properties) -> Vec<(&'static str, String)> {
    let text = |text: Option<WireText>| text.map(|text| text.to_display().into_owned());
    let mode = properties.delivery_mode.map(|mode| match mode {
        1 => "1, transient".to_owned(),
        2 => "2, persistent".to_owned(),
        other => other.to_string(),
    });
    let expiration = text(properties.expiration).map(|ms| format!("{ms} ms"));
    [
        ("content-type", text(properties.content_type)),
        ("content-encoding", text(properties.content_encoding)),
        ("delivery-mode", mode),
        ("priority", properties.priority.map(|priority| priority.to_string())),
        ("correlation-id", text(properties.correlation_id)),
        ("reply-to", text(properties.reply_to)),
        ("expiration", expiration),
        ("message-id", text(properties.message_id)),
        ("timestamp", properties.timestamp.map(timestamp)),
        ("type", text(properties.kind)),
        ("user-id", text(properties.user_id)),
        ("app-id", text(properties.app_id)),
        ("cluster-id", text(properties.cluster_id)),
    ]
    .into_iter()
    .filter_map(|(name, value)| Some((name, value?)))
    .collect()
}
