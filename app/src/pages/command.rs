//! A command to be copied. `public/scripts/keys.js` copies it; without a script it is selected by hand.

use leptos::prelude::*;

use crate::request;

/// What the command of a source sends.
const SOURCE: &str = r#"{"vhost": "/", "queue": "orders.dead", "mode": "take"}"#;

/// Adds a source by the HTTP API.
#[component]
pub(super) fn AddSourceCommand() -> impl IntoView {
    view! { <ApiCommand path="sources" body=SOURCE /> }
}

/// Posts to the HTTP API of this office, under the address that the page was opened at.
#[component]
pub(super) fn ApiCommand(
    /// The path behind `/api/v1/`.
    path: &'static str,
    /// What is sent, as JSON.
    body: &'static str,
) -> impl IntoView {
    let address = async move { request::address().await };
    let command = Suspend::new(async move {
        address.await.ok().map(|address| view! { <Command text=post(&address, path, body) /> })
    });
    view! { <Suspense>{command}</Suspense> }.into_any()
}

fn post(address: &str, path: &str, body: &str) -> String {
    format!(
        r#"curl -X POST {address}/api/v1/{path} \
  -H "Authorization: Bearer $DLO_TOKEN" -H "Content-Type: application/json" \
  -d '{body}'"#
    )
}

/// A command and a button that copies it.
#[component]
fn Command(
    /// The command.
    text: String,
) -> impl IntoView {
    view! {
        <div class="command">
            <pre tabindex="0" aria-label="Command">{text}</pre>
            <button class="button needs-script" type="button" data-copy="">
                "Copy"
            </button>
        </div>
    }
    .into_any()
}
