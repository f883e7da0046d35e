//! Envelopes that frameworks put around a message that failed: what is inside is the message.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::formats::php;
use super::labels::Labels;
use super::step::{Evidence, Format, Step};

/// Whose an envelope is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Envelope {
    /// Sneakers' `Maxretry`: payload and properties are base64.
    Sneakers,
    /// EasyNetQ's `EasyNetQ.SystemMessages.Error`: the message is a text.
    EasyNetQ,
}

/// The message within an envelope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inside {
    /// Whose envelope it was in.
    pub envelope: Envelope,
    /// Its body.
    pub body: Vec<u8>,
    /// What its sender said that the body is.
    pub content_type: Option<String>,
    /// What its sender said that the body is packed in.
    pub content_encoding: Option<String>,
}

impl Envelope {
    /// Recognises an envelope by its members.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        let has = |name| value.get(name).is_some_and(Value::is_string);
        if has("payload")
            && has("failed_at")
            && value.get("num_attempts").is_some_and(Value::is_u64)
        {
            return Some(Self::Sneakers);
        }
        let is_error = has("Exception") && has("Message") && has("RoutingKey");
        (is_error && value.get("BasicProperties").is_some()).then_some(Self::EasyNetQ)
    }

    /// Whose it is.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Sneakers => "Sneakers",
            Self::EasyNetQ => "EasyNetQ",
        }
    }
}

impl Inside {
    /// Opens an envelope. `None` if the value is none, or what is in it cannot be read.
    #[must_use]
    pub fn of(value: &Value) -> Option<Self> {
        let envelope = Envelope::of(value)?;
        let text = |name| value.get(name).and_then(Value::as_str);
        Some(match envelope {
            Envelope::Sneakers => {
                let properties = text("properties").and_then(base64);
                let properties: Value =
                    serde_json::from_slice(&properties.unwrap_or_default()).unwrap_or_default();
                let property = |name| Some(properties.get(name)?.as_str()?.to_owned());
                Self {
                    envelope,
                    body: base64(text("payload")?)?,
                    content_type: property("content_type"),
                    content_encoding: property("content_encoding"),
                }
            }
            Envelope::EasyNetQ => {
                let property =
                    |name| Some(value.get("BasicProperties")?.get(name)?.as_str()?.to_owned());
                Self {
                    envelope,
                    body: text("Message")?.as_bytes().to_vec(),
                    content_type: property("ContentType"),
                    content_encoding: property("ContentEncoding"),
                }
            }
        })
    }

    /// What its sender says of the body.
    #[must_use]
    pub fn labels(&self) -> Labels<'_> {
        Labels {
            content_type: self.content_type.as_deref(),
            content_encoding: self.content_encoding.as_deref(),
            ..Labels::default()
        }
    }

    /// The steps by which it was opened.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        let mut opened = Step::new(Format::Envelope, Evidence::Shape, self.body.len());
        opened.detail = Some(self.envelope.name().to_owned());
        let packed = (self.envelope == Envelope::Sneakers)
            .then(|| Step::new(Format::Base64, Evidence::Label, self.body.len()));
        std::iter::once(opened).chain(packed).collect()
    }
}

/// Takes the command of a Laravel job apart, which is serialised PHP within JSON. Returns the step; `None` if there is
/// none that can be read.
pub fn take_apart_command(value: &mut Value) -> Option<Step> {
    value.get("job").filter(|job| job.is_string())?;
    let command = value.get_mut("data")?.get_mut("command")?;
    let text = command.as_str().filter(|text| php::may_begin(text.as_bytes()))?;
    let mut step = Step::new(Format::Php, Evidence::Shape, text.len());
    step.detail = Some("data.command".to_owned());
    *command = php::read(text.as_bytes()).ok()?;
    Some(step)
}

/// Base64, also with line breaks.
fn base64(text: &str) -> Option<Vec<u8>> {
    let letters: String = text.chars().filter(|c| !c.is_ascii_whitespace()).collect();
    STANDARD.decode(letters).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_inside_has_its_own_labels() {
        let envelope = json!({
            "error": "error", "num_attempts": 6, "failed_at": "2026-11-20T03:12:44+00:00",
            "payload": "eyJh\nIjox\nfQ==\n", "properties": "eyJjb250ZW50X3R5cGUiOiJhcHBsaWNhdGlvbi9qc29uIn0="
        });
        let inside = Inside::of(&envelope).expect("an envelope");
        assert_eq!(inside.body, b"{\"a\":1}");
        assert_eq!(inside.labels().content_type, Some("application/json"));
        let steps: Vec<String> = inside.steps().iter().map(Step::says).collect();
        assert_eq!(steps, ["envelope (Sneakers), by its form", "base64, as its sender says"]);
        let error = json!({
            "RoutingKey": "shop", "Exception": "no", "Message": "{\"a\":1}",
            "BasicProperties": {"ContentEncoding": "utf-8"}
        });
        let inside = Inside::of(&error).expect("an envelope");
        assert_eq!((inside.envelope, &*inside.body), (Envelope::EasyNetQ, &b"{\"a\":1}"[..]));
    }

    #[test]
    fn the_command_of_a_job_is_taken_apart() {
        let job = |command: &str| json!({"job": "X@call", "data": {"command": command}});
        let mut good = job("O:1:\"A\":1:{s:5:\"\0A\0id\";i:88412;}");
        let step = take_apart_command(&mut good).expect("a step");
        assert_eq!(step.says(), "PHP (data.command), by its form");
        let apart = json!({"$class": "A", "id": 88412, "$private": ["id"]});
        assert_eq!(good["data"]["command"], apart);
        let mut bad = job("O:1:\"A\":1:{");
        assert_eq!(take_apart_command(&mut bad), None);
        assert_eq!(bad, job("O:1:\"A\":1:{"), "it stays");
    }

    #[test]
    fn what_cannot_be_opened_is_no_envelope() {
        for other in [
            json!({"payload": {}, "failed_at": "x", "num_attempts": 1}),
            json!({"payload": "%%", "failed_at": "x", "num_attempts": 1}),
            json!({"Exception": "x", "Message": "y"}),
            json!([1]),
        ] {
            assert_eq!(Inside::of(&other), None, "{other}");
        }
    }
}
