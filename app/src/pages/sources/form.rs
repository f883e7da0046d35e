//! The form that adds a source.

use dlo_domain::source::SourceMode;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::AddSource;
use super::draft::{NamingFields, SourceDraft};
use crate::pages::text_field::TextField;

/// Names a queue to be watched: the one that the address names, as links to this form do.
#[component]
pub(super) fn SourceForm(
    /// What stands in it.
    draft: SourceDraft,
) -> impl IntoView {
    let SourceDraft { vhost, queue, mode, name, broker, origins, executions } = draft;
    let vhost = if vhost.is_empty() { "/".to_owned() } else { vhost };
    view! {
        <form method="post" action=AddSource::PATH class="source-form fields">
            <label class="choice">
                <span>"queue"</span>
                <input
                    type="text"
                    name="queue"
                    required
                    maxlength="255"
                    autocomplete="off"
                    spellcheck="false"
                    placeholder="orders.dead"
                    value=queue
                />
            </label>
            <label class="choice">
                <span>"vhost"</span>
                <input
                    type="text"
                    name="vhost"
                    required
                    maxlength="255"
                    autocomplete="off"
                    spellcheck="false"
                    value=vhost
                />
            </label>
            <label class="choice">
                <span>"name, if another"</span>
                <input
                    type="text"
                    name="name"
                    maxlength="255"
                    autocomplete="off"
                    placeholder="as the queue"
                    value=name
                />
            </label>
            <label class="choice">
                <span>"broker, if not main"</span>
                <input
                    type="text"
                    name="broker"
                    maxlength="255"
                    autocomplete="off"
                    placeholder="main"
                    value=broker
                />
            </label>
            <label class="choice">
                <span>"mode"</span>
                <select name="mode">
                    <option value="take" selected=mode == SourceMode::Take>
                        "take: letters leave the queue"
                    </option>
                    <option value="mirror" selected=mode == SourceMode::Mirror>
                        "mirror: letters stay in the queue"
                    </option>
                </select>
            </label>
            <OriginsFieldset origins />
            <NamingFieldset fields=executions />
            <button class="button" type="submit">
                "Watch this queue"
            </button>
        </form>
    }
    .into_any()
}

/// Whose dead letters come to the queue, where the broker's bindings do not show it.
#[component]
fn OriginsFieldset(origins: String) -> impl IntoView {
    let is_written = !origins.is_empty();
    view! {
        <details class="data origins" open=is_written>
            <summary>"Queues that its messages may name"</summary>
            <p class="note-line">
                "Spring, MassTransit and NServiceBus publish what failed, and name its queue in a header that "
                "anybody can write. Without the management API, the broker’s own history is no better. List the "
                "queues that may be believed; letters that name another one are not retried by policies, and "
                "are replayed only by a person who says so."
            </p>
            <div class="fields">
                <label class="choice">
                    <span>"queues, * for any characters"</span>
                    <input
                        type="text"
                        name="origins"
                        maxlength="4096"
                        autocomplete="off"
                        spellcheck="false"
                        placeholder="orders.*, billing"
                        value=origins
                    />
                </label>
            </div>
        </details>
    }
    .into_any()
}

/// Where the queue's messages name the execution that they are about, and what is done with it.
#[component]
fn NamingFieldset(fields: NamingFields) -> impl IntoView {
    let is_written = fields != NamingFields::default();
    let NamingFields { path, header, message_type, reschedule_on } = fields;
    let field = |label: &'static str, name: &'static str, value: String, example: &'static str| {
        view! { <TextField name value label hint=example /> }
    };
    view! {
        <details class="data executions" open=is_written>
            <summary>"Its messages name executions"</summary>
            <p class="note-line">
                "An execution whose message died is failed, or goes to another worker while attempts are left."
            </p>
            <div class="fields">
                {field("path in the body", "executions[path]", path, "/payload/execution_id")}
                {field("or header", "executions[header]", header, "x-execution-id")}
                {field(
                    "only messages of the type",
                    "executions[message_type]", message_type,
                    "ExecutionRequested",
                )}
                {field(
                    "to another worker when it died as",
                    "executions[reschedule_on]", reschedule_on,
                    "expired, rejected",
                )}
            </div>
        </details>
    }
    .into_any()
}
