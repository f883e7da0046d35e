//! A message as a channel would show it: for the preview of a channel, and for the demo's stand-in for Slack.

use dlo_domain::channel::ChannelKind;
use leptos::prelude::*;
use serde_json::Value;

/// What is posted to a channel, as a person sees it, as far as our messages go. A program's is not shown.
#[component]
pub fn PostedMessage(
    /// What the channel speaks.
    kind: ChannelKind,
    /// What is posted.
    payload: Value,
) -> impl IntoView {
    match kind {
        ChannelKind::Slack => slack(&payload),
        ChannelKind::Teams => teams(&payload["attachments"][0]["content"]),
        ChannelKind::Webhook => ().into_any(),
    }
}

/// An Adaptive Card.
fn teams(card: &Value) -> AnyView {
    let blocks = card["body"].as_array().into_iter().flatten().map(|block| {
        let run = &block["inlines"][0];
        let is_strong = run["weight"] == "Bolder";
        let text = run["text"].as_str().or(block["text"].as_str()).unwrap_or_default().to_owned();
        if is_strong {
            view! { <h3>{text}</h3> }.into_any()
        } else {
            view! { <p>{text}</p> }.into_any()
        }
    });
    let links = card["actions"].as_array().into_iter().flatten().map(|action| {
        let href = action["url"].as_str().unwrap_or_default().to_owned();
        let title = action["title"].as_str().unwrap_or_default().to_owned();
        view! {
            <a class="button" href=href>
                {title}
            </a>
        }
    });
    view! {
        <article class="posted-message">
            {blocks.collect_view()} <p class="links">{links.collect_view()}</p>
        </article>
    }
    .into_any()
}

/// Block Kit.
fn slack(payload: &Value) -> AnyView {
    let blocks = payload["blocks"].as_array().cloned().unwrap_or_default();
    let content = if blocks.is_empty() {
        view! { <p>{text(&payload["text"])}</p> }.into_any()
    } else {
        blocks.iter().map(block).collect_view().into_any()
    };
    view! { <article class="posted-message">{content}</article> }.into_any()
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
        let html = view! { <PostedMessage kind=ChannelKind::Slack payload /> }.to_html();
        for part in [
            "High &amp; dry",
            "&lt;b&gt;",
            "since 09:52 UTC",
            r#"href="http://127.0.0.1/a?b=c&amp;d=e""#,
        ] {
            assert!(html.contains(part), "{part}: {html}");
        }
        assert!(
            view! { <PostedMessage kind=ChannelKind::Slack payload=json!({"text": "only this"}) /> }
                .to_html()
                .contains("only this")
        );
    }
}
