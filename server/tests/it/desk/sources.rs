//! Sources through the desk: what can be changed of one, and when its head can be ejected.

use std::sync::Arc;

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::ids::SourceId;
use dlo_domain::source::{NewSource, SourceCondition, SourceMode};
use dlo_server::clock::{Clock as _, SharedClock, SystemClock, new_id};
use dlo_server::office;
use dlo_server::store::sources;
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;

fn as_it_is(mode: SourceMode) -> NewSource {
    NewSource {
        vhost: "/".to_owned(),
        queue: "dead".to_owned(),
        mode,
        name: None,
        broker: None,
        headers: HeaderMap::default(),
        executions: ExecutionNaming::default(),
        origins: Globs::default(),
    }
}

fn jonas() -> Actor {
    Actor("jonas".into())
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_source_takes_another_name_mode_and_header_names(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let mut wanted = as_it_is(SourceMode::Mirror);
    wanted.name = Some("Orders".to_owned());
    wanted.headers.error_message = Some("x-why".to_owned());
    let changed = bench.desk.change_source(&jonas(), bench.source, &wanted).await.expect("changed");
    assert_eq!((changed.name.as_str(), changed.mode), ("Orders", SourceMode::Mirror));
    let mut conn = pool.acquire().await.expect("a connection");
    let watched = sources::watched(&mut conn).await.expect("read");
    assert_eq!(watched[0].headers, wanted.headers, "intake reads them");
    assert_eq!(watched[0].mode, SourceMode::Mirror);
    let told: (String, String) = sqlx::query_as(
        "select actor, detail from audit where action = 'source.change' and source_id = $1",
    )
    .bind(bench.source.0)
    .fetch_one(&pool)
    .await
    .expect("an audit line");
    assert_eq!(told, ("jonas".to_owned(), "dead in /: `Orders`, mirror".to_owned()));
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_source_keeps_its_queue_and_one_of_the_configuration_everything(pool: PgPool) {
    let bench = Bench::offline(&pool).await;
    let elsewhere: [fn(&mut NewSource); 3] = [
        |source| source.queue = "other".to_owned(),
        |source| source.vhost = "other".to_owned(),
        |source| source.broker = Some("other".to_owned()),
    ];
    for change in elsewhere {
        let mut wanted = as_it_is(SourceMode::Take);
        change(&mut wanted);
        let refused = bench.desk.change_source(&jonas(), bench.source, &wanted).await;
        let Err(DeskError::Invalid(why)) = refused else {
            panic!("{refused:?}");
        };
        assert!(why.contains("stays as it is"), "{why}");
    }
    let nobody = SourceId(new_id(&SystemClock));
    let wanted = as_it_is(SourceMode::Take);
    let refused = bench.desk.change_source(&jonas(), nobody, &wanted).await;
    assert!(matches!(refused, Err(DeskError::NotFound(_))), "{refused:?}");

    let mut conn = pool.acquire().await.expect("a connection");
    sources::configure(&mut conn, &wanted).await.expect("done");
    let refused = bench.desk.change_source(&jonas(), bench.source, &wanted).await;
    assert!(matches!(refused, Err(DeskError::Conflict(_))), "{refused:?}");
}

async fn why_not_ejected(bench: &Bench) -> String {
    let refused = bench.desk.eject_head(&jonas(), bench.source).await;
    let Err(DeskError::Conflict(why)) = refused else {
        panic!("{refused:?}");
    };
    why
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn only_a_head_that_blocks_a_queue_is_ejected(pool: PgPool) {
    let vhost = Vhost::create().await;
    let bench = Bench::new(&pool, &vhost.brokers, &vhost.name).await;
    let clock: SharedClock = Arc::new(SystemClock);
    let _lock = office::open(&pool, &clock, bench.office).await;
    let why = why_not_ejected(&bench).await;
    assert!(why.contains("not known to be undecodable"), "{why}");

    let mut conn = pool.acquire().await.expect("a connection");
    let blocked = SourceCondition::UndecodableHead;
    sources::set_condition(&mut conn, bench.source, blocked, None, SystemClock.now())
        .await
        .expect("set");
    let why = why_not_ejected(&bench).await;
    assert!(why.contains("has no queue `dead`"), "{why}");

    vhost.queue("dead", &[]).await;
    let why = why_not_ejected(&bench).await;
    assert!(why.contains("the queue is empty"), "{why}");

    // A mirror's queue is ours, and may be blocked as well.
    let mut mirror = as_it_is(SourceMode::Mirror);
    mirror.vhost.clone_from(&vhost.name);
    sources::change(&mut conn, bench.source, &mirror).await.expect("changed");
    vhost.queue("dlo.mirror.dead", &[]).await;
    let why = why_not_ejected(&bench).await;
    assert!(why.contains("the queue is empty"), "{why}");
    vhost.delete().await;
}
