//! Jobs of Laravel, whose command is a serialised PHP object (laravel-queue-rabbitmq issues 66, 305, 615).

use dlo_app::desk::TriageDesk as _;
use dlo_domain::payload::{BodyRange, Content};
use dlo_domain::republish::HeaderChanges;
use lapin::types::{AMQPValue, FieldTable};
use serde_json::{Value, json};
use sqlx::PgPool;

use super::{Case, Sent, deaths, remedies, signatures, with, with_headers};

fn job(class: &str, members: &str) -> Sent {
    let class_name = format!("App\\Jobs\\{class}");
    let body = json!({
        "uuid": "1f6d1b2e-0000-4000-8000-000000000001",
        "displayName": class_name,
        "job": "Illuminate\\Queue\\CallQueuedHandler@call",
        "maxTries": 3,
        "data": {
            "commandName": class_name,
            "command": format!("O:{}:\"{class_name}\":{members}", class_name.len()),
        }
    });
    let mut attempts = FieldTable::default();
    attempts.insert("attempts".into(), AMQPValue::LongInt(3));
    let properties = with(with_headers(&[]), "laravel", AMQPValue::FieldTable(attempts));
    let properties = with(properties, "x-death", deaths(&[("mail", "rejected", "mail")]));
    Sent { properties, body: body.to_string().into_bytes() }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_job_is_known_by_its_class_and_its_attempts(pool: PgPool) {
    let members =
        "2:{s:31:\"\0App\\Jobs\\SendInvoice\0invoiceId\";i:88412;s:5:\"queue\";s:4:\"mail\";}";
    let mut sent = vec![job("SendInvoice", members)];
    sent.extend((0..20).map(|id| job("ResizeImage", &format!("1:{{s:2:\"id\";i:{id};}}"))));
    let case = Case::of(&pool, "mail.dead", &sent).await;
    assert_eq!(signatures(&pool).await, 2, "one for each job");
    let invoice = &case.letters("body.data.commandName:\"App\\\\Jobs\\\\SendInvoice\"").await[0];
    assert_eq!(case.found("88412").await[0].id, invoice.summary.id);
    assert_eq!(invoice.summary.message_type.as_deref(), Some("App\\Jobs\\SendInvoice"));
    assert_eq!(invoice.circumstances.says().as_deref(), Some("attempt 3 of 3"));
    let found = case.found("body.data.command.invoiceId:88412").await;
    assert_eq!(found[0].id, invoice.summary.id);
    let payload = case.bench.desk.payload(invoice.summary.id, None, false).await;
    let Content::Json(shown) = payload.expect("a payload").content else { panic!("values") };
    let apart = json!({
        "$class": "App\\Jobs\\SendInvoice", "invoiceId": 88412, "queue": "mail", "$private": ["invoiceId"]
    });
    assert_eq!(shown["data"]["command"], apart);
    let all = BodyRange { from: 0, most: u32::MAX };
    let body = case.bench.desk.body_part(invoice.summary.id, None, all).await.expect("a body");
    assert_eq!(body.bytes, sent[0].body, "byte for byte");
    let read: Value = serde_json::from_slice(&body.bytes).expect("JSON");
    assert!(read["data"]["command"].as_str().expect("a text").contains('\0'), "the NUL stays");
    the_attempts_can_be_reset(&case).await;
    case.close().await;
}

async fn the_attempts_can_be_reset(case: &Case) {
    let warnings = case.warnings("mail", &HeaderChanges::default()).await;
    let told: Vec<&str> = warnings.iter().map(|one| &*one.message).collect();
    let says = "/laravel/attempts 3 travels along with all 21 letters: Laravel counts attempts in it, and fails a job \
                at once that had as many as it may have. It can be set to 0.";
    assert_eq!(told, [says]);
    let reset = remedies(&warnings);
    assert_eq!(case.warnings("mail", &reset).await, []);
    let (details, received) = case.replayed("mail", &reset).await;
    let told = "sent with /laravel/attempts 0 instead of 3";
    assert!(details.iter().all(|detail| detail.starts_with(told)), "{details:?}");
    let mut attempts = FieldTable::default();
    attempts.insert("attempts".into(), AMQPValue::LongInt(0));
    assert_eq!(received.inner()["laravel"], AMQPValue::FieldTable(attempts));
}
