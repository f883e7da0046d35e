//! A message that NServiceBus delayed before it failed (NServiceBus.RabbitMQ, `DelayInfrastructure.cs`).

use dlo_domain::death::Reason;
use lapin::types::AMQPValue;
use sqlx::PgPool;

use super::{Case, Sent, deaths, with, with_headers};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_levels_of_a_delay_are_no_origin_and_no_part_of_the_key(pool: PgPool) {
    let key = format!("{}1.0.1.Sales.1.Billing", "0.".repeat(25));
    let types = "Sales.Messages.BillOrder, Sales.Messages, Version=1.0.0.0, Culture=neutral, PublicKeyToken=null";
    let properties = with_headers(&[
        ("NServiceBus.EnclosedMessageTypes", types),
        ("NServiceBus.MessageId", "0b1c-0001"),
    ]);
    let delay = AMQPValue::LongInt(5);
    let properties = with(properties, "NServiceBus.Transport.RabbitMQ.DelayInSeconds", delay);
    let history = deaths(&[
        ("Sales.1.Billing", "rejected", &key),
        ("nsb.v2.delay-level-00", "expired", &key),
        ("nsb.v2.delay-level-02", "expired", &key),
    ]);
    let properties = with(properties, "x-death", history);
    let body = b"<?xml version=\"1.0\"?><BillOrder xmlns=\"http://example/Sales\"><OrderId>o-1</OrderId></BillOrder>";
    let case = Case::of(&pool, "sales.dead", &[Sent { properties, body: body.to_vec() }]).await;
    let letter = &case.found("body.BillOrder.OrderId:o-1").await[0];
    assert_eq!(letter.message_type.as_deref(), Some("Sales.Messages.BillOrder"));
    assert_eq!(letter.queue.as_deref(), Some("Sales.1.Billing"));
    assert_eq!(letter.reason, Reason::Rejected);
    assert_eq!(letter.routing_key.as_deref(), Some("Sales.1.Billing"), "the 1 is of the name");
    case.close().await;
}
