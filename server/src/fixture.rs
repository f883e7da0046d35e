//! What tests of this crate begin with.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::ids::SourceId;
use dlo_domain::source::{NewSource, SourceMode};
use sqlx::PgPool;

use crate::broker::Brokers;
use crate::clock::{Clock as _, ManualClock, SystemClock, new_id};
use crate::config::ReplayConfig;
use crate::desk::PgDesk;
use crate::replay::Waits;
use crate::store::sources;

/// When clocks stand.
pub(crate) fn noon() -> DateTime<Utc> {
    "2026-11-21T12:00:00Z".parse().expect("a time")
}

/// A source at the queue `dead`, which believes every message.
pub(crate) async fn source(pool: &PgPool) -> SourceId {
    let source = NewSource {
        vhost: "/".to_owned(),
        queue: "dead".to_owned(),
        mode: SourceMode::Take,
        name: None,
        broker: None,
        headers: HeaderMap::default(),
        executions: ExecutionNaming::default(),
        origins: Globs::any(),
    };
    let mut conn = pool.acquire().await.expect("a connection");
    let id = new_id(&SystemClock);
    let added = sources::insert(&mut conn, id, &source, false, SystemClock.now()).await;
    added.expect("inserted").expect("a new source")
}

/// A desk that asks no broker.
pub(crate) fn desk(pool: &PgPool, clock: &Arc<ManualClock>) -> PgDesk {
    PgDesk::new(
        pool.clone(),
        Arc::new(Brokers::main("amqp://127.0.0.1:1/%2f", None)),
        clock.clone(),
        (Waits::default(), ReplayConfig::default()),
    )
}
