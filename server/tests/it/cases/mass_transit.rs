//! An error message of MassTransit without its input address (MassTransit issues 983, 646, 3039).

use dlo_domain::death::Reason;
use dlo_domain::republish::HeaderChanges;
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use super::{Case, Sent, remedies, with, with_headers};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_fault_without_an_input_address_tells_type_origin_and_host(pool: PgPool) {
    let properties = with_headers(&[
        ("Content-Type", "application/vnd.masstransit+json"),
        ("MT-Reason", "fault"),
        ("MT-Fault-ExceptionType", "Ledger.AccountClosedException"),
        ("MT-Fault-Message", "Account A-4711 is closed"),
        ("MT-Fault-Timestamp", "2026-11-20T14:56:11.2750418Z"),
        (
            "MT-Fault-StackTrace",
            "at Ledger.PostEntryConsumer.Consume() in /src/Consumer.cs:line 58",
        ),
        ("MT-Host-MachineName", "ledger-7c9f"),
        ("MT-Host-ProcessName", "dotnet"),
    ]);
    let properties = with(properties, "MT-Redelivery-Count", AMQPValue::LongInt(5));
    let properties = with(properties, "x-delay", AMQPValue::LongInt(5_210));
    let body = json!({
        "messageId": "11110000-aaaa-4ccc-8888-08dd00000001",
        "destinationAddress": "rabbitmq://mq.example/prod/ledger-commands?durable=true",
        "messageType": ["urn:message:Ledger.Contracts:PostEntry", "urn:message:Ledger.Contracts:ICommand"],
        "message": {"account": "A-4711", "amount": "12.50"},
        "headers": {}
    });
    let sent = Sent { properties, body: body.to_string().into_bytes() };
    let case = Case::of(&pool, "ledger-commands_error", &[sent]).await;
    let letter = &case.letters("body.message.account:A-4711").await[0];
    let summary = &letter.summary;
    assert_eq!(summary.message_type.as_deref(), Some("Ledger.Contracts:PostEntry"));
    assert_eq!(summary.error_class.as_deref(), Some("Ledger.AccountClosedException"));
    assert_eq!(summary.error_message.as_deref(), Some("Account A-4711 is closed"));
    assert_eq!(summary.queue.as_deref(), Some("ledger-commands"));
    assert_eq!((summary.reason, summary.origin_claimed), (Reason::Rejected, true));
    let says = letter.circumstances.says();
    let told = "retry 5, failed 2026-11-20 14:56:11 UTC, on ledger-7c9f, in dotnet";
    assert_eq!(says.as_deref(), Some(told));
    let note = format!(
        "The message says that it failed in the virtual host `prod`, and its source is in `{}`: queues of the same \
         name may be others there.",
        case.vhost.name
    );
    assert_eq!(letter.arrivals[0].notes, [note]);
    what_travels_along_can_be_left_out(&case).await;
    case.close().await;
}

async fn what_travels_along_can_be_left_out(case: &Case) {
    let warnings = case.warnings("ledger-commands", &HeaderChanges::default()).await;
    let told: Vec<&str> = warnings.iter().map(|one| &*one.message).collect();
    let count = "MT-Redelivery-Count 5 travels along with the letter: MassTransit counts redeliveries in it, and its \
                 consumer may give up at once. It can be left out.";
    let delay = "x-delay 5210 travels along with the letter: an exchange for delayed messages would hold the letter \
                 back for so many milliseconds again. It can be left out.";
    assert_eq!(told, [count, delay]);
    let (details, received) = case.replayed("ledger-commands", &remedies(&warnings)).await;
    assert_eq!(details, ["sent without MT-Redelivery-Count, x-delay"]);
    assert!(
        !received.contains_key("MT-Redelivery-Count") && !received.contains_key("x-delay"),
        "{received:?}"
    );
    assert!(received.contains_key("MT-Fault-Message"), "{received:?}");
}
