//! What a filter asks of a letter in memory. The store asks the same of the same letter in SQL, and
//! a property test holds both to one answer.

use chrono::{DateTime, Utc};
use serde_json::Value as Json;
use uuid::Uuid;

use super::LetterFilter;
use super::decimal::Decimal;
use super::fields::{Field, Kind};
use super::path::Path;
use super::pattern::Pattern;
use super::tree::{Comparison, Expr, Subject, Term, Test, Value};
use crate::death::{Death, Reason};
use crate::extract::Extract;
use crate::ids::{GroupId, LetterId};
use crate::severity::Severity;
use crate::state::LetterState;

/// A letter as filters see it.
#[derive(Debug, Clone, Copy)]
#[expect(
    missing_docs,
    reason = "they are the columns of a letter, and `letter.rs` says what each is"
)]
pub struct Facts<'a> {
    pub id: LetterId,
    pub state: LetterState,
    pub severity: Severity,
    /// The source's name.
    pub source: &'a str,
    pub queue: Option<&'a str>,
    pub exchange: Option<&'a str>,
    pub routing_key: Option<&'a str>,
    pub reason: Reason,
    pub error_class: Option<&'a str>,
    pub error_message: Option<&'a str>,
    pub message_type: Option<&'a str>,
    pub message_id: Option<&'a str>,
    pub size_bytes: i64,
    pub arrivals: i32,
    pub replays: i32,
    /// Its retry policy gave up on it.
    pub exhausted: bool,
    pub first_arrived_at: DateTime<Utc>,
    pub last_arrived_at: DateTime<Utc>,
    /// The group that it belongs to, and those that were merged into it.
    pub groups: &'a [GroupId],
    /// The executions that its arrivals name.
    pub executions: &'a [String],
    /// The workers that work on the queue that it died in, and those that have the executions that its
    /// arrivals name.
    pub workers: &'a [String],
    /// Of the last arrival.
    pub deaths: &'a [Death],
    /// What of the last arrival is kept for searching; absent until that is done.
    pub extract: Option<&'a Extract<'a>>,
}

impl LetterFilter {
    /// Whether a letter is meant. `now` is what ages are counted from.
    #[must_use]
    pub fn matches(&self, facts: &Facts<'_>, now: DateTime<Utc>) -> bool {
        self.root.as_ref().is_none_or(|root| root.holds(facts, now))
    }
}

impl Expr {
    /// Whether a letter is what this asks for.
    #[must_use]
    pub fn holds(&self, facts: &Facts<'_>, now: DateTime<Utc>) -> bool {
        match self {
            Self::All(parts) => parts.iter().all(|part| part.holds(facts, now)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(facts, now)),
            Self::Not(inner) => !inner.holds(facts, now),
            Self::Term(term) => term.holds(facts, now),
        }
    }
}

impl Term {
    fn holds(&self, facts: &Facts<'_>, now: DateTime<Utc>) -> bool {
        let test = &self.test;
        match &self.subject {
            Subject::Field(field) => match field.kind() {
                Kind::Name => texts(*field, facts).iter().any(|text| test.passes_name(text)),
                Kind::Prose => texts(*field, facts).iter().any(|text| test.prose(text)),
                Kind::Words(words) => {
                    let passing = test.passing(words.all);
                    words_of(*field, facts).iter().any(|word| passing.contains(word))
                }
                Kind::Id => ids(*field, facts).iter().any(|id| test.id(*id)),
                Kind::Number => {
                    numbers(*field, facts).iter().any(|number| test.number(&Decimal::from(*number)))
                }
                Kind::Size => test.size(facts.size_bytes),
                Kind::Age | Kind::Time | Kind::Bound => test.time(*field, facts, now),
            },
            Subject::Header(path) => {
                facts.extract.is_some_and(|extract| test.leads(path, &extract.headers))
            }
            Subject::Body(path) => {
                facts.extract.and_then(Extract::values).is_some_and(|body| test.leads(path, body))
            }
            Subject::Text => facts.extract.is_some_and(|extract| test.folded_text(extract.text())),
        }
    }
}

fn texts<'a>(field: Field, facts: &Facts<'a>) -> Vec<&'a str> {
    let one = |text: Option<&'a str>| text.into_iter().collect();
    let deaths = facts.deaths.iter();
    let relations = facts.extract.map(|extract| &extract.relations);
    match field {
        Field::Source => vec![facts.source],
        Field::Queue => one(facts.queue),
        Field::Exchange => one(facts.exchange),
        Field::RoutingKey => one(facts.routing_key),
        Field::ErrorClass => one(facts.error_class),
        Field::ErrorMessage => one(facts.error_message),
        Field::MessageType => one(facts.message_type),
        Field::MessageId => one(facts.message_id),
        Field::CorrelationId => one(relations.and_then(|r| r.correlation_id.as_deref())),
        Field::Trace => one(relations.and_then(|r| r.trace.as_deref())),
        Field::BusinessKey => one(relations.and_then(|r| r.business_key.as_deref())),
        Field::Execution => facts.executions.iter().map(String::as_str).collect(),
        Field::Worker => facts.workers.iter().map(String::as_str).collect(),
        Field::DeathQueue => deaths.map(|death| death.queue.as_str()).collect(),
        Field::DeathExchange => deaths.map(|death| death.exchange.as_str()).collect(),
        Field::DeathRoutingKey => {
            deaths.flat_map(|death| death.routing_keys.iter().map(String::as_str)).collect()
        }
        _ => Vec::new(),
    }
}

fn words_of(field: Field, facts: &Facts<'_>) -> Vec<&'static str> {
    match field {
        Field::State => vec![facts.state.as_str()],
        Field::Severity => vec![facts.severity.as_str()],
        Field::Reason => vec![facts.reason.as_str()],
        Field::DeathReason => facts.deaths.iter().map(|d| d.reason.as_str()).collect(),
        Field::Exhausted => vec![if facts.exhausted { "true" } else { "false" }],
        _ => Vec::new(),
    }
}

fn ids(field: Field, facts: &Facts<'_>) -> Vec<Uuid> {
    match field {
        Field::Group => facts.groups.iter().map(|group| group.0).collect(),
        _ => vec![facts.id.0],
    }
}

fn numbers(field: Field, facts: &Facts<'_>) -> Vec<i64> {
    match field {
        Field::Arrivals => vec![facts.arrivals.into()],
        Field::Replays => vec![facts.replays.into()],
        Field::Deaths => vec![i64::try_from(facts.deaths.len()).unwrap_or(i64::MAX)],
        Field::DeathCount => facts.deaths.iter().filter_map(|d| d.count).collect(),
        _ => Vec::new(),
    }
}

impl Test {
    fn any_text(&self, is: impl Fn(&Pattern) -> bool) -> bool {
        match self {
            Self::Exists => true,
            Self::Is(values) => {
                values.iter().any(|value| matches!(value, Value::Text(pattern) if is(pattern)))
            }
            Self::Compare(..) | Self::Between(..) => false,
        }
    }

    /// Whether a name passes.
    #[must_use]
    pub fn passes_name(&self, name: &str) -> bool {
        self.any_text(|pattern| pattern.is_like(name))
    }

    fn prose(&self, text: &str) -> bool {
        self.folded_text(&super::pattern::fold(text))
    }

    fn folded_text(&self, text: &str) -> bool {
        self.any_text(|pattern| pattern.folded().is_within(text))
    }

    fn id(&self, id: Uuid) -> bool {
        match self {
            Self::Exists => true,
            Self::Is(values) => values.contains(&Value::Id(id)),
            Self::Compare(..) | Self::Between(..) => false,
        }
    }

    fn number(&self, number: &Decimal) -> bool {
        self.ordered(number, |value| match value {
            Value::Number(wanted) => Some(wanted.clone()),
            _ => None,
        })
    }

    fn size(&self, bytes: i64) -> bool {
        self.ordered(&bytes, |value| match value {
            Value::Size(wanted) => Some(*wanted),
            _ => None,
        })
    }

    /// Compares something that is a point of its order.
    fn ordered<T: Ord>(&self, subject: &T, read: impl Fn(&Value) -> Option<T>) -> bool {
        let compared = |value: &Value| read(value).map(|wanted| subject.cmp(&wanted));
        let is = |side: Comparison, value: &Value| {
            compared(value).is_some_and(|order| side.holds(order))
        };
        match self {
            Self::Exists => true,
            Self::Is(values) => {
                values.iter().any(|value| compared(value).is_some_and(std::cmp::Ordering::is_eq))
            }
            Self::Compare(side, value) => is(*side, value),
            Self::Between(low, high) => {
                is(Comparison::AtLeast, low) && is(Comparison::AtMost, high)
            }
        }
    }

    fn time(&self, field: Field, facts: &Facts<'_>, now: DateTime<Utc>) -> bool {
        let at = match field {
            Field::FirstArrived | Field::FirstAge => facts.first_arrived_at,
            _ => facts.last_arrived_at,
        };
        self.windows(field, now).is_none_or(|windows| windows.iter().any(|window| window.holds(at)))
    }

    fn leads(&self, path: &Path, document: &Json) -> bool {
        match self {
            Self::Exists => !path.reached(document).is_empty(),
            Self::Is(values) => path.values(document).any(|found| {
                values
                    .iter()
                    .any(|value| matches!(value, Value::Text(pattern) if is_like(pattern, found)))
            }),
            Self::Compare(..) | Self::Between(..) => {
                path.values(document).filter_map(number_of).any(|number| self.number(&number))
            }
        }
    }
}

impl Path {
    /// Where it leads, arrays at the end as they are.
    pub(super) fn reached<'a>(&self, document: &'a Json) -> Vec<&'a Json> {
        let mut reached = vec![document];
        for step in self.steps() {
            reached = reached
                .into_iter()
                .flat_map(|value| match value {
                    Json::Array(elements) => elements.iter().collect(),
                    other => vec![other],
                })
                .filter_map(|value| value.as_object()?.get(step))
                .collect();
        }
        reached
    }

    /// The values that it leads to, those of an array at the end one by one.
    pub(super) fn values<'a>(&self, document: &'a Json) -> impl Iterator<Item = &'a Json> {
        self.reached(document).into_iter().flat_map(|value| match value {
            Json::Array(elements) => elements.iter().collect(),
            other => vec![other],
        })
    }
}

fn number_of(value: &Json) -> Option<Decimal> {
    match value {
        Json::Number(number) => number.to_string().parse().ok(),
        _ => None,
    }
}

/// Texts are compared as texts, numbers by value, and `true`, `false` and `null` by their words.
fn is_like(pattern: &Pattern, found: &Json) -> bool {
    match found {
        Json::String(text) => pattern.is_like(text),
        Json::Number(_) => pattern
            .as_literal()
            .and_then(|text| text.parse::<Decimal>().ok())
            .is_some_and(|wanted| number_of(found) == Some(wanted)),
        Json::Bool(_) | Json::Null => pattern.as_literal() == Some(&found.to_string()),
        Json::Array(_) | Json::Object(_) => false,
    }
}
