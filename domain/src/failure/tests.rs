use serde_json::{Value, json};

use super::*;
use crate::wire::{FieldTable, FieldValue};

fn headers(fields: &[(&str, &str)]) -> FieldTable {
    let mut table = FieldTable::default();
    for (name, value) in fields {
        table.set(name, FieldValue::LongString((*value).into()));
    }
    table
}

fn told(headers: &FieldTable, body: Option<&Value>, names: &HeaderMap) -> Failure {
    read_failure(&FailedMessage { headers, delivered_to: ["", ""], body, json: None }, names)
}

fn read(fields: &[(&str, &str)]) -> Failure {
    told(&headers(fields), None, &HeaderMap::default())
}

fn read_body(body: &Value) -> Failure {
    told(&FieldTable::default(), Some(body), &HeaderMap::default())
}

#[test]
fn spring_tells_the_innermost_cause_and_where_it_came_from() {
    let failure = read(&[
        ("x-exception-message", "amount is negative"),
        ("x-original-exchange", "orders"),
        ("x-original-routingKey", "orders.new"),
        (
            "x-exception-stacktrace",
            "org.spring.ListenerException: failed\n\tat a.B.c(B.java:1)\nCaused by: shop.BadAmount: amount\n\tat x",
        ),
    ]);
    assert_eq!(failure.told_by.as_deref(), Some("spring"));
    assert_eq!(failure.error_class.as_deref(), Some("shop.BadAmount"));
    assert_eq!(failure.error_message.as_deref(), Some("amount is negative"));
    assert_eq!(failure.exchange.as_deref(), Some("orders"));
    assert_eq!(failure.routing_key.as_deref(), Some("orders.new"));
}

#[test]
fn mass_transit_tells_the_queue_in_its_input_address() {
    let failure = read(&[
        ("MT-Fault-ExceptionType", "System.InvalidOperationException"),
        ("MT-Fault-Message", "No stock"),
        ("MT-Fault-InputAddress", "rabbitmq://host/vhost/submit-order?durable=true"),
    ]);
    assert_eq!(failure.told_by.as_deref(), Some("masstransit"));
    assert_eq!(failure.queue.as_deref(), Some("submit-order"));
    assert_eq!(failure.error_message.as_deref(), Some("No stock"));
}

#[test]
fn nservicebus_tells_the_failed_queue_without_its_machine() {
    let failure = read(&[
        ("NServiceBus.FailedQ", "Sales@HOST7"),
        ("NServiceBus.ExceptionInfo.ExceptionType", "System.Exception"),
        ("NServiceBus.EnclosedMessageTypes", "Sales.PlaceOrder, Sales, Version=1"),
    ]);
    assert_eq!(failure.queue.as_deref(), Some("Sales"));
    assert_eq!(failure.message_type.as_deref(), Some("Sales.PlaceOrder"));
}

#[test]
fn a_celery_task_is_the_message_type() {
    let failure = read(&[("task", "mail.send"), ("argsrepr", "()")]);
    assert_eq!(failure.told_by.as_deref(), Some("celery"));
    assert_eq!(failure.message_type.as_deref(), Some("mail.send"));
}

#[test]
fn invented_names_are_read_too_and_the_sources_own_names_win() {
    let headers = headers(&[("x-error", "from x-error"), ("oops", "from oops")]);
    let plain = told(&headers, None, &HeaderMap::default());
    assert_eq!(plain.error_message.as_deref(), Some("from x-error"));
    let names = HeaderMap { error_message: Some("oops".into()), ..HeaderMap::default() };
    let custom = told(&headers, None, &names);
    assert_eq!(custom.error_message.as_deref(), Some("from oops"));
    assert_eq!(custom.told_by.as_deref(), Some("custom"));
}

#[test]
fn headers_that_tell_nothing_give_nothing() {
    assert_eq!(read(&[("tenant", "acme")]), Failure::default());
}

#[test]
fn a_header_of_another_type_is_no_text() {
    let mut headers = FieldTable::default();
    headers.set("x-error", FieldValue::Table(FieldTable::default()));
    assert_eq!(told(&headers, None, &HeaderMap::default()), Failure::default());
}
#[test]
fn mass_transit_tells_more_than_a_class_and_its_envelope_names_the_type() {
    let headers = headers(&[
        ("MT-Fault-ExceptionType", "Ledger.AccountClosedException"),
        ("MT-Fault-Message", "Account A-4711 is closed"),
        ("MT-Fault-Timestamp", "2026-11-20T14:56:11.2750418Z"),
        ("MT-Redelivery-Count", "5"),
        ("MT-Host-MachineName", "ledger-7c9f"),
        ("MT-Host-ProcessName", "dotnet"),
    ]);
    let body = json!({
        "messageType": ["urn:message:Ledger.Contracts:PostEntry", "urn:message:Ledger.Contracts:ICommand"],
        "destinationAddress": "rabbitmq://mq.example/prod/ledger-commands?durable=true",
        "message": {"account": "A-4711"}, "headers": {}
    });
    let failure = told(&headers, Some(&body), &HeaderMap::default());
    assert_eq!(failure.message_type.as_deref(), Some("Ledger.Contracts:PostEntry"));
    assert_eq!(failure.queue.as_deref(), Some("ledger-commands"));
    let Circumstances { retries, failed_at, host, process, .. } = failure.circumstances;
    assert_eq!(
        (retries, host.as_deref(), process.as_deref()),
        (Some(5), Some("ledger-7c9f"), Some("dotnet"))
    );
    assert_eq!(failed_at.map(|at| at.timestamp_micros()), Some(1_795_186_571_275_041));
    let delivered_to = ["ledger-events_error", ""];
    let published = json!({
        "messageType": ["urn:message:Ledger.Contracts:Posted"], "message": {},
        "destinationAddress": "rabbitmq://mq.example/prod/Ledger.Contracts:Posted"
    });
    let names = HeaderMap::default();
    let failure = read_failure(
        &FailedMessage { headers: &headers, delivered_to, body: Some(&published), json: None },
        &names,
    );
    assert_eq!(
        failure.queue.as_deref(),
        Some("ledger-events"),
        "the exchange of a type is not a queue"
    );
}

#[test]
fn a_fault_that_was_published_is_told_by_what_is_in_it() {
    let failure = read_body(&json!({
        "messageType": ["urn:message:MassTransit:Fault[[Ledger.Contracts:PostEntry]]"],
        "message": {
            "faultMessageTypes": ["urn:message:Ledger.Contracts:PostEntry"],
            "exceptions": [{"exceptionType": "System.Exception", "message": "closed", "stackTrace": "at A.B()"}]
        },
        "host": {"machineName": "ledger-1"}
    }));
    assert_eq!(failure.message_type.as_deref(), Some("Ledger.Contracts:PostEntry"));
    assert_eq!(failure.error_message.as_deref(), Some("closed"));
    assert_eq!(failure.circumstances.host.as_deref(), Some("ledger-1"));
}

#[test]
fn nservicebus_writes_times_in_a_form_of_its_own() {
    let failure = read(&[
        ("NServiceBus.ExceptionInfo.Message", "no"),
        ("NServiceBus.TimeOfFailure", "2026-11-20 03:10:01:123456 Z"),
        ("NServiceBus.ProcessingMachine", "web-3"),
        ("NServiceBus.ProcessingEndpoint", "Sales"),
        ("NServiceBus.DelayedRetries", "3"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ]);
    let told = failure.circumstances;
    assert_eq!(
        told.failed_at.map(|at| at.to_rfc3339()).as_deref(),
        Some("2026-11-20T03:10:01.123456+00:00")
    );
    assert_eq!((told.host.as_deref(), told.process.as_deref()), (Some("web-3"), Some("Sales")));
    assert_eq!(told.retries, Some(3));
    assert!(told.traceparent.is_some_and(|trace| trace.starts_with("00-0af7")));
}

#[test]
fn rebus_tells_the_newest_of_several_failures() {
    let details = "6 unhandled exceptions: 11/20/2026 2:00:01 AM +00:00: System.InvalidOperationException: row is locked\n   \
                   at Shop.Handler.Handle(Reserve message) in /src/Handler.cs:line 21\n11/20/2026 2:00:03 AM +00:00: \
                   System.InvalidOperationException: stock row is locked";
    let failure = read(&[
        ("rbs2-error-details", details),
        ("rbs2-source-queue", "inventory"),
        ("rbs2-msg-type", "Shop.Messages.ReserveStock, Shop.Messages"),
    ]);
    assert_eq!(failure.error_class.as_deref(), Some("System.InvalidOperationException"));
    assert_eq!(failure.error_message.as_deref(), Some("stock row is locked"));
    assert!(failure.stack_trace.is_some_and(|stack| stack.contains("Shop.Handler.Handle")));
    assert_eq!(failure.queue.as_deref(), Some("inventory"));
    assert_eq!(failure.message_type.as_deref(), Some("Shop.Messages.ReserveStock"));
    assert_eq!(failure.circumstances.attempts, Some(6));
    let german = "1 unhandled exceptions: 20.11.2026 02:00:03 +01:00: Shop.Locked: locked: A-77\n   at Shop.A.B()";
    let failure = read(&[("rbs2-error-details", german)]);
    assert_eq!(failure.error_class.as_deref(), Some("Shop.Locked"));
    assert_eq!(failure.error_message.as_deref(), Some("locked: A-77"));
    let odd = read(&[("rbs2-error-details", "no handlers for the message")]);
    assert_eq!(odd.error_message.as_deref(), Some("no handlers for the message"));
}

#[test]
fn wolverine_tells_when_in_milliseconds() {
    let failure = read(&[
        ("exception-type", "Shop.OutOfStock"),
        ("exception-message", "A-77"),
        ("exception-stack", "at A.B()"),
        ("failed-at", "1795150509250"),
        ("attempts", "4"),
    ]);
    assert_eq!(failure.told_by.as_deref(), Some("wolverine"));
    assert_eq!(failure.circumstances.attempts, Some(4));
    assert_eq!(
        failure.circumstances.failed_at.map(|at| at.timestamp_millis()),
        Some(1_795_150_509_250)
    );
}

#[test]
fn symfony_tells_the_last_of_its_stamps() {
    let stamp =
        |name: &str| format!("X-Message-Stamp-Symfony\\Component\\Messenger\\Stamp\\{name}");
    let error = |message: &str| {
        json!({
            "exceptionClass": "App\\GatewayTimeout", "exceptionMessage": message,
            "flattenException": {"trace": [
                {"class": "App\\Handler", "function": "__invoke", "file": "/srv/app/src/Handler.php", "line": 44},
                {"function": "call_user_func"}
            ]}
        })
    };
    let failure = read(&[
        ("type", "App\\Message\\ChargeCard"),
        (&stamp("ErrorDetailsStamp"), &json!([error("first"), error("last")]).to_string()),
        (
            &stamp("RedeliveryStamp"),
            r#"[{"retryCount":1},{"retryCount":2,"redeliveredAt":"2026-11-20T03:10:02+00:00"}]"#,
        ),
        (&stamp("SentToFailureTransportStamp"), r#"[{"originalReceiverName":"orders"}]"#),
    ]);
    assert_eq!(failure.error_class.as_deref(), Some("App\\GatewayTimeout"));
    assert_eq!(failure.error_message.as_deref(), Some("last"));
    let stack = "#0 /srv/app/src/Handler.php(44): App\\Handler->__invoke()\n#1 [internal]: call_user_func()";
    assert_eq!(failure.stack_trace.as_deref(), Some(stack));
    assert_eq!(failure.queue.as_deref(), Some("orders"));
    assert_eq!(failure.message_type.as_deref(), Some("App\\Message\\ChargeCard"));
    assert_eq!(failure.circumstances.retries, Some(2));
}

#[test]
fn sneakers_tells_in_the_body_or_in_a_header() {
    let failed = json!({
        "error": "error", "error_class": "Net::SMTPServerBusy", "error_message": "451 busy", "num_attempts": 6,
        "failed_at": "2026-11-20T03:12:44+00:00", "payload": "e30=", "properties": "e30=",
        "backtrace": ["/srv/app/workers/mail_worker.rb:31:in `work'"]
    });
    let listed = json!([{"error": "error"}, failed]).to_string();
    for failure in [read_body(&failed), read(&[("retry_info", &listed)])] {
        assert_eq!(failure.told_by.as_deref(), Some("sneakers"));
        assert_eq!(failure.error_class.as_deref(), Some("Net::SMTPServerBusy"));
        assert_eq!(failure.error_message.as_deref(), Some("451 busy"));
        assert_eq!(failure.circumstances.attempts, Some(6));
        assert_eq!(failure.circumstances.failed_at.map(|at| at.timestamp()), Some(1_795_144_364));
        assert!(failure.stack_trace.is_some());
    }
}

#[test]
fn easynetq_has_the_failure_and_the_message_in_one() {
    let failure = read_body(&json!({
        "RoutingKey": "shop", "Exchange": "orders", "Queue": "orders_shop", "Message": "{}",
        "Exception": "System.InvalidOperationException: no stock\n   at Shop.A.B()",
        "DateTime": "2026-11-20T03:12:44Z", "BasicProperties": {"Type": "Shop.Order, Shop"}
    }));
    assert_eq!(failure.error_class.as_deref(), Some("System.InvalidOperationException"));
    assert_eq!(failure.error_message.as_deref(), Some("no stock"));
    assert_eq!(failure.queue.as_deref(), Some("orders_shop"));
    assert_eq!(failure.message_type.as_deref(), Some("Shop.Order"));
}

#[test]
fn tasks_and_jobs_are_told_by_their_bodies() {
    let task = json!({"task": "mail.send", "id": "1", "args": [1], "kwargs": {}, "retries": 2});
    let failure = read_body(&task);
    assert_eq!(failure.message_type.as_deref(), Some("mail.send"));
    assert_eq!(failure.circumstances.retries, Some(2));
    let job = json!({
        "displayName": "App\\Jobs\\SendInvoice", "job": "Illuminate\\Queue\\CallQueuedHandler@call", "maxTries": 3,
        "data": {"commandName": "App\\Jobs\\SendInvoice"}
    });
    let mut attempts = FieldTable::default();
    attempts.set("attempts", FieldValue::LongInt(3));
    let mut headers = FieldTable::default();
    headers.set("laravel", FieldValue::Table(attempts));
    let failure = told(&headers, Some(&job), &HeaderMap::default());
    assert_eq!(failure.message_type.as_deref(), Some("App\\Jobs\\SendInvoice"));
    let told = failure.circumstances;
    assert_eq!((told.attempts, told.most_attempts), (Some(3), Some(3)));
    assert_eq!(failure.error_message, None);
}

#[test]
fn a_sources_own_paths_lead_into_the_body() {
    let names = HeaderMap {
        error_message: Some("/error/message".to_owned()),
        error_class: Some("/error/code".to_owned()),
        queue: Some("/nowhere".to_owned()),
        ..HeaderMap::default()
    };
    let body = json!({"error": {"message": "no stock", "code": 409}});
    let failure = told(&FieldTable::default(), Some(&body), &names);
    assert_eq!(failure.told_by.as_deref(), Some("custom"));
    assert_eq!(failure.error_message.as_deref(), Some("no stock"));
    assert_eq!((failure.error_class.as_deref(), failure.queue), (Some("409"), None));
}
