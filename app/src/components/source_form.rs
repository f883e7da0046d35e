//! The form that adds a source.

use leptos::form::ActionForm;
use leptos::prelude::*;
use leptos_router::hooks::use_query_map;

use super::TextField;
use crate::api::sources::AddSource;

/// Names a queue to be watched: the one that the address names, as links to this form do.
#[component]
pub(crate) fn SourceForm(
    /// The action behind it.
    add: ServerAction<AddSource>,
) -> impl IntoView {
    let query = use_query_map().get_untracked();
    let named = move |name| query.get(name).unwrap_or_default();
    let vhost = Some(named("vhost")).filter(|vhost| !vhost.is_empty());
    view! {
        <ActionForm action=add attr:class="source-form fields">
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
                    value=named("queue")
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
                    value=vhost.unwrap_or_else(|| "/".to_owned())
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
                    value=named("broker")
                />
            </label>
            <label class="choice">
                <span>"mode"</span>
                <select name="mode">
                    <option value="take" selected>
                        "take: the letters leave the queue"
                    </option>
                    <option value="mirror">"mirror: look, never take"</option>
                </select>
            </label>
            <OriginsFieldset />
            <NamingFieldset />
            <button class="button" type="submit" disabled=move || add.pending().get()>
                "Watch this queue"
            </button>
        </ActionForm>
    }
    .into_any()
}

/// Whose dead letters come to the queue, where the broker's bindings do not show it.
#[component]
fn OriginsFieldset() -> impl IntoView {
    view! {
        <details class="data origins">
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
                    />
                </label>
            </div>
        </details>
    }
    .into_any()
}

/// Where the queue's messages name the execution that they are about, and what is done with it.
#[component]
fn NamingFieldset() -> impl IntoView {
    let field = |label: &'static str, name: &'static str, example: &'static str| {
        view! { <TextField name value=String::new() label hint=example /> }
    };
    view! {
        <details class="data executions">
            <summary>"Its messages name executions"</summary>
            <p class="note-line">
                "An execution whose message died is failed, or goes to another worker while attempts are left."
            </p>
            <div class="fields">
                {field("path in the body", "executions[path]", "/payload/execution_id")}
                {field("or header", "executions[header]", "x-execution-id")}
                {field(
                    "only messages of the type",
                    "executions[message_type]",
                    "ExecutionRequested",
                )}
                {field(
                    "to another worker when it died as",
                    "executions[reschedule_on]",
                    "expired, rejected",
                )}
            </div>
        </details>
    }
    .into_any()
}
