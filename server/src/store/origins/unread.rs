//! Vhosts to be read soon: letters came from queues that no read has shown yet.

use std::collections::BTreeSet;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::globs::Globs;
use sqlx::PgConnection;
use sqlx::types::Json;

use crate::store::StoreError;

/// Deaths are looked at so far back: two slots of the counters.
const LOOK_BACK: TimeDelta = TimeDelta::minutes(10);
/// Queues that are looked at: messages can name any number.
const MOST_QUEUES: i64 = 500;

/// A vhost to be read soon.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct UnreadPlace {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
}

/// The vhosts whose sources had letters since their last read, while some died in queues that no read has
/// shown and no source's list names.
///
/// # Errors
/// Returns an error if a query fails or a row cannot be read.
pub async fn unread_places(
    conn: &mut PgConnection,
    now: DateTime<Utc>,
) -> Result<BTreeSet<UnreadPlace>, StoreError> {
    let queues = sqlx::query_scalar!(
        "select queue from (
             select distinct queue from queue_deaths where slot >= $1 order by queue limit $2) as died
         where not exists (select from known_origins k where k.origin = died.queue)",
        now - LOOK_BACK,
        MOST_QUEUES,
    )
    .fetch_all(&mut *conn)
    .await?;
    if queues.is_empty() {
        return Ok(BTreeSet::new());
    }
    let sources = sqlx::query!(
        r#"select s.broker as "broker!", s.vhost as "vhost!", s.origins as "origins!: Json<Globs>",
               s.last_arrived_at > $1 and (v.read_at is null or v.read_at <= s.last_arrived_at)
                   and b.trouble is null and v.trouble is null as "is_unread!"
           from sources s
           left join topology_brokers b on b.broker = s.broker
           left join topology_vhosts v on v.broker = s.broker and v.vhost = s.vhost
           where s.removed_at is null and s.last_arrived_at is not null"#,
        now - LOOK_BACK,
    )
    .fetch_all(conn)
    .await?;
    let is_named = |queue: &String| sources.iter().any(|source| source.origins.matches(queue));
    if queues.iter().all(is_named) {
        return Ok(BTreeSet::new());
    }
    let unread = sources.into_iter().filter(|source| source.is_unread);
    Ok(unread.map(|source| UnreadPlace { broker: source.broker, vhost: source.vhost }).collect())
}
