//! A letter that cannot be read is refused alone: the others of its replay go on, whoever asked for it.

use dlo_app::desk::TriageDesk as _;
use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Outcome, Target};
use dlo_domain::wire::{FieldTable, Properties};
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::support::desk::{Bench, at_work};
use crate::support::front::Counter;
use crate::support::retries::{add, policy, scheduler};
use crate::support::until;

/// Headers as older versions stored them: tables in tables, deeper than a JSON reader follows.
fn deep_headers() -> String {
    let leaf = r#"[{"name":"n","type":"long_int","value":7}]"#;
    (0..100).fold(leaf.to_owned(), |inner, _| {
        format!(r#"[{{"name":"a","type":"table","value":{inner}}}]"#)
    })
}

/// Headers that nobody ever wrote.
const CORRUPT: &str = r#"[{"name":"a","type":"nonsense","value":1}]"#;

/// A letter whose stored headers are this.
async fn letter_with(bench: &Bench, headers: &str) -> LetterId {
    let letter = bench.letter("work", b"odd").await;
    sqlx::query("update arrivals set headers = $2::json where letter_id = $1")
        .bind(letter.0)
        .bind(headers)
        .execute(&bench.pool)
        .await
        .expect("set");
    letter
}

async fn ask_policies(pool: &PgPool, letters: &[LetterId]) {
    for letter in letters {
        sqlx::query("insert into policy_inbox (letter_id, arrived_at) values ($1, now())")
            .bind(letter.0)
            .execute(pool)
            .await
            .expect("asked");
    }
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_replay_refuses_a_letter_that_cannot_be_read_and_sends_the_others(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    let mut all = bench.letters(8).await;
    let deep = letter_with(&bench, &deep_headers()).await;
    let corrupt = letter_with(&bench, CORRUPT).await;
    // What no client library can write is refused alone, too.
    let odd = Properties { message_id: Some(vec![b'm', 0xff].into()), ..Properties::default() };
    let none = FieldTable::default();
    let unwritable = bench.letter_of("work", &odd, &none, b"odd").await;
    all.extend([deep, corrupt, unwritable]);
    for letter in [deep, corrupt] {
        let read = bench.desk.letter(letter).await.expect("it is shown");
        let notes = read.arrivals[0].notes.join(" ");
        assert_eq!(notes.contains("cannot be shown"), letter == corrupt, "{notes}");
    }
    let engine = bench.engine().await;
    let replay = bench.plan(&all, Target::OriginQueue).await.id;
    let replay = bench.finished(replay.expect("an id")).await;
    assert_eq!((replay.outcomes.confirmed, replay.outcomes.refused), (9, 2));
    let items = bench.items(replay.id.expect("an id")).await;
    let refused = items.iter().find(|item| item.letter_id == corrupt);
    let refused = refused.expect("an item");
    assert_eq!(refused.outcome, Outcome::Refused);
    let why = refused.detail.as_deref().unwrap_or_default();
    assert!(why.contains("cannot be read"), "{why}");
    engine.stop().await;
    assert_eq!(vhost.depth("work").await, 9);
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_dry_run_of_a_letter_that_cannot_be_read_answers(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let corrupt = letter_with(&bench, CORRUPT).await;
    let deep = letter_with(&bench, &deep_headers()).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    for letter in [corrupt, deep] {
        for path in [
            format!("/letters/{letter}"),
            format!("/letters/{letter}/edit"),
            format!("/replays/new?ids%5B%5D={letter}"),
        ] {
            let page = counter.request(Method::GET, &path).send().await;
            assert_eq!(page.expect("an answer").status(), 200, "{path}");
        }
        let read = counter.get(&format!("/api/v1/letters/{letter}")).await;
        assert_eq!(read.status(), 200);
        let asked = json!({
            "selection": {"ids": [letter]},
            "target": {"mode": "queue", "queue": "work"},
            "dry_run": true,
        });
        let answer = counter.post("/api/v1/replays", &asked).await;
        let status = answer.status();
        let text = answer.text().await.unwrap_or_default();
        assert!(status.is_success(), "{status} {text}");
    }
    counter.close().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_policy_goes_on_past_a_letter_that_cannot_be_read(pool: PgPool) {
    let (vhost, bench) = at_work(&pool).await;
    add(&bench, &policy(vec![1])).await;
    let mut all = bench.letters(8).await;
    let corrupt = letter_with(&bench, CORRUPT).await;
    all.push(corrupt);
    ask_policies(&pool, &all).await;
    let engine = bench.engine().await;
    let scheduler = scheduler(&pool);
    until("the good ones are sent", || async { vhost.depth("work").await == 8 }).await;
    until("the other is refused", || async {
        let letter = bench.desk.letter(corrupt).await.expect("a letter");
        let mut replays = letter.replays.iter();
        replays.any(|replay| replay.outcome == Outcome::Refused)
    })
    .await;
    let troubles = bench.desk.troubles().await;
    let is_told = |what: &str| what.contains(&corrupt.to_string()) && what.contains("left out");
    assert!(troubles.iter().any(|one| is_told(&one.what)), "{troubles:?}");
    // It goes on with what comes later.
    let later = bench.letters(1).await;
    ask_policies(&pool, &later).await;
    let sent = until("a later one is sent", || async { vhost.depth("work").await == 9 });
    let sent = tokio::time::timeout(crate::support::patience(), sent).await;
    sent.expect("in time");
    scheduler.stop().await;
    engine.stop().await;
    vhost.delete().await;
}
