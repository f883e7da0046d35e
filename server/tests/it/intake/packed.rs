//! Bodies that their senders packed.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::filter::LetterFilter;
use dlo_domain::payload::Content;
use dlo_domain::source::SourceMode;
use lapin::BasicProperties;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::{Office, letters, watch};
use crate::support::until;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_packed_body_is_found_by_what_is_in_it(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let packed = || BasicProperties::default().with_content_encoding("base64".into());
    vhost.publish("dead", packed(), b"eyJjbGFpbSI6IDd9").await;
    vhost.publish("dead", packed(), b"eyJjbGFpbSI6IDh9").await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("letters", || async { letters(&pool).await == 2 }).await;
    office.stop().await;
    let desk = Bench::offline(&pool).await.desk;
    let claim = LetterFilter::parse("body.claim:7").expect("a filter");
    let found = desk.letters(&claim, None, 10).await.expect("listed").items;
    assert_eq!(found.len(), 1);
    let body = desk.payload(found[0].id, None, false).await.expect("a payload").content;
    assert_eq!(body, Content::Json(serde_json::json!({"claim": 7})));
    vhost.delete().await;
}
