//! What letters have in common, and the groups of the first page.

use std::sync::Arc;

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::arrival::Delivered;
use dlo_domain::audit::Actor;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::failure::HeaderMap;
use dlo_domain::group::{GroupEdit, GroupState, Mute};
use dlo_domain::grouping::Masker;
use dlo_domain::ids::{GroupId, LetterId};
use dlo_domain::judge::Judge;
use dlo_domain::overview::Span;
use dlo_domain::reading;
use dlo_domain::severity::Severity;
use dlo_domain::wire::FieldValue;
use dlo_server::clock::{Clock as _, SystemClock, new_id};
use dlo_server::grouping::Grouper;
use dlo_server::store::groups::{signatures, totals};
use dlo_server::store::letters::{Court, Incoming, insert_new};
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::desk::Bench;

const REFUSED: &str = "the payment gateway refused the connection";
const CLOSED: &str = "ledger of the month is closed";

/// Stores letters that died with a message and a version header.
async fn receive(bench: &Bench, message: &str, severity: Severity, version: &str, count: usize) {
    let mut masker = Masker::new();
    let incoming: Vec<Incoming> = (0..count)
        .map(|number| {
            let mut delivered = Delivered::default();
            for (name, value) in [
                ("x-version", version.to_owned()),
                ("x-tenant", format!("tenant-{}", number % 3)),
                ("x-request", format!("{version}-{number}")),
            ] {
                delivered.headers.set(name, FieldValue::LongString(value.as_str().into()));
            }
            let mut read =
                reading::read(&delivered, &HeaderMap::default(), &MessageTypes::default());
            read.failure.error_message = Some(message.to_owned());
            let id = LetterId(new_id(&SystemClock));
            let judging = Court { judge: &Judge::default(), source: "dead" };
            let now = SystemClock.now();
            let mut one = Incoming::new(id, now, delivered, read, judging, &mut masker);
            one.severity = severity;
            one
        })
        .collect();
    let all: Vec<&Incoming> = incoming.iter().collect();
    let mut transaction = bench.pool.begin().await.expect("a transaction");
    signatures::remember(&mut transaction, &all).await.expect("remembered");
    insert_new(&mut transaction, bench.source, &all).await.expect("stored");
    transaction.commit().await.expect("committed");
    Grouper::new(bench.pool.clone(), Arc::new(SystemClock)).catch_up().await.expect("grouped");
    let mut transaction = bench.pool.begin().await.expect("a transaction");
    let folded = totals::fold(&mut transaction, SystemClock.now()).await;
    folded.expect("folded");
    transaction.commit().await.expect("committed");
}

async fn group_of(bench: &Bench, title: &str) -> GroupId {
    let page = bench.desk.groups(None, None, 50).await.expect("a page");
    let found = page.items.into_iter().find(|group| group.title == title);
    found.expect("the group").id
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_group_says_which_version_its_letters_have(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, REFUSED, Severity::High, "2.3.1", 23).await;
    let refused = group_of(&bench, REFUSED).await;
    let alone = bench.desk.group_breakdown(refused).await.expect("told");
    assert_eq!(alone.sentence, None, "there is nothing to compare with");

    receive(&bench, REFUSED, Severity::High, "2.3.0", 1).await;
    receive(&bench, CLOSED, Severity::Low, "2.3.0", 76).await;
    let told = bench.desk.group_breakdown(refused).await.expect("told");
    assert_eq!((told.letters, told.letters_in_set), (24, 24));
    assert_eq!((told.compared_with, told.letters_in_all), (100, 100));
    assert_eq!(
        told.sentence.as_deref(),
        Some("96 % of these have x-version=2.3.1, 23 % of all letters do.")
    );
    let names: Vec<&str> = told.facets.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["x-version", "x-tenant"], "no queue was told");
    assert_eq!(told.facets[0].values[0].filter, "header.x-version:2.3.1");

    let nobody = bench.desk.group_breakdown(GroupId(Uuid::from_u128(7))).await;
    assert!(matches!(nobody, Err(DeskError::NotFound(_))), "{nobody:?}");
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_overview_shows_the_worst_groups_and_leaves_muted_ones_off(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    receive(&bench, CLOSED, Severity::Low, "1", 5).await;
    receive(&bench, REFUSED, Severity::Critical, "1", 2).await;
    let overview = bench.desk.overview(Span::Hour).await.expect("figures");
    let titles: Vec<&str> =
        overview.groups.iter().map(|group| group.summary.title.as_str()).collect();
    assert_eq!(titles, [REFUSED, CLOSED]);
    assert!(overview.groups.iter().all(|group| group.is_new));
    assert_eq!(overview.groups[0].summary.severity, Some(Severity::Critical));
    assert_eq!((overview.waiting.letters, overview.groups_left.groups), (7, 2));

    let old = "update signatures set first_seen_at = first_seen_at - interval '2 h'";
    sqlx::query(old).execute(&pool).await.expect("aged");
    let mute = GroupEdit {
        state: Some(GroupState::Muted),
        mute: Some(Mute { arrivals: Some(100), ..Mute::default() }),
        ..GroupEdit::default()
    };
    let refused = group_of(&bench, REFUSED).await;
    let actor = Actor("jonas".into());
    let muted = bench.desk.edit_group(&actor, refused, &mute).await;
    muted.expect("muted");
    let overview = bench.desk.overview(Span::Hour).await.expect("figures");
    assert_eq!(overview.groups.len(), 1);
    assert!(!overview.groups[0].is_new, "it is two hours old");
    let left = overview.groups_left;
    assert_eq!((left.groups, left.muted, left.resolved), (1, 1, 0));
    let day = bench.desk.overview(Span::Day).await.expect("figures");
    assert!(day.groups[0].is_new, "it was first seen within a day");
}
