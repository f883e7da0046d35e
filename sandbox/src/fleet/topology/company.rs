//! What the main vhost holds: everything but the sales department. Data only.

use super::Argument::{self, Number, Text};
use super::{
    BILLING, BILLING_EXCHANGE, CAMPAIGNS, CAPTURES, COMMANDS, DEAD_EXECUTIONS, EMAILS,
    EMAILS_EXCHANGE, ENDED, ENDINGS, EXECUTIONS_EXCHANGE, FLEET_EXCHANGE, INVOICES,
    INVOICES_EXCHANGE, MASS_TRANSIT_ERRORS, ORDERS, ORDERS_EXCHANGE, PAYMENTS_EXCHANGE, REFUNDS,
    SHIPPING, SHIPPING_EXCHANGE, SPRING_ERRORS, Source, TELEMETRY, TELEMETRY_EXCHANGE, Topology,
    fed_by_broker,
};
use lapin::ExchangeKind;

pub(super) const COMPANY: Topology =
    Topology { exchanges: EXCHANGES, queues: QUEUES, bindings: BINDINGS, sources: SOURCES };

const DEAD_EXECUTIONS_EXCHANGE: &str = "attune.dlx";
const DEAD_INVOICES_EXCHANGE: &str = "invoices.dlx";
const INVOICES_AGAIN: &str = "invoices.render.again";
const INVOICES_LAST: &str = "invoices.render.last";
/// Milliseconds that an execution waits for its worker. Five minutes in real life: here a
/// person watches.
const EXECUTION_TTL_MS: i32 = 5_000;
const DAY_MS: i32 = 86_400_000;

const SOURCES: &[Source] = &[
    fed_by_broker("executions", DEAD_EXECUTIONS),
    fed_by_broker("orders", "orders.dlq"),
    fed_by_broker("payments", "payments.dlq"),
    fed_by_broker("invoices", "invoices.dlq"),
    fed_by_broker("emails", "emails.dlq"),
    fed_by_broker("commands", "commands.dlq"),
    fed_by_broker("telemetry", "telemetry.dlq"),
    Source { name: "shipping", queue: "shipping.errors", origins: &[SHIPPING] },
    Source { name: "billing", queue: "billing_error", origins: &[BILLING] },
];

const EXCHANGES: &[(&str, ExchangeKind)] = &[
    (EXECUTIONS_EXCHANGE, ExchangeKind::Topic),
    (FLEET_EXCHANGE, ExchangeKind::Topic),
    // A direct exchange would take the catch-all `#` literally and lose everything.
    (DEAD_EXECUTIONS_EXCHANGE, ExchangeKind::Topic),
    (ORDERS_EXCHANGE, ExchangeKind::Direct),
    ("orders.dlx", ExchangeKind::Fanout),
    (PAYMENTS_EXCHANGE, ExchangeKind::Direct),
    ("payments.dlx", ExchangeKind::Direct),
    (INVOICES_EXCHANGE, ExchangeKind::Direct),
    (DEAD_INVOICES_EXCHANGE, ExchangeKind::Direct),
    (EMAILS_EXCHANGE, ExchangeKind::Direct),
    ("emails.dlx", ExchangeKind::Fanout),
    ("commands.dlx", ExchangeKind::Fanout),
    (TELEMETRY_EXCHANGE, ExchangeKind::Topic),
    (SHIPPING_EXCHANGE, ExchangeKind::Direct),
    (SPRING_ERRORS.0, ExchangeKind::Direct),
    (BILLING_EXCHANGE, ExchangeKind::Fanout),
    (MASS_TRANSIT_ERRORS.0, ExchangeKind::Fanout),
];

const EXECUTION_QUEUE: &[Argument] = &[
    Number("x-message-ttl", EXECUTION_TTL_MS),
    Text("x-dead-letter-exchange", DEAD_EXECUTIONS_EXCHANGE),
];
const EMAIL_DLX: Argument = Text("x-dead-letter-exchange", "emails.dlx");

const QUEUES: &[(&str, &[Argument])] = &[
    (super::SWITCH, &[]),
    (DEAD_EXECUTIONS, &[Number("x-message-ttl", DAY_MS)]),
    ("worker.1.executions", EXECUTION_QUEUE),
    ("worker.2.executions", EXECUTION_QUEUE),
    ("worker.3.executions", EXECUTION_QUEUE),
    ("worker.7.executions", EXECUTION_QUEUE),
    // Forgotten when the others got their time to live: what waits here waits for ever.
    ("worker.9.executions", &[]),
    (ENDINGS, &[]),
    ("orders.dlq", &[]),
    (ORDERS, &[Text("x-dead-letter-exchange", "orders.dlx")]),
    ("payments.dlq", &[]),
    (
        CAPTURES,
        &[
            Text("x-queue-type", "quorum"),
            Number("x-delivery-limit", 3),
            Text("x-dead-letter-exchange", "payments.dlx"),
            Text("x-dead-letter-routing-key", "payments.dead"),
        ],
    ),
    (
        REFUNDS,
        &[
            Text("x-dead-letter-exchange", "payments.dlx"),
            Text("x-dead-letter-routing-key", "payments.dead"),
        ],
    ),
    ("invoices.dlq", &[]),
    (INVOICES, &[Text("x-dead-letter-exchange", DEAD_INVOICES_EXCHANGE)]),
    ("invoices.wait.1", WAIT_ONCE),
    ("invoices.wait.2", WAIT_TWICE),
    ("emails.dlq", &[]),
    (EMAILS, &[EMAIL_DLX]),
    (CAMPAIGNS, &[EMAIL_DLX, Number("x-max-length", 3), Text("x-overflow", "drop-head")]),
    ("commands.dlq", &[]),
    (COMMANDS, &[Text("x-dead-letter-exchange", "commands.dlx")]),
    ("telemetry.dlq", &[]),
    (
        TELEMETRY,
        &[Text("x-dead-letter-exchange", ""), Text("x-dead-letter-routing-key", "telemetry.dlq")],
    ),
    (SHIPPING, &[]),
    ("shipping.errors", &[]),
    (BILLING, &[]),
    ("billing_error", &[]),
];

/// A wait queue gives the message back under another key, so that the next reject takes
/// another way: the broker counts the tries, no client does.
const WAIT_ONCE: &[Argument] = &[
    Number("x-message-ttl", 400),
    Text("x-dead-letter-exchange", INVOICES_EXCHANGE),
    Text("x-dead-letter-routing-key", INVOICES_AGAIN),
];
const WAIT_TWICE: &[Argument] = &[
    Number("x-message-ttl", 800),
    Text("x-dead-letter-exchange", INVOICES_EXCHANGE),
    Text("x-dead-letter-routing-key", INVOICES_LAST),
];

/// Queue, exchange, key.
const BINDINGS: &[(&str, &str, &str)] = &[
    (DEAD_EXECUTIONS, DEAD_EXECUTIONS_EXCHANGE, "#"),
    ("worker.1.executions", EXECUTIONS_EXCHANGE, "execution.dispatch.worker.1"),
    ("worker.2.executions", EXECUTIONS_EXCHANGE, "execution.dispatch.worker.2"),
    ("worker.3.executions", EXECUTIONS_EXCHANGE, "execution.dispatch.worker.3"),
    ("worker.7.executions", EXECUTIONS_EXCHANGE, "execution.dispatch.worker.7"),
    ("worker.9.executions", EXECUTIONS_EXCHANGE, "execution.dispatch.worker.9"),
    (ENDINGS, EXECUTIONS_EXCHANGE, ENDED),
    (ORDERS, ORDERS_EXCHANGE, ORDERS),
    ("orders.dlq", "orders.dlx", ""),
    (CAPTURES, PAYMENTS_EXCHANGE, CAPTURES),
    (REFUNDS, PAYMENTS_EXCHANGE, REFUNDS),
    ("payments.dlq", "payments.dlx", "payments.dead"),
    (INVOICES, INVOICES_EXCHANGE, INVOICES),
    (INVOICES, INVOICES_EXCHANGE, INVOICES_AGAIN),
    (INVOICES, INVOICES_EXCHANGE, INVOICES_LAST),
    ("invoices.wait.1", DEAD_INVOICES_EXCHANGE, INVOICES),
    ("invoices.wait.2", DEAD_INVOICES_EXCHANGE, INVOICES_AGAIN),
    ("invoices.dlq", DEAD_INVOICES_EXCHANGE, INVOICES_LAST),
    (EMAILS, EMAILS_EXCHANGE, EMAILS),
    (CAMPAIGNS, EMAILS_EXCHANGE, CAMPAIGNS),
    ("emails.dlq", "emails.dlx", ""),
    ("commands.dlq", "commands.dlx", ""),
    (TELEMETRY, TELEMETRY_EXCHANGE, "sensors.*"),
    (SHIPPING, SHIPPING_EXCHANGE, SHIPPING),
    ("shipping.errors", SPRING_ERRORS.0, SPRING_ERRORS.1),
    (BILLING, BILLING_EXCHANGE, ""),
    ("billing_error", MASS_TRANSIT_ERRORS.0, ""),
];
