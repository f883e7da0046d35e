//! Events of CloudEvents in structured mode, which workers may well expect.

use dlo_domain::replay::{NewReplay, WarningKind};
use lapin::BasicProperties;
use sqlx::PgPool;

use super::{Case, Replayed, Sent};

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_event_goes_as_it_is_unless_its_data_are_asked_for(pool: PgPool) {
    let event = r#"{"specversion":"1.0","id":"e-1","source":"/shop","type":"shop.order.paid",
        "datacontenttype":"application/json","data":{"order":"o-7", "total":20.50}}"#;
    let properties =
        BasicProperties::default().with_content_type("application/cloudevents+json".into());
    let case = Case::of(&pool, "shop.dead", &[Sent { properties, body: event.into() }]).await;
    let tried = NewReplay { dry_run: true, ..NewReplay::default() };
    let kinds = |plan: dlo_domain::replay::Replay| {
        plan.warnings.into_iter().map(|one| one.kind).collect::<Vec<_>>()
    };
    let plain = kinds(case.plan("shop.work", tried.clone()).await);
    assert!(!plain.contains(&WarningKind::ErrorEnvelope), "{plain:?}");
    let open = NewReplay { open_envelopes: true, ..tried };
    let opened = kinds(case.plan("shop.work", open.clone()).await);
    assert!(opened.contains(&WarningKind::ExpectedEnvelope), "{opened:?}");
    let Replayed { came, .. } =
        case.replayed_on("shop.work", NewReplay { dry_run: false, ..open }).await;
    assert_eq!(came[0].body, br#"{"order":"o-7", "total":20.50}"#, "byte by byte");
    let headers = came[0].properties.headers().clone().expect("headers");
    assert!(headers.contains_key("cloudEvents:type"));
    case.close().await;
}
