//! The exchanges and queues of the simulated company, as data, and their declaration.
//!
//! Everything is durable and every argument a constant: declaring again on a broker that has
//! it already changes nothing. A changed constant needs a new name, else old data directories
//! answer 406.

mod company;
mod sales;

use super::realm::Realm;
use lapin::{
    Channel, ExchangeKind,
    options::{ExchangeDeclareOptions, QueueBindOptions, QueueDeclareOptions},
    types::{AMQPValue, FieldTable},
};

/// Where workers say that they live.
pub(super) const FLEET_EXCHANGE: &str = "dlo.fleet";
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
/// What execution workers are called, before their number.
pub(super) const EXECUTION_WORKER: &str = "attune-worker-";
/// Where dead executions go, and where their bodies name them.
pub(super) const DEAD_EXECUTIONS: &str = "attune.dlx.queue";
pub(super) const EXECUTION_PATH: &str = "/payload/execution_id";
/// What is told of an execution that was ended without its worker, and the queue that hears it.
const ENDED: &str = "execution.completed";
pub(super) const ENDINGS: &str = "executor.endings";
/// Where the switch of the fleet listens.
pub(super) const SWITCH: &str = "fleet.switch";

/// Where Spring's recoverer, `MassTransit` and `NServiceBus` put what failed: exchange, key.
pub(super) const SPRING_ERRORS: (&str, &str) =
    ("shipping.errors.exchange", "error.shipping.labels");
pub(super) const MASS_TRANSIT_ERRORS: (&str, &str) = ("billing_error", "");
pub(super) const NSERVICEBUS_ERRORS: (&str, &str) = ("", "error");

#[derive(Clone, Copy)]
enum Argument {
    Text(&'static str, &'static str),
    Number(&'static str, i32),
}
use Argument::{Number, Text};

/// What one vhost holds.
#[derive(Clone, Copy)]
pub(super) struct Topology {
    exchanges: &'static [(&'static str, ExchangeKind)],
    queues: &'static [(&'static str, &'static [Argument])],
    /// Queue, exchange, key.
    bindings: &'static [(&'static str, &'static str, &'static str)],
    pub(super) sources: &'static [Source],
}

/// A dead-letter queue that somebody should watch.
#[derive(Clone, Copy)]
pub(super) struct Source {
    /// Its name in the configuration.
    pub(super) name: &'static str,
    pub(super) queue: &'static str,
    /// Where its messages come from, where a framework publishes them and no binding shows it.
    pub(super) origins: &'static [&'static str],
}

/// A source whose messages a broker dead-letters: its bindings show from where.
const fn fed_by_broker(name: &'static str, queue: &'static str) -> Source {
    Source { name, queue, origins: &[] }
}

/// What is there in a vhost of the company.
pub(super) const fn of(realm: Realm) -> Topology {
    match realm {
        Realm::Company => company::COMPANY,
        Realm::Sales => sales::SALES_DEPARTMENT,
    }
}

/// Declares everything; what is there already stays as it is.
pub(super) async fn declare(channel: &Channel, realm: Realm) -> Result<(), lapin::Error> {
    let topology = of(realm);
    for (name, kind) in topology.exchanges {
        let options = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        channel
            .exchange_declare((*name).into(), kind.clone(), options, FieldTable::default())
            .await?;
    }
    for (name, arguments) in topology.queues {
        let options = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        channel.queue_declare((*name).into(), options, table(arguments)).await?;
    }
    for (queue, exchange, key) in topology.bindings {
        let (queue, exchange, key) = ((*queue).into(), (*exchange).into(), (*key).into());
        channel
            .queue_bind(queue, exchange, key, QueueBindOptions::default(), FieldTable::default())
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
    use super::{Text, of};
    use crate::fleet::realm::Realm;

    #[test]
    fn what_is_named_is_declared() {
        for topology in Realm::ALL.map(of) {
            let queue = |name: &str| topology.queues.iter().any(|(queue, _)| *queue == name);
            let exchange = |name: &str| {
                name.is_empty() || topology.exchanges.iter().any(|(known, _)| *known == name)
            };
            assert!(topology.sources.iter().all(|source| queue(source.queue)));
            let mut bindings = topology.bindings.iter();
            assert!(bindings.all(|(name, from, _)| queue(name) && exchange(from)));
            let arguments = topology.queues.iter().flat_map(|(_, arguments)| *arguments);
            for argument in arguments {
                if let Text("x-dead-letter-exchange", dlx) = argument {
                    assert!(exchange(dlx), "{dlx}");
                }
            }
        }
    }
}
