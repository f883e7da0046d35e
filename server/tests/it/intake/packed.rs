//! Bodies that are not plain JSON: packed ones, and other formats.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::decoding::Format;
use dlo_domain::filter::LetterFilter;
use dlo_domain::payload::Content;
use dlo_domain::source::SourceMode;
use lapin::BasicProperties;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::{Office, letters, watch};
use crate::support::until;

/// As fastavro writes it.
const CLAIM_OF_AVRO: &[u8] = b"Obj\x01\x04\x14avro.codec\x08null\x16avro.schema\xf0\x01\
    {\"type\": \"record\", \"name\": \"shop.Claim\", \
    \"fields\": [{\"name\": \"claim\", \"type\": \"int\"}, {\"name\": \"by\", \"type\": \"string\"}\
    ]}\x000123456789abcdef\x02\x0a\x0e\x06ann0123456789abcdef";

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

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_body_of_any_format_is_found_by_its_values(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let bodies = [
        (Format::MessagePack, &b"\x82\xa5claim\x07\xa2by\xa3ann"[..]),
        (Format::Cbor, b"\xa2\x65claim\x07\x62by\x63ann"),
        (Format::Php, b"a:2:{s:5:\"claim\";i:7;s:2:\"by\";s:3:\"ann\";}"),
        (Format::Avro, CLAIM_OF_AVRO),
        (Format::Json, br#"{"claim": 7, "by": "ann"}"#),
    ];
    for (_, body) in bodies {
        vhost.publish("dead", BasicProperties::default(), body).await;
    }
    vhost.publish("dead", BasicProperties::default(), b"\x82\xa5claim\x08\xa2by\xa3bob").await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until("letters", || async { letters(&pool).await == 6 }).await;
    office.stop().await;
    let desk = Bench::offline(&pool).await.desk;
    for filter in ["body.claim:7", "body.by:ann", "ann"] {
        let asked = LetterFilter::parse(filter).expect("a filter");
        let found = desk.letters(&asked, None, 10).await.expect("listed").items;
        let mut formats = Vec::new();
        for letter in found {
            let payload = desk.payload(letter.id, None, false).await.expect("a payload");
            let values = serde_json::json!({"claim": 7, "by": "ann"});
            assert_eq!(payload.content, Content::Json(values), "{filter}");
            formats.extend(payload.steps.last().map(|step| step.format));
        }
        formats.reverse();
        assert_eq!(formats, bodies.map(|(format, _)| format), "{filter}");
    }
    let of_type = LetterFilter::parse("type:shop.Claim").expect("a filter");
    let found = desk.letters(&of_type, None, 10).await.expect("listed").items;
    assert_eq!(found.len(), 1, "the schema that is with it names its type");
    vhost.delete().await;
}
