//! Rules that say of which message type the bodies are that died in a queue. They are for messages of Protobuf and
//! Avro whose senders do not name it.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::filter::Pattern;
use crate::globs::{GlobFault, Globs};
use crate::ids::TypeRuleId;
use crate::origin::Origin;

/// The longest name of a message type, in bytes.
pub const MOST_TYPE_BYTES: usize = 500;

/// Rules that an office keeps: each is tried on every letter.
pub const MOST_TYPE_RULES: usize = 1_000;

/// A rule as it is added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewTypeRule {
    /// The queue in which the message died; `*` stands for any characters.
    #[serde(default = "any")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 255))]
    pub queue: String,
    /// The routing key with which it came there; `*` stands for any characters.
    #[serde(default = "any")]
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 255))]
    pub routing_key: String,
    /// The message type: its full name, or the last part of it where no other type ends so.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 500))]
    pub message_type: String,
}

/// A rule. Where several match, the one that was added last counts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TypeRule {
    /// Which one it is.
    pub id: TypeRuleId,
    /// The queue in which the message died; `*` stands for any characters.
    pub queue: String,
    /// The routing key with which it came there; `*` stands for any characters.
    pub routing_key: String,
    /// The message type.
    pub message_type: String,
    /// Who added it.
    pub added_by: String,
    /// When.
    pub added_at: DateTime<Utc>,
}

/// The rules, as reading a body wants them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TypeRules(Vec<Matcher>);

#[derive(Debug, Clone, PartialEq)]
struct Matcher {
    queue: Pattern,
    routing_key: Pattern,
    message_type: String,
}

/// Why a rule cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TypeRuleFault {
    /// A pattern is empty, too long, or holds a control character.
    Pattern(GlobFault),
    /// The name of the type is empty or too long.
    Name,
    /// No schema tells of the type.
    Unknown(String),
    /// There are too many rules.
    TooMany,
}

impl NewTypeRule {
    /// Checks all that can be told without the schemas.
    ///
    /// # Errors
    /// Returns the first fault.
    pub fn check(&self) -> Result<(), TypeRuleFault> {
        Globs::of([self.queue.clone(), self.routing_key.clone()])
            .map_err(TypeRuleFault::Pattern)?;
        let is_name = (1..=MOST_TYPE_BYTES).contains(&self.message_type.len())
            && !self.message_type.chars().any(char::is_control);
        if is_name { Ok(()) } else { Err(TypeRuleFault::Name) }
    }
}

impl TypeRules {
    /// These rules, the one that was added last first.
    #[must_use]
    pub fn new(rules: &[TypeRule]) -> Self {
        let matchers = rules.iter().map(|rule| Matcher {
            queue: Pattern::with_wildcards(&rule.queue),
            routing_key: Pattern::with_wildcards(&rule.routing_key),
            message_type: rule.message_type.clone(),
        });
        Self(matchers.collect())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The types that the rules name for what died there, the one that counts first.
    pub fn types_of(&self, origin: &Origin) -> impl Iterator<Item = &str> {
        let queue = origin.queue.clone().unwrap_or_default();
        let key = origin.routing_key.clone().unwrap_or_default();
        let matching = self
            .0
            .iter()
            .filter(move |rule| rule.queue.is_like(&queue) && rule.routing_key.is_like(&key));
        matching.map(|rule| rule.message_type.as_str())
    }
}

fn any() -> String {
    "*".to_owned()
}

impl fmt::Display for TypeRuleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern(fault) => fault.fmt(f),
            Self::Name => write!(f, "the name of a message type has 1 to {MOST_TYPE_BYTES} bytes"),
            Self::Unknown(name) => write!(
                f,
                "no schema in use has one message type `{name}`: upload its schema first, or write its full name"
            ),
            Self::TooMany => {
                write!(f, "there are {MOST_TYPE_RULES} of these rules: remove one first")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::death::Reason;

    fn rule(queue: &str, routing_key: &str, message_type: &str) -> TypeRule {
        TypeRule {
            id: TypeRuleId(Uuid::nil()),
            queue: queue.to_owned(),
            routing_key: routing_key.to_owned(),
            message_type: message_type.to_owned(),
            added_by: "somebody".to_owned(),
            added_at: DateTime::UNIX_EPOCH,
        }
    }

    #[test]
    fn the_last_rule_for_a_queue_and_a_key_counts() {
        let rules = TypeRules::new(&[
            rule("payments.*", "*.refunded", "Refund"),
            rule("payments.*", "*", "Payment"),
            rule("*", "*", "Any"),
        ]);
        let of = |queue: Option<&str>, key: Option<&str>| -> Vec<String> {
            let origin = Origin {
                queue: queue.map(str::to_owned),
                exchange: None,
                routing_key: key.map(str::to_owned),
                reason: Reason::Rejected,
            };
            rules.types_of(&origin).map(str::to_owned).collect()
        };
        assert_eq!(of(Some("payments.eu"), Some("x.refunded")), ["Refund", "Payment", "Any"]);
        assert_eq!(of(Some("payments.eu"), None), ["Payment", "Any"]);
        assert_eq!(of(None, None), ["Any"]);
        assert!(TypeRules::default().is_empty() && !rules.is_empty());
    }

    #[test]
    fn patterns_and_names_are_checked() {
        let new = |queue: &str, key: &str, name: &str| NewTypeRule {
            queue: queue.to_owned(),
            routing_key: key.to_owned(),
            message_type: name.to_owned(),
        };
        assert_eq!(new("orders.*", "*", "shop.Order").check(), Ok(()));
        for (queue, key) in [("", "*"), ("*", ""), ("a\0", "*"), ("*", &"x".repeat(256))] {
            let fault = new(queue, key, "shop.Order").check();
            assert!(matches!(fault, Err(TypeRuleFault::Pattern(_))), "{queue} {key}");
        }
        for name in ["", "a\nb", &"x".repeat(MOST_TYPE_BYTES + 1)] {
            assert_eq!(new("*", "*", name).check(), Err(TypeRuleFault::Name));
        }
        let read: NewTypeRule =
            serde_json::from_str(r#"{"queue": "a", "message_type": "b"}"#).expect("a rule");
        assert_eq!(read, new("a", "*", "b"));
    }
}
