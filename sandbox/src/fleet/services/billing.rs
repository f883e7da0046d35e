//! Billing, written with `MassTransit`: messages travel in its envelope, and what fails is moved
//! to the `_error` queue with the fault in `MT-Fault-*` headers.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use serde_json::json;

const ENVELOPE: &str = "application/vnd.masstransit+json";

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let account = format!("AC-{}", desk.dice.number(1000, 9999));
    let status = if failure == Some(Failure::AccountClosed) { "closed" } else { "open" };
    let period = if failure == Some(Failure::LedgerDeadlock) { "month-end" } else { "daily" };
    let body = json!({
        "messageId": desk.dice.uuid(),
        "conversationId": desk.dice.uuid(),
        "sourceAddress": "rabbitmq://localhost/billing-api",
        "destinationAddress": "rabbitmq://localhost/Acme.Billing:InvoicePosted",
        "messageType": ["urn:message:Acme.Billing:InvoicePosted"],
        "message": {
            "invoiceNumber": format!("INV-2026-{:06}", desk.dice.number(1, 999_999)),
            "account": { "number": account, "status": status },
            "period": period,
            "amount": desk.dice.money(10, 9000)
        },
        "sentTime": desk.moment().to_rfc3339(),
        "host": { "machineName": "billing-api-5d9", "processName": "dotnet", "massTransitVersion": "8.3.4.0" }
    });
    let message = Publication::new(topology::BILLING_EXCHANGE, "").body(ENVELOPE, body.to_string());
    desk.dress(message, "billing-api", "urn:message:Acme.Billing:InvoicePosted", "12.0.3")
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    if reading.is("/message/account/status", "closed") {
        return Some(Failure::AccountClosed);
    }
    reading.is("/message/period", "month-end").then_some(Failure::LedgerDeadlock)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    let (class, message) = match failure {
        Failure::LedgerDeadlock => (
            "Microsoft.Data.SqlClient.SqlException",
            format!(
                "Transaction (Process ID {}) was deadlocked on lock resources with another process and has been chosen as the deadlock victim. Rerun the transaction.",
                reading.salt() % 180 + 51
            ),
        ),
        Failure::AccountClosed => (
            "System.InvalidOperationException",
            format!(
                "Account {} is closed; invoice {} cannot be posted",
                reading.field("/message/account/number"),
                reading.field("/message/invoiceNumber")
            ),
        ),
        _ => return None,
    };
    let trace = format!(
        "   at Acme.Billing.Ledger.PostAsync(Invoice invoice, CancellationToken ct) in /src/Acme.Billing/Ledger.cs:line 142\n   at Acme.Billing.InvoicePostedConsumer.Consume(ConsumeContext`1 context) in /src/Acme.Billing/InvoicePostedConsumer.cs:line 33\n   at MassTransit.Middleware.ConsumerMessageFilter`2.MassTransit.IFilter<MassTransit.ConsumeContext<TMessage>>.Send(ConsumeContext`1 context)\n{class}\n"
    );
    Some(Report {
        class,
        message,
        trace,
        dialect: Dialect::MassTransit { input: topology::BILLING },
    })
}
