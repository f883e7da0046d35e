//! Every odd message is kept, whatever it holds, and every page and call of it answers.

use std::collections::HashMap;
use std::time::Duration;

use dlo_domain::source::SourceMode;
use dlo_server::access::Role;
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;
use uuid::Uuid;

use crate::harness::goal::GoalRow;
use crate::harness::odd::{self, OddMessage};
use crate::harness::poison::{self, Poison};
use crate::harness::{setting, sized};
use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::front::Counter;
use crate::support::office::{Office, letters};
use crate::support::until_within;

/// A letter that an odd message became.
struct OddLetter {
    id: Uuid,
    name: String,
    notes: Vec<String>,
}

async fn stored(pool: &PgPool) -> Vec<OddLetter> {
    let rows: Vec<(Uuid, Vec<u8>, Vec<String>)> =
        sqlx::query_as("select letter_id, body, notes from arrivals order by letter_id")
            .fetch_all(pool)
            .await
            .expect("read");
    rows.into_iter()
        .map(|(id, body, notes)| OddLetter {
            id,
            name: String::from_utf8(body).expect("a name"),
            notes,
        })
        .collect()
}

/// Has an office take all odd messages.
async fn take(pool: &PgPool, vhost: &Vhost, messages: &[OddMessage]) -> Vec<OddLetter> {
    vhost.queue("dead", &[]).await;
    odd::publish_all(vhost, "dead", messages).await;
    let office = Office::start(pool, &vhost.brokers).await;
    let many = i64::try_from(messages.len()).expect("few");
    until_within("all are letters", Duration::from_mins(1), || async {
        letters(pool).await >= many
    })
    .await;
    office.stop().await;
    assert_eq!(vhost.depth("dead").await, 0);
    let stored = stored(pool).await;
    let mut kept: Vec<&str> = stored.iter().map(|letter| &*letter.name).collect();
    let mut sent: Vec<&str> = messages.iter().map(|message| &*message.name).collect();
    kept.sort_unstable();
    sent.sort_unstable();
    let lost = sent.iter().filter(|name| !kept.contains(name)).count();
    GoalRow {
        goal: "R8",
        case: "odd messages, each stored or visibly quarantined".to_owned(),
        tried: format!("{} messages", messages.len()),
        broker: vhost.version().await,
        lost: Some(lost),
        doubled: Some((kept.len() + lost).saturating_sub(sent.len())),
        recovered: None,
        is_met: kept == sent,
    }
    .report();
    assert_eq!(kept, sent, "each once");
    for message in messages {
        let letter = stored.iter().find(|letter| letter.name == message.name);
        let notes = letter.expect("stored").notes.join(" ");
        let is_noted = notes.contains("Undecodable");
        assert_eq!(is_noted, message.is_undecodable, "{}: {notes}", message.name);
        assert!(!notes.contains("Postgres refused"), "{}: {notes}", message.name);
    }
    stored
}

/// The pages that show one letter.
fn pages(id: Uuid) -> Vec<String> {
    let views = sized(&["", "?view=hex"][..], &["", "?view=tree", "?view=text", "?view=hex"]);
    let edits = sized(&["/edit"][..], &["/edit", "/edit?as=hex"]);
    let views = views.iter().map(|view| format!("/letters/{id}{view}"));
    let edits = edits.iter().map(|edit| format!("/letters/{id}{edit}"));
    views.chain(edits).chain([format!("/replays/new?ids%5B%5D={id}")]).collect()
}

async fn answers(counter: &Counter, letter: &OddLetter, path: &str) {
    let request = counter.as_role(Role::Admin, Method::GET, path);
    let answer = request.send().await.expect("an answer");
    let status = answer.status().as_u16();
    let text = answer.text().await.unwrap_or_default();
    let is_known = status < 500 && status != 404;
    assert!(is_known, "{}: {path}: {status} {text:.300}", letter.name);
}

async fn calls_answer(counter: &Counter, letter: &OddLetter) {
    let id = letter.id;
    for call in ["", "/body", "/decoded"] {
        answers(counter, letter, &format!("/api/v1/letters/{id}{call}")).await;
    }
    replays_answer(counter, &letter.name, &[id]).await;
}

/// Asks what a replay of letters would do.
async fn replays_answer(counter: &Counter, name: &str, ids: &[Uuid]) {
    let target = json!({"mode": "queue", "queue": "dead"});
    let dry_run = json!({"selection": {"ids": ids}, "target": target, "dry_run": true});
    let answer = counter.post("/api/v1/replays", &dry_run).await;
    let status = answer.status();
    let text = answer.text().await.unwrap_or_default();
    assert!(status.is_success(), "{name}: a dry run: {status} {text:.300}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn every_odd_message_is_kept_and_every_page_and_call_reads_it(pool: PgPool) {
    let vhost = Vhost::create().await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let letters = take(&pool, &vhost, &odd::messages()).await;
    let counter = Counter::open_before(&pool, bench.desk.clone()).await;
    let all = &letters[0];
    let lists = [
        "/",
        "/letters",
        "/groups",
        "/sources",
        "/replays/new?scope=matching&q=",
        "/api/v1/letters?limit=200",
        "/api/v1/groups",
        "/api/v1/overview",
        "/api/v1/sources",
    ];
    for list in lists {
        answers(&counter, all, list).await;
    }
    for letter in &letters {
        for page in pages(letter.id) {
            answers(&counter, letter, &page).await;
        }
        calls_answer(&counter, letter).await;
    }
    let ids: Vec<Uuid> = letters.iter().map(|letter| letter.id).collect();
    replays_answer(&counter, "all", &ids).await;
    let preview = json!({"selection": {"ids": ids}, "transform": {"jq": "."}});
    let answer = counter.post("/api/v1/replays/preview", &preview).await;
    assert!(answer.status().as_u16() < 500, "a preview: {}", answer.status());
    counter.close().await;
    vhost.delete().await;
}

/// Letters by what they are known by, with the headers and the notes of each.
async fn digests(pool: &PgPool) -> Vec<([u8; 32], String)> {
    let rows: Vec<(serde_json::Value, Vec<u8>, Vec<String>)> =
        sqlx::query_as("select headers, body, notes from arrivals")
            .fetch_all(pool)
            .await
            .expect("read");
    let known = rows.into_iter().map(|(headers, body, notes)| {
        let told = format!("{headers} {notes:?}");
        let headers = serde_json::from_value(headers).expect("headers");
        (poison::digest_of_stored(&headers, &body), told)
    });
    known.collect()
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn ten_thousand_poison_messages_are_stored_octet_by_octet(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    crate::support::office::watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let seed = u64::try_from(setting("DLO_CRASH_SEED", 8)).expect("fits");
    let messages = Poison::generate(setting("DLO_POISON_MESSAGES", 10_000), seed);
    poison::publish_all(&vhost, "dead", &messages).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until_within("all are taken", Duration::from_mins(3), || async {
        vhost.depth("dead").await == 0 && letters(&pool).await > 0
    })
    .await;
    office.stop().await;
    let mut sent: HashMap<[u8; 32], usize> = HashMap::new();
    for message in &messages {
        *sent.entry(message.digest()).or_default() += 1;
    }
    let (mut doubled, mut changed) = (0, Vec::new());
    for (digest, told) in digests(&pool).await {
        match sent.get_mut(&digest) {
            Some(0) => doubled += 1,
            Some(left) => *left -= 1,
            None => changed.push(told),
        }
    }
    let lost = sent.values().sum::<usize>() - changed.len();
    GoalRow {
        goal: "R8",
        case: "poison messages, compared by SHA-256".to_owned(),
        tried: format!("{} messages, {} with changed octets", messages.len(), changed.len()),
        broker: vhost.version().await,
        lost: Some(lost),
        doubled: Some(doubled),
        recovered: None,
        is_met: lost == 0 && doubled == 0 && changed.is_empty(),
    }
    .report();
    assert_eq!((lost, doubled), (0, 0));
    assert!(
        changed.is_empty(),
        "{} are not as they came, such as {:?}",
        changed.len(),
        changed.first()
    );
    assert_eq!(vhost.depth("dead").await, 0, "nothing blocks the queue");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_mirror_keeps_every_odd_message(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.dead_letter_pair("dlx", "dead").await;
    crate::support::office::watch(&pool, &vhost.name, "dead", SourceMode::Mirror).await;
    let office = Office::start(&pool, &vhost.brokers).await;
    until_within("the mirror is there", Duration::from_secs(20), || async {
        vhost.has_queue("dlo.mirror.dead").await
    })
    .await;
    let messages = odd::messages();
    odd::publish_all(&vhost, "dlo.mirror.dead", &messages).await;
    let many = i64::try_from(messages.len()).expect("few");
    until_within("all are letters", Duration::from_mins(1), || async {
        letters(&pool).await >= many
    })
    .await;
    office.stop().await;
    assert_eq!(stored(&pool).await.len(), messages.len());
    vhost.delete().await;
}
