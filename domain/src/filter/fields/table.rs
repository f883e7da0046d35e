//! The rows.

use super::{Field, FieldInfo, Kind, Words};

pub(super) static STATES: Words = Words {
    noun: "a state",
    all: &["held", "scheduled", "claimed", "replayed", "unknown", "resolved", "discarded"],
    is_ordered: false,
};

pub(super) static SEVERITIES: Words =
    Words { noun: "a severity", all: &["critical", "high", "normal", "low"], is_ordered: true };

pub(super) static REASONS: Words = Words {
    noun: "a reason",
    all: &["rejected", "expired", "maxlen", "delivery_limit", "unknown"],
    is_ordered: false,
};

pub(super) static ANSWERS: Words =
    Words { noun: "true or false", all: &["true", "false"], is_ordered: false };

const fn row(
    field: Field,
    name: &'static str,
    kind: Kind,
    help: &'static str,
    example: &'static str,
) -> FieldInfo {
    FieldInfo { field, name, aliases: &[], kind, help, example }
}

impl FieldInfo {
    const fn also(mut self, aliases: &'static [&'static str]) -> Self {
        self.aliases = aliases;
        self
    }
}

/// Every field, in the order that people meet them.
pub static FIELDS: &[FieldInfo] = &[
    row(
        Field::State,
        "state",
        Kind::Words(&STATES),
        "where the letter stands",
        "state:(held,unknown)",
    ),
    row(Field::Severity, "severity", Kind::Words(&SEVERITIES), "how bad it is", "severity:>=high"),
    row(Field::Reason, "reason", Kind::Words(&REASONS), "why it died last", "reason:expired"),
    row(
        Field::Source,
        "source",
        Kind::Name,
        "the source that it was taken from",
        "source:orders.dead",
    ),
    row(Field::Queue, "queue", Kind::Name, "the queue that it died in", "queue:orders.*"),
    row(
        Field::Exchange,
        "exchange",
        Kind::Name,
        "the exchange that it had been published to; `\"\"` is the default exchange",
        "exchange:\"\"",
    ),
    row(
        Field::RoutingKey,
        "routing_key",
        Kind::Name,
        "the routing key that it had been published with",
        "routing_key:order.*.created",
    )
    .also(&["key"]),
    row(
        Field::ErrorClass,
        "error_class",
        Kind::Name,
        "the exception's class",
        "error_class:*.TimeoutException",
    )
    .also(&["class"]),
    row(
        Field::ErrorMessage,
        "error_message",
        Kind::Prose,
        "the exception's message",
        "error:\"connection refused\"",
    )
    .also(&["error"]),
    row(Field::MessageType, "message_type", Kind::Name, "the message's type", "type:OrderPlaced")
        .also(&["type"]),
    row(Field::MessageId, "message_id", Kind::Name, "the sender's message id", "message_id:a1-*"),
    row(
        Field::CorrelationId,
        "correlation_id",
        Kind::Name,
        "the correlation id that its last arrival carried",
        "correlation_id:saga-17",
    ),
    row(
        Field::Trace,
        "trace",
        Kind::Name,
        "the id of the trace that its last arrival belongs to, in small letters",
        "trace:0af7651916cd43dd8448eb211c80319c",
    ),
    row(
        Field::BusinessKey,
        "business_key",
        Kind::Name,
        "what people know the work by, where its source's settings say",
        "business_key:order-4711",
    ),
    row(
        Field::Id,
        "id",
        Kind::Id,
        "the letter's own id",
        "id:019a0f3e-5a4b-7c2d-8e1f-0123456789ab",
    ),
    row(
        Field::Group,
        "group",
        Kind::Id,
        "the group that it belongs to, or one that was merged into that",
        "group:019a0f3e-5a4b-7c2d-8e1f-0123456789ab",
    ),
    row(
        Field::Execution,
        "execution",
        Kind::Name,
        "an execution that one of its arrivals names",
        "execution:job-42",
    ),
    row(
        Field::Worker,
        "worker",
        Kind::Name,
        "a worker that works on the queue that it died in, or that has an execution which one of its arrivals names",
        "worker:worker-7",
    ),
    row(Field::Size, "size", Kind::Size, "the size of the last arrival's body", "size:>64kb"),
    row(
        Field::Arrivals,
        "arrivals",
        Kind::Number,
        "how often its message reached a source",
        "arrivals:>1",
    ),
    row(
        Field::Replays,
        "replays",
        Kind::Number,
        "how many replays may have published it; not those that gave it back",
        "replays:0",
    ),
    row(
        Field::Exhausted,
        "exhausted",
        Kind::Words(&ANSWERS),
        "whether its retry policy gave up on it, with no progress since",
        "exhausted:true",
    ),
    row(Field::Age, "age", Kind::Age, "the time since it last arrived", "age:>1h"),
    row(
        Field::FirstAge,
        "first_age",
        Kind::Age,
        "the time since it first arrived",
        "first_age:1d..7d",
    ),
    row(
        Field::LastArrived,
        "last_arrived",
        Kind::Time,
        "when it last arrived, in UTC",
        "last_arrived:2026-11-21",
    ),
    row(
        Field::FirstArrived,
        "first_arrived",
        Kind::Time,
        "when it first arrived, in UTC",
        "first_arrived:>=2026-11-20T18:00:00Z",
    ),
    row(Field::Since, "since", Kind::Bound, "last arrived at this time or later", "since:15m"),
    row(Field::Until, "until", Kind::Bound, "last arrived before this time", "until:2026-11-21"),
    row(
        Field::Deaths,
        "deaths",
        Kind::Number,
        "entries in the death history of its last arrival",
        "deaths:>=2",
    ),
    row(
        Field::DeathQueue,
        "death.queue",
        Kind::Name,
        "a queue that it died in, at any time",
        "death.queue:orders.retry",
    ),
    row(
        Field::DeathReason,
        "death.reason",
        Kind::Words(&REASONS),
        "a reason that it died of, at any time",
        "death.reason:delivery_limit",
    ),
    row(
        Field::DeathExchange,
        "death.exchange",
        Kind::Name,
        "an exchange that it had been published to when it died",
        "death.exchange:orders",
    ),
    row(
        Field::DeathRoutingKey,
        "death.routing_key",
        Kind::Name,
        "a routing key that it had been published with when it died",
        "death.routing_key:order.#",
    )
    .also(&["death.key"]),
    row(
        Field::DeathCount,
        "death.count",
        Kind::Number,
        "how often it died of one reason in one queue, as the broker says",
        "death.count:>3",
    ),
];
