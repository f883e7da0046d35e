//! How the properties and headers of a message differ from those of another, line by line: of what a replay sends from
//! what a letter arrived with, and of an arrival from an earlier one.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{ATTEMPT, LETTER, REPLAY, Republished, is_history, is_of_interceptor};
use crate::arrival::Arrival;
use crate::changing::{Diff, DiffLine, DiffMark};
use crate::extract::plain;
use crate::reading::cut;
use crate::wire::{FieldTable, Properties, WireText};

/// The longest line, in bytes.
const MOST_LINE_BYTES: usize = 300;

/// The most lines.
const MOST_LINES: usize = 200;

/// What a replay sends otherwise than it arrived. The history that brokers wrote, which no replay sends, and the marks
/// that each has are not told; nor that a message is persistent of which its sender said nothing of that.
#[must_use]
pub fn difference(properties: &Properties, headers: &FieldTable, sent: &Republished) -> Diff {
    let mut sent_properties = sent.properties.clone();
    sent_properties.delivery_mode = properties.delivery_mode.and(sent_properties.delivery_mode);
    let before = Head { properties, headers };
    before.differs_from(Head { properties: &sent_properties, headers: &sent.headers })
}

/// What an arrival has otherwise than an earlier one. The history that brokers wrote and the marks of replays are not
/// told.
#[must_use]
pub fn between_arrivals(before: &Arrival, after: &Arrival) -> Diff {
    let [before, after] = [before, after]
        .map(|arrival| Head { properties: &arrival.properties, headers: &arrival.headers });
    before.differs_from(after)
}

/// The properties and headers of a message.
#[derive(Clone, Copy)]
struct Head<'a> {
    properties: &'a Properties,
    headers: &'a FieldTable,
}

impl Head<'_> {
    fn differs_from(self, other: Head<'_>) -> Diff {
        let mut diff = Diff::default();
        let (before, after) = (named(self.properties), named(other.properties));
        for ((name, before), (_, after)) in before.into_iter().zip(after) {
            add(&mut diff, name, before.as_deref(), after.as_deref());
        }
        let is_told = |name: &&WireText| {
            !name.as_str().is_some_and(|name| {
                is_history(name)
                    || is_of_interceptor(name)
                    || matches!(name, LETTER | REPLAY | ATTEMPT)
            })
        };
        let fields = self.headers.0.iter().chain(&other.headers.0);
        let names: BTreeSet<&[u8]> =
            fields.map(|field| &field.name).filter(is_told).map(WireText::as_bytes).collect();
        for name in names {
            let told = |table: &FieldTable| {
                let mut fields = table.0.iter().filter(|field| field.name.as_bytes() == name);
                // A name may be there twice.
                let values: Vec<String> =
                    fields.by_ref().map(|field| as_text(&plain(&field.value, 0))).collect();
                (!values.is_empty()).then(|| values.join(", "))
            };
            let shown = WireText::from(name.to_vec()).to_display().into_owned();
            add(&mut diff, &shown, told(self.headers).as_deref(), told(other.headers).as_deref());
        }
        diff
    }
}

fn add(diff: &mut Diff, name: &str, before: Option<&str>, after: Option<&str>) {
    if before == after {
        return;
    }
    for (mark, value) in [(DiffMark::Removed, before), (DiffMark::Added, after)] {
        let Some(value) = value else { continue };
        if diff.lines.len() == MOST_LINES {
            diff.cut = true;
            return;
        }
        let text = cut(&format!("{name}: {value}"), MOST_LINE_BYTES);
        diff.lines.push(DiffLine { mark, text });
    }
}

/// The properties by the names of AMQP.
fn named(properties: &Properties) -> [(&'static str, Option<String>); 13] {
    let text = |text: &Option<WireText>| text.as_ref().map(|text| text.to_display().into_owned());
    let Properties { delivery_mode, priority, timestamp, .. } = properties;
    [
        ("content-type", text(&properties.content_type)),
        ("content-encoding", text(&properties.content_encoding)),
        ("delivery-mode", delivery_mode.map(|mode| mode.to_string())),
        ("priority", priority.map(|priority| priority.to_string())),
        ("correlation-id", text(&properties.correlation_id)),
        ("reply-to", text(&properties.reply_to)),
        ("expiration", text(&properties.expiration)),
        ("message-id", text(&properties.message_id)),
        ("timestamp", timestamp.map(|seconds| seconds.to_string())),
        ("type", text(&properties.kind)),
        ("user-id", text(&properties.user_id)),
        ("app-id", text(&properties.app_id)),
        ("cluster-id", text(&properties.cluster_id)),
    ]
}

fn as_text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::json;
    use uuid::Uuid;

    use super::*;
    use crate::globs::Globs;
    use crate::ids::{LetterId, ReplayId};
    use crate::republish::{HeaderChanges, Terms, republish};
    use crate::wire::{Field, FieldValue};

    #[test]
    fn what_is_left_out_set_and_added_is_told_and_the_history_is_not() {
        let text = |text: &str| FieldValue::LongString(text.into());
        let job =
            FieldTable(vec![Field { name: "attempts".into(), value: FieldValue::LongInt(4) }]);
        let headers = FieldTable(
            [
                ("x-death", FieldValue::Array(Vec::new())),
                ("x-delay", FieldValue::LongInt(60_000)),
                ("x-dlo-letter", text("earlier")),
                ("laravel", FieldValue::Table(job)),
                ("kept", text("as it is")),
                ("stack", text(&"x".repeat(1_000))),
            ]
            .map(|(name, value)| Field { name: name.into(), value })
            .to_vec(),
        );
        let properties = Properties {
            delivery_mode: Some(1),
            expiration: Some("60000".into()),
            message_id: Some("m-1".into()),
            ..Properties::default()
        };
        let leave_out =
            Globs::of(vec!["x-delay".to_owned(), "stack".to_owned()]).expect("patterns");
        let set = BTreeMap::from([
            ("/laravel/attempts".to_owned(), json!(0)),
            ("tenant".to_owned(), json!("acme")),
        ]);
        let changes = HeaderChanges { leave_out, set };
        let marks = (LetterId(Uuid::nil()), ReplayId(Uuid::nil()), 1);
        let terms = Terms { marks, keep_expiration: false, headers: &changes };
        let republished = republish(properties.clone(), headers.clone(), 0, terms).expect("sent");
        let told = difference(&properties, &headers, &republished);
        let told: Vec<String> = told
            .lines
            .iter()
            .map(|line| {
                let sign = if line.mark == DiffMark::Added { "+" } else { "-" };
                format!("{sign} {:.40}", line.text)
            })
            .collect();
        let wanted = [
            "- delivery-mode: 1",
            "+ delivery-mode: 2",
            "- expiration: 60000",
            "- laravel: {\"attempts\":4}",
            "+ laravel: {\"attempts\":0}",
            "- stack: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "+ tenant: acme",
            "- x-delay: 60000",
        ];
        assert_eq!(told, wanted);
    }
}
