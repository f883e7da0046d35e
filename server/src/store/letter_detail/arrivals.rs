//! Arrivals: the newest of a letter cut to a budget, or a single one whole.

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::budget::ShownBudget;
use dlo_domain::death::Death;
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::letter::MOST_ARRIVALS;
use dlo_domain::wire::{FieldTable, Properties};
use futures_util::TryStreamExt as _;
use sqlx::PgConnection;
use sqlx::types::Json;
use uuid::Uuid;

use super::read_headers;
use crate::store::StoreError;

struct Row {
    ordinal: i32,
    arrived_at: DateTime<Utc>,
    exchange: String,
    routing_key: String,
    properties: Json<Properties>,
    headers: String,
    deaths: Json<Vec<Death>>,
    size_bytes: i64,
    body_sha256: String,
    replay_id: Option<Uuid>,
    notes: Vec<String>,
}

/// The newest arrivals, oldest first. Their headers, deaths and notes are cut to the budget, of which the
/// newest have theirs first. Each is cut before the next one is read.
pub(super) async fn newest(
    conn: &mut PgConnection,
    id: LetterId,
    budget: &mut ShownBudget,
) -> Result<Vec<Arrival>, StoreError> {
    let mut rows = sqlx::query_as!(
        Row,
        r#"select ordinal, arrived_at, exchange, routing_key,
                  properties as "properties: Json<Properties>",
                  headers::text as "headers!", deaths as "deaths: Json<Vec<Death>>",
                  octet_length(body)::bigint as "size_bytes!",
                  encode(body_sha256, 'hex') as "body_sha256!", replay_id, notes
           from arrivals where letter_id = $1 order by ordinal desc limit $2"#,
        id.0,
        i64::try_from(MOST_ARRIVALS).unwrap_or(i64::MAX)
    )
    .fetch(conn);
    let mut arrivals = Vec::new();
    while let Some(row) = rows.try_next().await? {
        let mut arrival = Arrival::from(row);
        arrival.cut_to(budget);
        arrivals.push(arrival);
    }
    arrivals.reverse();
    Ok(arrivals)
}

/// One arrival, whole, or nothing when there is none of this ordinal.
///
/// # Errors
/// Returns an error if the query fails or the row cannot be read.
pub async fn arrival(
    conn: &mut PgConnection,
    id: LetterId,
    ordinal: i32,
) -> Result<Option<Arrival>, StoreError> {
    let row = sqlx::query_as!(
        Row,
        r#"select ordinal, arrived_at, exchange, routing_key,
                  properties as "properties: Json<Properties>",
                  headers::text as "headers!", deaths as "deaths: Json<Vec<Death>>",
                  octet_length(body)::bigint as "size_bytes!",
                  encode(body_sha256, 'hex') as "body_sha256!", replay_id, notes
           from arrivals where letter_id = $1 and ordinal = $2"#,
        id.0,
        ordinal
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(Arrival::from))
}

impl From<Row> for Arrival {
    fn from(row: Row) -> Self {
        let mut notes = row.notes;
        // The rest of the letter is worth seeing without them.
        let headers = read_headers(&row.headers).unwrap_or_else(|why| {
            notes.push(format!("The stored headers cannot be shown: {why}."));
            FieldTable::default()
        });
        Self {
            ordinal: row.ordinal,
            arrived_at: row.arrived_at,
            exchange: row.exchange,
            routing_key: row.routing_key,
            properties: row.properties.0,
            headers,
            deaths: row.deaths.0,
            size_bytes: row.size_bytes,
            body_sha256: row.body_sha256,
            replay_id: row.replay_id.map(ReplayId),
            notes,
            omitted: dlo_domain::arrival::OmittedOfArrival::default(),
        }
    }
}
