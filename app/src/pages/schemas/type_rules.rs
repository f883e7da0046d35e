//! Rules that name the message type of what dies in a queue.

use dlo_domain::audit::Actor;
use dlo_domain::ids::TypeRuleId;
use dlo_domain::type_rule::{NewTypeRule, TypeRule};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::pages::text_field::TextField;
use crate::request::go_on_to;
use crate::visible::{show_line, show_name};

/// The most names that the form offers.
const MOST_OFFERED: usize = 500;

/// Adds a rule, in the place of that for the same queue and routing key.
///
/// # Errors
/// Returns an error if it cannot be used, or the desk does not answer.
#[server(prefix = "/ui", endpoint = "type-rules/add")]
pub(crate) async fn add_type_rule(
    queue: String,
    routing_key: String,
    message_type: String,
) -> Result<(), ApiError> {
    // A rule for every queue is written with `*`: an empty field is refused.
    let routing_key = match routing_key.trim() {
        "" => "*",
        key => key,
    };
    let rule = NewTypeRule {
        queue: queue.trim().to_owned(),
        routing_key: routing_key.to_owned(),
        message_type: message_type.trim().to_owned(),
    };
    desk().add_type_rule(&Actor::local_operator(), rule).await?;
    go_on_to(&links::told(links::SCHEMAS, "type-rule"));
    Ok(())
}

/// Removes a rule.
///
/// # Errors
/// Returns an error if it is not there, or the desk does not answer.
#[server(prefix = "/ui", endpoint = "type-rules/remove")]
pub(crate) async fn remove_type_rule(id: TypeRuleId) -> Result<(), ApiError> {
    desk().remove_type_rule(&Actor::local_operator(), id).await?;
    go_on_to(&links::told(links::SCHEMAS, "type-rule-removed"));
    Ok(())
}

/// The rules, and a form for another one; nothing where no type is known.
#[component]
pub(super) fn TypeRules(rules: Vec<TypeRule>, known: Vec<String>) -> impl IntoView {
    if rules.is_empty() && known.is_empty() {
        return None;
    }
    let rows = rules.into_iter().map(|rule| view! { <Row rule /> }).collect_view();
    let section = view! {
        <section class="section" aria-labelledby="type-rules-title" id="type-rules">
            <header>
                <h2 id="type-rules-title">"Types by queue"</h2>
                <span class="note">"for messages that do not name their own"</span>
            </header>
            <ul class="alerts">{rows}</ul>
            <New known />
        </section>
    };
    Some(section.into_any())
}

#[component]
fn Row(rule: TypeRule) -> impl IntoView {
    let queue = match rule.queue.as_str() {
        "*" => "any queue".to_owned(),
        queue => show_line(queue),
    };
    let key = (rule.routing_key != "*")
        .then(|| view! { <span>"routing key " {show_name(&rule.routing_key)}</span> });
    view! {
        <li>
            <span class="mark">"Queue"</span>
            <div class="say">
                <h3 class="id">{queue.clone()}</h3>
                <p class="meta">
                    {key} <span>"read as " <span class="id">{show_name(&rule.message_type)}</span></span>
                    <span>"added by " {show_line(&rule.added_by)}</span>
                </p>
            </div>
            <div class="actions">
                <form method="post" action=RemoveTypeRule::PATH>
                    <input type="hidden" name="id" value=rule.id.to_string() />
                    <button class="button" type="submit" aria-label=format!("Remove the type of {queue}")>
                        "Remove"
                    </button>
                </form>
            </div>
        </li>
    }
    .into_any()
}

#[component]
fn New(known: Vec<String>) -> impl IntoView {
    let offered = known.into_iter().take(MOST_OFFERED);
    let offered = offered.map(|name| view! { <option value=name></option> }).collect_view();
    view! {
        <form method="post" action=AddTypeRule::PATH class="rule-form">
            <div class="fields">
                <TextField name="queue" value=String::new() label="Queue" hint="payments.*" required=true />
                <TextField name="routing_key" value=String::new() label="Routing key" hint="any" />
                <TextField
                    name="message_type"
                    value=String::new()
                    label="Message type"
                    hint="shop.v1.PaymentTaken"
                    most=500
                    required=true
                    list="known-types"
                />
            </div>
            <datalist id="known-types">{offered}</datalist>
            <p class="second">
                "What died in this queue is read as this type where its bytes fit it, before what its sender says. "
                <code>"*"</code>
                " stands for any characters. Where several match, the one that was added last counts."
            </p>
            <div class="actions">
                <button class="button primary" type="submit">
                    "Save"
                </button>
            </div>
        </form>
    }
    .into_any()
}
