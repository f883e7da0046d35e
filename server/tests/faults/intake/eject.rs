//! Ejecting the head of a queue by hand: only a message that client libraries cannot decode, one at a
//! time, stored before it is acknowledged, and never twice.

use std::sync::Arc;
use std::time::Duration;

use dlo_domain::ids::OfficeId;
use dlo_domain::source::SourceMode;
use dlo_server::broker::Brokers;
use dlo_server::clock::{SharedClock, SystemClock, new_id};
use dlo_server::intake::{self, Deps, EjectError, Settings};
use dlo_server::store::sources::Watched;
use dlo_server::{office, store};
use lapin::BasicProperties;
use sqlx::{PgConnection, PgPool};
use tokio::task::JoinSet;

use crate::harness::proxy::Proxy;
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::office::{letters, watch};
use crate::support::raw::publish_with_message_id;
use crate::support::until_within;

const ODD_ID: &[u8] = &[b'm', 0xff, 0xfe];

/// An office that serves the desk; it lives as long as this does.
struct Office {
    deps: Deps,
    _lock: PgConnection,
}

impl Office {
    async fn open(pool: &PgPool, brokers: &Brokers) -> Self {
        let clock: SharedClock = Arc::new(SystemClock);
        let office_id = OfficeId(new_id(&*clock));
        let lock = office::open(pool, &clock, office_id).await;
        Self {
            deps: Deps {
                pool: pool.clone(),
                brokers: Arc::new(brokers.clone()),
                clock,
                office_id,
                judges: Arc::default(),
                settings: Settings::default(),
            },
            _lock: lock.expect("registered"),
        }
    }
}

async fn watched(pool: &PgPool) -> Watched {
    let mut conn = pool.acquire().await.expect("a connection");
    let mut sources = store::sources::watched(&mut conn).await.expect("read");
    sources.remove(0)
}

/// What a row of clicks came to.
#[derive(Debug, Default, PartialEq, Eq)]
struct Clicks {
    ejected: usize,
    refused: usize,
}

/// Clicks again and again, until the head can be decoded.
async fn click(deps: Deps, source: Watched) -> Clicks {
    let mut clicks = Clicks::default();
    let mut decodable = 0;
    while decodable < 3 {
        match intake::eject_head(&deps, &source).await {
            Ok(_) => clicks.ejected += 1,
            Err(EjectError::Decodable) => decodable += 1,
            Err(EjectError::Busy) => {
                clicks.refused += 1;
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
            Err(why) => panic!("{why}"),
        }
    }
    clicks
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn repeated_clicks_of_two_offices_eject_undecodable_heads_alone_and_each_once(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let odd = sized(31, 300);
    for number in 0..odd {
        let body = format!("odd {number:03}");
        publish_with_message_id(&uri, "dead", ODD_ID, body.as_bytes()).await;
    }
    let good: Vec<String> = (0..500).map(|n| format!("good {n:03}")).collect();
    vhost.publish_all("dead", &good).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let source = watched(&pool).await;
    let mut people = JoinSet::new();
    let offices =
        [Office::open(&pool, &vhost.brokers).await, Office::open(&pool, &vhost.brokers).await];
    for office in &offices {
        people.spawn(click(office.deps.clone(), source.clone()));
        people.spawn(click(office.deps.clone(), source.clone()));
    }
    let done = people.join_all().await;
    let ejected: usize = done.iter().map(|one| one.ejected).sum();
    assert_eq!(ejected, odd, "{done:?}");
    let stored: Vec<Vec<u8>> = sqlx::query_scalar("select body from arrivals order by body")
        .fetch_all(&pool)
        .await
        .expect("read");
    let expected: Vec<Vec<u8>> = (0..odd).map(|n| format!("odd {n:03}").into_bytes()).collect();
    assert!(stored == expected, "each once, and no good one");
    let unsettled: i64 = sqlx::query_scalar("select count(*) from unsettled_batches")
        .fetch_one(&pool)
        .await
        .expect("counted");
    assert_eq!(unsettled, 0);
    until_within("the good ones are in the queue", Duration::from_secs(10), || async {
        vhost.depth("dead").await == 500
    })
    .await;
    let left = vhost.take_bodies("dead").await;
    let good: Vec<Vec<u8>> = good.into_iter().map(String::into_bytes).collect();
    assert!(left == good, "each good one, in its order");
    vhost.delete().await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn a_head_that_can_be_decoded_stays(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let office = Office::open(&pool, &vhost.brokers).await;
    let (deps, source) = (office.deps.clone(), watched(&pool).await);
    let empty = intake::eject_head(&deps, &source).await;
    assert!(matches!(empty, Err(EjectError::Empty)), "{empty:?}");
    vhost.publish("dead", BasicProperties::default(), b"good").await;
    let refused = intake::eject_head(&deps, &source).await;
    assert!(matches!(refused, Err(EjectError::Decodable)), "{refused:?}");
    assert_eq!(letters(&pool).await, 0);
    assert_eq!(vhost.take_bodies("dead").await, [b"good"]);
    vhost.delete().await;
}

/// The acknowledgement is lost on its way: what is not known is told as that, and nothing is stored
/// twice when the message is ejected again.
#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn an_acknowledgement_that_is_lost_stores_nothing_twice(pool: PgPool) {
    let vhost = Vhost::create().await;
    vhost.queue("dead", &[]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    publish_with_message_id(&uri, "dead", ODD_ID, b"poison").await;
    watch(&pool, &vhost.name, "dead", SourceMode::Take).await;
    let source = watched(&pool).await;
    let proxy = Proxy::start(&vhost.brokers).await;
    let behind = Office::open(&pool, &proxy.brokers(&vhost.brokers)).await;

    // The eject waits for this lock before it commits; the connection is cut meanwhile.
    let mut rules = pool.begin().await.expect("a transaction");
    sqlx::query("select pg_advisory_xact_lock(hashtextextended('rules', 0))")
        .execute(&mut *rules)
        .await
        .expect("locked");
    let mut eject = JoinSet::new();
    let (theirs, there) = (behind.deps.clone(), source.clone());
    eject.spawn(async move { intake::eject_head(&theirs, &there).await });
    until_within("the eject waits for the lock", Duration::from_secs(10), || async {
        let waiting: i64 = sqlx::query_scalar(
            "select count(*) from pg_locks where locktype = 'advisory' and not granted
                 and database = (select oid from pg_database where datname = current_database())",
        )
        .fetch_one(&pool)
        .await
        .expect("counted");
        waiting > 0
    })
    .await;
    drop(proxy);
    until_within("the broker has it again", Duration::from_secs(10), || async {
        vhost.depth("dead").await == 1
    })
    .await;
    rules.rollback().await.expect("let go");
    let told = tokio::time::timeout(Duration::from_mins(1), eject.join_next()).await;
    let told = told.expect("in time").expect("one").expect("no panic");
    let Err(EjectError::Unacknowledged { letter, why: _ }) = &told else {
        panic!("{told:?}");
    };
    let stored: uuid::Uuid =
        sqlx::query_scalar("select id from letters").fetch_one(&pool).await.expect("one letter");
    assert_eq!(stored, letter.0);
    let said = told.expect_err("told").to_string();
    assert!(said.contains("not known"), "{said}");

    let other = Office::open(&pool, &vhost.brokers).await;
    let again = intake::eject_head(&other.deps, &source).await;
    assert!(matches!(again, Err(EjectError::StoredBefore)), "{again:?}");
    assert_eq!(letters(&pool).await, 1);
    assert_eq!(vhost.depth("dead").await, 0);
    vhost.delete().await;
}
