//! Letters that arrived before a report came. They are found by walking over all of the last minutes: an index of
//! message ids and bodies would cost intake 5 % of its speed, for everybody and always, and a report that comes late
//! is rare.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dlo_domain::error_report::{ArrivedMessage, ReportedMessage};
use dlo_domain::ids::LetterId;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;

/// What reports name: message ids, else bodies with queues.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Named<'a> {
    message_ids: BTreeSet<&'a str>,
    bodies: BTreeSet<&'a [u8]>,
    queues: BTreeSet<&'a str>,
}

impl<'a> FromIterator<&'a ReportedMessage> for Named<'a> {
    fn from_iter<I: IntoIterator<Item = &'a ReportedMessage>>(messages: I) -> Self {
        let mut named = Self::default();
        for message in messages {
            if let Some(id) = &message.message_id {
                named.message_ids.insert(id);
            } else {
                named.bodies.extend(message.body_sha256.as_ref().map(|digest| &digest[..]));
                named.queues.extend(message.queue.as_deref());
            }
        }
        named
    }
}

struct Row {
    id: Uuid,
    arrivals: i32,
    last_arrived_at: DateTime<Utc>,
    message_id: Option<String>,
    body_sha256: Vec<u8>,
    queue: Option<String>,
    vhost: String,
}

impl From<Row> for ArrivedMessage {
    fn from(row: Row) -> Self {
        Self {
            letter: LetterId(row.id),
            ordinal: row.arrivals,
            arrived_at: row.last_arrived_at,
            message_id: row.message_id,
            body_sha256: row.body_sha256,
            queue: row.queue,
            vhost: row.vhost,
        }
    }
}

/// The last arrivals of letters since then that have one of these ids, or of these bodies in these queues. Of those
/// that nothing tells apart only the newest two are read, which are enough to see that there are several.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn arrived_since(
    conn: &mut PgConnection,
    since: DateTime<Utc>,
    named: &Named<'_>,
) -> Result<Vec<ArrivedMessage>, StoreError> {
    let mut rows = Vec::new();
    if !named.message_ids.is_empty() {
        rows = sqlx::query_as!(
            Row,
            r#"select id as "id!", arrivals as "arrivals!", last_arrived_at as "last_arrived_at!",
                   message_id, body_sha256 as "body_sha256!", queue, vhost as "vhost!"
               from (
                   select l.id, l.arrivals, l.last_arrived_at, l.message_id, a.body_sha256, l.queue, s.vhost,
                       row_number() over (partition by l.message_id, a.body_sha256, l.queue, s.vhost
                                          order by l.last_arrived_at desc) as twin
                   from letters l
                   join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals
                   join sources s on s.id = l.source_id
                   where l.last_arrived_at >= $1 and l.message_id = any($2)
               ) as found
               where twin <= 2"#,
            since,
            &list(&named.message_ids) as &[&str],
        )
        .fetch_all(&mut *conn)
        .await?;
    }
    if !named.bodies.is_empty() {
        let by_body = sqlx::query_as!(
            Row,
            r#"select id as "id!", arrivals as "arrivals!", last_arrived_at as "last_arrived_at!",
                   message_id, body_sha256 as "body_sha256!", queue, vhost as "vhost!"
               from (
                   select l.id, l.arrivals, l.last_arrived_at, l.message_id, a.body_sha256, l.queue, s.vhost,
                       row_number() over (partition by a.body_sha256, l.queue, s.vhost
                                          order by l.last_arrived_at desc) as twin
                   from letters l
                   join arrivals a on a.letter_id = l.id and a.ordinal = l.arrivals
                   join sources s on s.id = l.source_id
                   where l.last_arrived_at >= $1 and l.queue = any($2) and a.body_sha256 = any($3)
               ) as found
               where twin <= 2"#,
            since,
            &list(&named.queues) as &[&str],
            &list(&named.bodies) as &[&[u8]],
        )
        .fetch_all(conn)
        .await?;
        rows.extend(by_body);
    }
    Ok(rows.into_iter().map(ArrivedMessage::from).collect())
}

fn list<T: Copy>(set: &BTreeSet<T>) -> Vec<T> {
    set.iter().copied().collect()
}
