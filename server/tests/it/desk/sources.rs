//! Sources through the desk: what can be changed of one.

use dlo_app::desk::{DeskError, TriageDesk as _};
use dlo_domain::audit::Actor;
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::ids::SourceId;
use dlo_domain::source::{NewSource, SourceMode};
use dlo_server::clock::{SystemClock, new_id};
use dlo_server::store::sources;
use sqlx::PgPool;

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
