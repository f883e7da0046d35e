//! A message that NServiceBus delayed before it failed (NServiceBus.RabbitMQ, `DelayInfrastructure.cs`).

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::death::Reason;
use dlo_domain::replay::{NewReplay, Target};
use dlo_domain::selection::Selection;
use lapin::ExchangeKind;
use lapin::options::{ExchangeDeclareOptions, QueueBindOptions};
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;

use super::{Case, Sent, deaths_by, with, with_headers};

/// What comes out of the levels is delivered by this exchange.
const DELIVERY: &str = "nsb.v2.delay-delivery";

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
    let history = deaths_by(
        DELIVERY,
        &[
            ("Sales.1.Billing", "rejected", &key),
            ("nsb.v2.delay-level-00", "expired", &key),
            ("nsb.v2.delay-level-02", "expired", &key),
        ],
    );
    let properties = with(properties, "x-death", history);
    let body = b"<?xml version=\"1.0\"?><BillOrder xmlns=\"http://example/Sales\"><OrderId>o-1</OrderId></BillOrder>";
    let sent =
        [properties.clone(), properties].map(|properties| Sent { properties, body: body.to_vec() });
    let case = Case::of(&pool, "sales.dead", &sent).await;
    let letter = &case.found("body.BillOrder.OrderId:o-1").await[0];
    assert_eq!(letter.message_type.as_deref(), Some("Sales.Messages.BillOrder"));
    assert_eq!(letter.queue.as_deref(), Some("Sales.1.Billing"));
    assert_eq!(letter.reason, Reason::Rejected);
    assert_eq!(letter.routing_key.as_deref(), Some("Sales.1.Billing"), "the 1 is of the name");
    assert_eq!(letter.exchange.as_deref(), Some(DELIVERY));
    neither_way_waits_again(&case).await;
    case.close().await;
}

/// The key has no digits any more, so that the exchange behind the levels delivers at once.
async fn neither_way_waits_again(case: &Case) {
    let channel = &case.vhost.channel;
    case.vhost.queue("Sales.1.Billing", &[]).await;
    let none = FieldTable::default;
    let options = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
    channel
        .exchange_declare(DELIVERY.into(), ExchangeKind::Topic, options, none())
        .await
        .expect("declared");
    let bound = channel.queue_bind(
        "Sales.1.Billing".into(),
        DELIVERY.into(),
        "#.Sales.1.Billing".into(),
        QueueBindOptions::default(),
        none(),
    );
    bound.await.expect("bound");
    let engine = case.bench.engine().await;
    for target in [Target::OriginExchange, Target::OriginQueue] {
        let letters = case.found("state:held").await;
        let new = NewReplay {
            selection: Selection::of_ids(vec![letters[0].id]),
            target,
            claimed_origins: true,
            ..NewReplay::default()
        };
        let planned = case.bench.desk.plan_replay(&Actor("tester".into()), &new).await;
        let planned = planned.expect("planned");
        assert_eq!(planned.total, 1, "{:?}", planned.left_out);
        let done = case.bench.finished(planned.id.expect("an id")).await;
        assert_eq!(done.outcomes.confirmed, 1, "{:?}", new.target);
        assert_eq!(case.vhost.take_bodies("Sales.1.Billing").await.len(), 1, "{:?}", new.target);
    }
    engine.stop().await;
}
