//! Sales, written with `NServiceBus`: what fails after its immediate retries goes to the queue
//! `error` with `NServiceBus.ExceptionInfo.*` headers.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::message::text;
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use serde_json::json;

const MESSAGE_TYPES: &str = "Acme.Sales.Messages.CompleteOrder, Acme.Sales.Messages, Version=4.2.0.0, Culture=neutral, PublicKeyToken=null";

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let missing = failure == Some(Failure::SagaMissing);
    let order = desk.dice.uuid();
    let body = json!({
        "OrderId": order,
        "Step": if missing { "complete" } else { "start" },
        "CustomerName": desk.dice.person(),
        "Total": desk.dice.money(10, 2000)
    });
    let message_id = desk.dice.uuid();
    let message = Publication::new(topology::SALES_EXCHANGE, "")
        .json(&body)
        .header("NServiceBus.MessageId", text(message_id.to_string()))
        .header("NServiceBus.EnclosedMessageTypes", text(MESSAGE_TYPES))
        .header("NServiceBus.ContentType", text("application/json"))
        .header("NServiceBus.OriginatingEndpoint", text("WebShop"));
    desk.dress(message, "webshop", "Acme.Sales.Messages.CompleteOrder", "4.2.0")
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    reading.is("/Step", "complete").then_some(Failure::SagaMissing)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    (failure == Failure::SagaMissing).then(|| {
        let message = format!("No saga data of type Acme.Sales.OrderPolicy was found for OrderId {}", reading.field("/OrderId"));
        let trace = format!(
            "Acme.Sales.SagaNotFoundException: {message}\n   at Acme.Sales.OrderPolicy.Handle(CompleteOrder message, IMessageHandlerContext context) in C:\\src\\Acme.Sales\\OrderPolicy.cs:line 58\n   at NServiceBus.InvokeHandlerTerminator.Terminate(IInvokeHandlerContext context)\n   at NServiceBus.LoadHandlersConnector.Invoke(IIncomingLogicalMessageContext context, Func`2 stage)\n"
        );
        Report { class: "Acme.Sales.SagaNotFoundException", message, trace, dialect: Dialect::NServiceBus { queue: topology::SALES } }
    })
}
