//! An office within the test: intake of some queues, which can be cut off at any moment.

use std::sync::Arc;

use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::ids::{OfficeId, SourceId};
use dlo_domain::source::{NewSource, SourceCondition, SourceMode};
use dlo_server::broker::Brokers;
use dlo_server::clock::{SharedClock, SystemClock, new_id};
use dlo_server::intake::{Intake, Settings};
use dlo_server::{office, store};
use sqlx::PgPool;
use sqlx::types::Json;

use super::background::Background;

/// Tells every source where its letters name their executions.
pub async fn name_executions(pool: &PgPool, naming: ExecutionNaming) {
    sqlx::query("update sources set executions = $1")
        .bind(Json(naming))
        .execute(pool)
        .await
        .expect("told");
}

/// Gives a source another list of origins, with commas between the patterns. Those that tests add believe
/// every message.
pub async fn believe(pool: &PgPool, id: SourceId, origins: &str) {
    let origins: Globs = origins.parse().expect("patterns");
    sqlx::query("update sources set origins = $2 where id = $1")
        .bind(id.0)
        .bind(Json(origins))
        .execute(pool)
        .await
        .expect("told");
}

/// Adds a source, which believes what messages say of where they died.
pub async fn watch(pool: &PgPool, vhost: &str, queue: &str, mode: SourceMode) -> SourceId {
    let source = NewSource {
        vhost: vhost.to_owned(),
        queue: queue.to_owned(),
        mode,
        name: None,
        broker: None,
        headers: HeaderMap::default(),
        executions: ExecutionNaming::default(),
        origins: Globs::any(),
    };
    let clock = SystemClock;
    let mut conn = pool.acquire().await.expect("a connection");
    let now = dlo_server::clock::Clock::now(&clock);
    store::sources::insert(&mut conn, new_id(&clock), &source, false, now)
        .await
        .expect("inserted")
        .expect("a new source")
}

/// How a source is doing, and what is said of it.
pub async fn condition(pool: &PgPool, id: SourceId) -> (SourceCondition, Option<String>) {
    let mut conn = pool.acquire().await.expect("a connection");
    let sources = store::sources::list(&mut conn, Some(id)).await;
    let mut sources = sources.expect("read");
    let source = sources.remove(0);
    (source.condition, source.condition_detail)
}

/// Intake under way.
pub struct Office {
    background: Background,
    _lock: sqlx::PgConnection,
}

impl Office {
    /// Starts intake of everything that is watched.
    pub async fn start(pool: &PgPool, brokers: &Brokers) -> Self {
        let clock: SharedClock = Arc::new(SystemClock);
        let office_id = OfficeId(new_id(&*clock));
        let lock = office::open(pool, &clock, office_id).await.expect("registered");
        let background = Background::new();
        let intake = Intake {
            pool: pool.clone(),
            brokers: Arc::new(brokers.clone()),
            clock,
            office_id,
            judges: Arc::default(),
            settings: Settings::default(),
        };
        intake.begin(&background.duties);
        Self { background, _lock: lock }
    }

    /// Ends it in order.
    pub async fn stop(self) {
        self.background.stop().await;
    }
}

/// How many letters are stored.
pub async fn letters(pool: &PgPool) -> i64 {
    sqlx::query_scalar("select count(*) from letters").fetch_one(pool).await.expect("counted")
}

/// How many sessions of a source are written down.
pub async fn sessions(pool: &PgPool, source: SourceId) -> i64 {
    let count = "select count(*) from intake_sessions where source_id = $1";
    sqlx::query_scalar(count).bind(source.0).fetch_one(pool).await.expect("counted")
}

pub async fn bodies(pool: &PgPool) -> Vec<Vec<u8>> {
    let read = sqlx::query_scalar("select body from arrivals order by body");
    read.fetch_all(pool).await.expect("read")
}
