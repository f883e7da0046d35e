//! A message as Slack would show it: for the preview of a channel, and for the demo's stand-in.

use leptos::prelude::*;
use serde_json::Value;

/// What is posted to an incoming webhook, as a person sees it: Block Kit as far as our messages go.
#[component]
pub fn SlackMessage(
    /// What is posted.
    payload: Value,
) -> impl IntoView {
    let blocks = payload["blocks"].as_array().cloned().unwrap_or_default();
    let content = if blocks.is_empty() {
        view! { <p>{text(&payload["text"])}</p> }.into_any()
    } else {
        blocks.iter().map(block).collect_view().into_any()
    };
    view! { <article class="slack-message">{content}</article> }.into_any()
}

fn block(block: &Value) -> AnyView {
    let elements = || block["elements"].as_array().into_iter().flatten();
    match block["type"].as_str() {
        Some("header") => view! { <h3>{text(&block["text"]["text"])}</h3> }.into_any(),
        Some("section") if block["fields"].is_array() => {
            let fields = block["fields"].as_array().into_iter().flatten();
            let fields = fields.map(|field| view! { <p>{text(&field["text"])}</p> });
            view! { <div class="facts">{fields.collect_view()}</div> }.into_any()
        }
        Some("section") => view! { <p>{text(&block["text"]["text"])}</p> }.into_any(),
        Some("context") => {
            let parts = elements().map(|part| dated(&text(&part["text"])));
            view! { <p class="second">{parts.collect::<Vec<_>>().join(" ")}</p> }.into_any()
        }
        Some("actions") => {
            let buttons = elements().map(|button| {
                let href = button["url"].as_str().unwrap_or_default().to_owned();
                view! {
                    <a class="button" href=href>
                        {text(&button["text"]["text"])}
                    </a>
                }
            });
            view! { <p class="links">{buttons.collect_view()}</p> }.into_any()
        }
        _ => ().into_any(),
    }
}

/// A text without Slack's escapes.
fn text(value: &Value) -> String {
    let text = value.as_str().unwrap_or_default();
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")
}

/// Dates as a reader in UTC sees them: what Slack shows where it cannot tell the reader's zone.
fn dated(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("<!date^") {
        out.push_str(before);
        let (date, behind) = after.split_once('>').unwrap_or((after, ""));
        out.push_str(date.rsplit('|').next().unwrap_or_default());
        rest = behind;
    }
    out + rest
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_is_shown_as_text() {
        let payload = json!({"text": "x", "blocks": [
            {"type": "header", "text": {"type": "plain_text", "text": "High &amp; dry"}},
            {"type": "section", "fields": [{"type": "plain_text", "text": "last error\n&lt;b&gt;"}]},
            {"type": "context", "elements": [{"type": "mrkdwn", "text": "since <!date^1^{time}|09:52 UTC>"}]},
            {"type": "actions", "elements": [{"text": {"text": "Open"}, "url": "http://127.0.0.1/a?b=c&d=e"}]},
        ]});
        let html = view! { <SlackMessage payload /> }.to_html();
        for part in [
            "High &amp; dry",
            "&lt;b&gt;",
            "since 09:52 UTC",
            r#"href="http://127.0.0.1/a?b=c&amp;d=e""#,
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(
            view! { <SlackMessage payload=json!({"text": "only this"}) /> }
                .to_html()
                .contains("only this")
        );
    }
}
