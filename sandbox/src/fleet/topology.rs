//! The exchanges and queues of the simulated company, as data, and their declaration.
//!
//! Everything is durable and every argument a constant: declaring again on a broker that has
//! it already changes nothing. A changed constant needs a new name, else old data directories
//! answer 406.

use super::FleetSource;
use lapin::{
    Channel, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable},
};

pub(super) const EXECUTIONS_EXCHANGE: &str = "attune.executions";
pub(super) const ORDERS_EXCHANGE: &str = "orders";
pub(super) const PAYMENTS_EXCHANGE: &str = "payments";
pub(super) const INVOICES_EXCHANGE: &str = "invoices";
pub(super) const EMAILS_EXCHANGE: &str = "emails";
pub(super) const TELEMETRY_EXCHANGE: &str = "telemetry";
pub(super) const SHIPPING_EXCHANGE: &str = "shipping";
pub(super) const BILLING_EXCHANGE: &str = "Acme.Billing:InvoicePosted";
pub(super) const SALES_EXCHANGE: &str = "Acme.Sales.Messages:CompleteOrder";

pub(super) const ORDERS: &str = "orders.process";
pub(super) const CAPTURES: &str = "payments.capture";
pub(super) const REFUNDS: &str = "payments.refund";
pub(super) const INVOICES: &str = "invoices.render";
pub(super) const EMAILS: &str = "emails.transactional";
pub(super) const CAMPAIGNS: &str = "emails.campaign";
pub(super) const COMMANDS: &str = "commands";
pub(super) const TELEMETRY: &str = "telemetry.ingest";
pub(super) const SHIPPING: &str = "shipping.labels";
pub(super) const BILLING: &str = "billing";
pub(super) const SALES: &str = "Sales";

/// Where Spring's recoverer, `MassTransit` and `NServiceBus` put what failed: exchange, key.
pub(super) const SPRING_ERRORS: (&str, &str) =
    ("shipping.errors.exchange", "error.shipping.labels");
pub(super) const MASS_TRANSIT_ERRORS: (&str, &str) = ("billing_error", "");
pub(super) const NSERVICEBUS_ERRORS: (&str, &str) = ("", "error");

const DEAD_EXECUTIONS_EXCHANGE: &str = "attune.dlx";
const DEAD_INVOICES_EXCHANGE: &str = "invoices.dlx";
const INVOICES_AGAIN: &str = "invoices.render.again";
const INVOICES_LAST: &str = "invoices.render.last";
/// Milliseconds that an execution waits for its worker. Five minutes in real life: here a
/// person watches.
const EXECUTION_TTL_MS: i32 = 5_000;
const DAY_MS: i32 = 86_400_000;

/// Name in the configuration, queue.
const SOURCES: &[(&str, &str)] = &[
    ("executions", "attune.dlx.queue"),
    ("orders", "orders.dlq"),
    ("payments", "payments.dlq"),
    ("invoices", "invoices.dlq"),
    ("emails", "emails.dlq"),
    ("commands", "commands.dlq"),
    ("telemetry", "telemetry.dlq"),
    ("shipping", "shipping.errors"),
    ("billing", "billing_error"),
    ("sales", "error"),
];

pub(super) fn sources(vhost: &str) -> Vec<FleetSource> {
    SOURCES
        .iter()
        .map(|(name, queue)| FleetSource {
            vhost: vhost.to_owned(),
            queue: (*queue).to_owned(),
            name: (*name).to_owned(),
        })
        .collect()
}

#[derive(Clone, Copy)]
enum Argument {
    Text(&'static str, &'static str),
    Number(&'static str, i32),
}
use Argument::{Number, Text};

const EXCHANGES: &[(&str, ExchangeKind)] = &[
    (EXECUTIONS_EXCHANGE, ExchangeKind::Topic),
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
    (SALES_EXCHANGE, ExchangeKind::Fanout),
];

const EXECUTION_QUEUE: &[Argument] = &[
    Number("x-message-ttl", EXECUTION_TTL_MS),
    Text("x-dead-letter-exchange", DEAD_EXECUTIONS_EXCHANGE),
];
const EMAIL_DLX: Argument = Text("x-dead-letter-exchange", "emails.dlx");

const QUEUES: &[(&str, &[Argument])] = &[
    ("attune.dlx.queue", &[Number("x-message-ttl", DAY_MS)]),
    ("worker.1.executions", EXECUTION_QUEUE),
    ("worker.2.executions", EXECUTION_QUEUE),
    ("worker.3.executions", EXECUTION_QUEUE),
    ("worker.7.executions", EXECUTION_QUEUE),
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
    (
        INVOICES,
        &[Text("x-dead-letter-exchange", DEAD_INVOICES_EXCHANGE)],
    ),
    ("invoices.wait.1", WAIT_ONCE),
    ("invoices.wait.2", WAIT_TWICE),
    ("emails.dlq", &[]),
    (EMAILS, &[EMAIL_DLX]),
    (
        CAMPAIGNS,
        &[
            EMAIL_DLX,
            Number("x-max-length", 3),
            Text("x-overflow", "drop-head"),
        ],
    ),
    ("commands.dlq", &[]),
    (COMMANDS, &[Text("x-dead-letter-exchange", "commands.dlx")]),
    ("telemetry.dlq", &[]),
    (
        TELEMETRY,
        &[
            Text("x-dead-letter-exchange", ""),
            Text("x-dead-letter-routing-key", "telemetry.dlq"),
        ],
    ),
    (SHIPPING, &[]),
    ("shipping.errors", &[]),
    (BILLING, &[]),
    ("billing_error", &[]),
    (SALES, &[]),
    ("error", &[]),
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
    ("attune.dlx.queue", DEAD_EXECUTIONS_EXCHANGE, "#"),
    (
        "worker.1.executions",
        EXECUTIONS_EXCHANGE,
        "execution.dispatch.worker.1",
    ),
    (
        "worker.2.executions",
        EXECUTIONS_EXCHANGE,
        "execution.dispatch.worker.2",
    ),
    (
        "worker.3.executions",
        EXECUTIONS_EXCHANGE,
        "execution.dispatch.worker.3",
    ),
    (
        "worker.7.executions",
        EXECUTIONS_EXCHANGE,
        "execution.dispatch.worker.7",
    ),
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
    (SALES, SALES_EXCHANGE, ""),
];

/// Declares everything; what is there already stays as it is.
pub(super) async fn declare(channel: &Channel) -> Result<(), lapin::Error> {
    for (name, kind) in EXCHANGES {
        let options = ExchangeDeclareOptions {
            durable: true,
            ..ExchangeDeclareOptions::default()
        };
        channel
            .exchange_declare((*name).into(), kind.clone(), options, FieldTable::default())
            .await?;
    }
    for (name, arguments) in QUEUES {
        let options = QueueDeclareOptions {
            durable: true,
            ..QueueDeclareOptions::default()
        };
        channel
            .queue_declare((*name).into(), options, table(arguments))
            .await?;
    }
    for (queue, exchange, key) in BINDINGS {
        let (queue, exchange, key) = ((*queue).into(), (*exchange).into(), (*key).into());
        channel
            .queue_bind(
                queue,
                exchange,
                key,
                QueueBindOptions::default(),
                FieldTable::default(),
            )
            .await?;
    }
    Ok(())
}

fn table(arguments: &[Argument]) -> FieldTable {
    let mut table = FieldTable::default();
    for argument in arguments {
        match *argument {
            Text(name, value) => table.insert(name.into(), super::message::text(value)),
            Number(name, value) => table.insert(name.into(), AMQPValue::LongInt(value)),
        };
    }
    table
}

#[cfg(test)]
mod tests {
    use super::{BINDINGS, EXCHANGES, QUEUES, SOURCES, Text};

    #[test]
    fn what_is_named_is_declared() {
        let queue = |name: &str| QUEUES.iter().any(|(queue, _)| *queue == name);
        let exchange =
            |name: &str| name.is_empty() || EXCHANGES.iter().any(|(exchange, _)| *exchange == name);
        assert!(SOURCES.iter().all(|(_, source)| queue(source)));
        assert!(
            BINDINGS
                .iter()
                .all(|(name, from, _)| queue(name) && exchange(from))
        );
        for (_, arguments) in QUEUES {
            for argument in *arguments {
                if let Text("x-dead-letter-exchange", dlx) = argument {
                    assert!(exchange(dlx), "{dlx}");
                }
            }
        }
    }
}
