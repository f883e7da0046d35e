//! Letters as they arrive, and as they are stored: one judgement.

use std::collections::BTreeMap;

use dlo_domain::arrival::Delivered;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::ReplayId;
use dlo_domain::reading::ReturnsFrom;
use dlo_domain::rule::Verdict;
use dlo_domain::severity::Severity;
use dlo_domain::wire::FieldValue;
use sqlx::PgPool;
use uuid::Uuid;

use super::{Office, critical, died_of, key, many};
use crate::clock::Clock as _;
use crate::judging::after_renaming;
use crate::store::letters::{append_returned, stored};

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_stored_letter_is_judged_as_it_was_when_it_arrived(pool: PgPool) {
    let office = Office::open(&pool).await;
    for (place, filter) in [
        "queue:orders.work error:\"NUL\" body.tenant:acme",
        "header.tenant:globex",
        "body.lines.n:>0 -error:stock",
        "\"tenant\": error:stock",
        "size:>100",
    ]
    .into_iter()
    .enumerate()
    {
        let severity = Severity::ALL[place % 4];
        office.add(filter, Verdict::Severity(severity)).await;
        office.add(filter, key(&format!("{place} {{error_message}}"))).await;
    }
    let mut odd = vec![
        died_of("a NUL \0 in it"),
        died_of("no stock of item 4711"),
        died_of(&"long ".repeat(2_000)),
        Delivered::default(),
    ];
    let mut tenant = died_of("other");
    tenant.headers.set("tenant", FieldValue::LongString("globex".into()));
    tenant.body = vec![0xff; 200];
    odd.push(tenant);
    let letters = office.receive(odd).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let judge = office.judges.current(&mut conn).await.expect("a judge");
    let read = stored(&mut conn, &letters, true).await.expect("read");
    assert_eq!(read.len(), letters.len());
    for letter in &read {
        let judgement = letter.judged_by(&judge, &mut Masker::new());
        assert_eq!(judgement.severity, letter.severity);
        assert_eq!(letter.severity_by(&judge), letter.severity);
        assert_eq!(Some(judgement.signature.id), letter.signature);
    }
    office.walk().await;
    let mut conn = pool.acquire().await.expect("a connection");
    let changed: i64 = sqlx::query_scalar("select changed from judging")
        .fetch_one(&mut *conn)
        .await
        .expect("read");
    assert_eq!(changed, 0, "the walk finds nothing to change");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_letter_that_dies_again_is_judged_by_what_it_then_is(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.add("arrivals:>1 replays:>0 error:stock", critical()).await;
    office.add("arrivals:>1", key("again and again")).await;
    office.walk().await;
    let letter = office.receive(many(1, "no stock")).await[0];
    let replay = ReplayId(Uuid::from_u128(7));
    sqlx::query(
        "with replay as (
             insert into replays (id, state, target, created_by, created_at, total, pending)
             values ($1, 'running', '{}', 'ann', now(), 1, 1)),
         item as (
             insert into replay_items (replay_id, position, letter_id, attempt, vhost, broker)
             values ($1, 1, $2, 1, '/', 'main'))
         update letters set state = 'replayed', claimed_at = now(), replays = 1 where id = $2",
    )
    .bind(replay.0)
    .bind(letter.0)
    .execute(&pool)
    .await
    .expect("replayed");
    // This death tells no error: the letter keeps the one that it had.
    let mut incoming = office.incoming(Delivered::default()).await;
    assert_eq!(incoming.severity, Severity::Normal, "as a letter of its own");
    let from = ReturnsFrom { letter_id: letter, replay_id: replay };
    let mut transaction = pool.begin().await.expect("a transaction");
    let judge = office.judges.newest();
    let joined =
        append_returned(&mut transaction, office.source, &mut incoming, from, &judge).await;
    assert_eq!(joined.expect("looked at"), Ok(2));
    transaction.commit().await.expect("committed");
    let expected = BTreeMap::from([("held critical".to_owned(), 1)]);
    assert_eq!(office.severities().await, expected);
    let mut conn = pool.acquire().await.expect("a connection");
    let read = stored(&mut conn, &[letter], true).await.expect("read");
    let judgement = read[0].judged_by(&judge, &mut Masker::new());
    assert_eq!(Some(judgement.signature.id), read[0].signature);
    let known: bool = sqlx::query_scalar("select exists (select from signatures where id = $1)")
        .bind(&judgement.signature.id.0[..])
        .fetch_one(&mut *conn)
        .await
        .expect("asked");
    assert!(known, "its signature is written down, so that it is grouped");
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_rename_is_followed_where_rules_ask_for_names(pool: PgPool) {
    let office = Office::open(&pool).await;
    office.receive(many(2, "no stock")).await;
    let mut conn = pool.acquire().await.expect("a connection");
    let now = office.clock.now();
    after_renaming(&mut conn, now).await.expect("looked at");
    assert_eq!(office.progress().await, None, "no rule asks for names");
    office.add("source:dead-letters", critical()).await;
    office.walk().await;
    office.set("update sources set name = 'dead-letters'").await;
    after_renaming(&mut conn, now).await.expect("looked at");
    office.walk().await;
    let expected = BTreeMap::from([("held critical".to_owned(), 2)]);
    assert_eq!(office.severities().await, expected);
}
