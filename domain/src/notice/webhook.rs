//! A message for programs, shaped as Standard Webhooks asks: what it is, when, and the data.

use serde_json::{Value, json};

use super::wording::headline;
use super::{Message, Notice};

/// What a message is posted as. Names and texts are as they came from the broker.
#[must_use]
pub fn webhook(message: &Message) -> Value {
    let at = message.notices.iter().map(|notice| notice.at).max();
    let alerts: Vec<Value> = message.notices.iter().map(alert).collect();
    json!({
        "type": "alerts",
        "timestamp": at,
        "data": {"alerts": alerts, "url": message.list_url},
    })
}

fn alert(notice: &Notice) -> Value {
    let facts = notice.facts.iter().map(|fact| (fact.label.to_owned(), json!(fact.text)));
    let links = notice.buttons.iter().map(|button| (button.label.to_owned(), json!(button.url)));
    json!({
        "id": notice.alert,
        "change": notice.change,
        "at": notice.at,
        "rule": notice.rule_name,
        "built_in": notice.built_in,
        "severity": notice.severity,
        "says": headline(notice),
        "signal": notice.signal,
        "limit": notice.limit,
        "figure": notice.figure,
        "since": notice.since,
        "subject": notice.subject,
        "facts": Value::Object(facts.collect()),
        "links": Value::Object(links.collect()),
    })
}
