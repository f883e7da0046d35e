//! Queues and findings as people and programs ask for them.

use dlo_app::desk::{DeskError, TopologyDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::ids::FindingId;
use dlo_domain::source::SourceMode;
use dlo_domain::topology::{End, FindingEdit, FindingScope, QueueQuery, Role};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use sqlx::PgPool;
use uuid::Uuid;

use crate::support::desk::Bench;
use crate::support::office::watch;
use crate::support::topology::{Watcher, dying, quorum};
use crate::support::until;

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn queues_are_told_with_their_dead_letters_sources_and_findings(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    vhost.queue("work", &dying("fan")).await;
    vhost.queue("odd / name?", &dying("gone")).await;
    vhost.dead_letter_pair("fan", "letters").await;
    let bench = Bench::offline(&pool).await;
    let source = watch(&pool, &vhost.name, "letters", SourceMode::Take).await;
    watcher.look().await;
    let work = bench.desk.queue("main", &vhost.name, "work").await.expect("there");
    let route = work.dead_letters.expect("a route");
    assert_eq!(
        (route.end, route.to.iter().next().map(String::as_str)),
        (End::Arrives, Some("letters"))
    );
    assert_eq!(work.role, Role::Work);
    let letters = bench.desk.queue("main", &vhost.name, "letters").await.expect("there");
    assert_eq!((letters.role, letters.source_id), (Role::DeadLetters, Some(source)));
    assert_eq!(letters.fed_by, ["work"]);
    let odd = bench.desk.queue("main", &vhost.name, "odd / name?").await.expect("there");
    let found = bench.desk.findings(FindingScope::Open).await.expect("listed");
    let of_odd = found.iter().filter(|one| one.finding.subject == odd.name);
    assert_eq!(odd.findings, of_odd.map(|one| one.id).collect::<Vec<_>>());
    let query = QueueQuery { vhost: Some(vhost.name.clone()), limit: 2, ..QueueQuery::default() };
    let first = bench.desk.queues(&query).await.expect("listed");
    let names: Vec<&str> = first.items.iter().map(|queue| queue.name.as_str()).collect();
    assert_eq!((names, first.estimated_total), (vec!["letters", "odd / name?"], 3));
    let after = first.next_cursor.expect("there is more");
    let rest = QueueQuery { after: Some(after.parse().expect("a cursor")), ..query };
    let rest = bench.desk.queues(&rest).await.expect("listed");
    assert_eq!(rest.items[0].name, "work");
    assert_eq!((rest.items.len(), rest.next_cursor, rest.estimated_total), (1, None, 3));
    let none = bench.desk.queue("main", &vhost.name, "none").await;
    assert!(matches!(none, Err(DeskError::NotFound(_))), "{none:?}");
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_finding_is_acknowledged_and_muted_in_somebodys_name(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    watcher.vhost.queue("work", &dying("gone")).await;
    watcher.finds(&[("exchange_missing", "work")]).await;
    let desk = Bench::offline(&pool).await.desk;
    let anna = Actor("anna".into());
    let id = watcher.kept(FindingScope::Open).await[0].id;
    let edit = FindingEdit { acknowledged: Some(true), mute_hours: Some(2) };
    let kept = desk.edit_finding(&anna, id, edit).await.expect("edited");
    assert_eq!(kept.acknowledged_by.as_deref(), Some("anna"));
    assert!(kept.muted_until.is_some());
    let open = desk.findings(FindingScope::Open).await.expect("listed");
    assert!(open.iter().all(|one| one.id != id), "muted");
    let present = desk.findings(FindingScope::Present).await.expect("listed");
    assert!(present.iter().any(|one| one.id == id));
    let back = FindingEdit { acknowledged: Some(false), mute_hours: Some(0) };
    let kept = desk.edit_finding(&anna, id, back).await.expect("edited");
    assert_eq!((kept.acknowledged_by, kept.muted_until), (None, None));
    let told: Vec<(String,)> =
        sqlx::query_as("select detail from audit where action = 'finding.edit' order by id")
            .fetch_all(&pool)
            .await
            .expect("audited");
    assert_eq!(told.len(), 2);
    assert!(told[0].0.ends_with("acknowledged, muted for 2 h"), "{}", told[0].0);
    let nobody = FindingId(Uuid::from_u128(7));
    let gone = desk.edit_finding(&anna, nobody, edit).await;
    assert!(matches!(gone, Err(DeskError::NotFound(_))), "{gone:?}");
    let long = FindingEdit { mute_hours: Some(9_000), ..edit };
    let refused = desk.edit_finding(&anna, id, long).await;
    assert!(matches!(refused, Err(DeskError::Invalid(_))), "{refused:?}");
    watcher.end().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn the_levels_of_a_delay_are_told_as_one_with_what_waits_in_them(pool: PgPool) {
    let watcher = Watcher::start(&pool, "management").await;
    let vhost = &watcher.vhost;
    let level = |number: u32| format!("nsb.v2.delay-level-{number:02}");
    for number in 0..28_u32 {
        let next = number.checked_sub(1).map_or("nsb.v2.delay-delivery".to_owned(), level);
        let mut arguments = quorum(dying(&next));
        arguments.push(("x-message-ttl", AMQPValue::LongLongInt(1_000_i64 << number)));
        vhost.queue(&level(number), &arguments).await;
    }
    vhost.publish(&level(20), BasicProperties::default(), b"waits 12 days").await;
    let told = || async {
        watcher.look().await;
        let brokers = watcher.desk().brokers().await.expect("told").into_iter();
        let vhosts: Vec<_> = brokers.flat_map(|broker| broker.vhosts).collect();
        let [vhost] = vhosts.try_into().expect("one vhost");
        vhost
    };
    until("the broker tells that it waits", || async {
        told().await.delays.first().and_then(|delay| delay.waiting) == Some(1)
    })
    .await;
    let vhost_told = told().await;
    let delay = &vhost_told.delays[0];
    assert_eq!((delay.name.as_str(), delay.levels), ("nsb.v2", 28));
    assert_eq!(delay.next_in.as_deref(), Some("nsb.v2.delay-level-20"));
    let next = vhost_told.read_at + chrono::TimeDelta::seconds((1 << 21) - 1);
    assert_eq!(delay.next_by, Some(next));
    let of = watcher.desk().queue("main", &vhost.name, &level(20)).await.expect("there");
    assert_eq!(of.delay.map(|one| (one.delay, one.level)), Some(("nsb.v2".to_owned(), 20)));
    assert!(watcher.kept(FindingScope::Present).await.is_empty());
    watcher.end().await;
}
