//! Letters that were replayed and died again: one more arrival of the same letter.

use dlo_domain::ids::SourceId;
use dlo_domain::reading::ReturnsFrom;
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;

use super::incoming::{Incoming, extract, storable};
use crate::store::{StoreError, extracts};

/// Joins a delivery to the letter that it names, if it is one that this replay published.
/// Tells whether it was: if not, the delivery is a letter of its own.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read: then the transaction must be given up.
pub async fn append_returned(
    conn: &mut PgConnection,
    source: SourceId,
    incoming: &Incoming,
    from: ReturnsFrom,
) -> Result<bool, StoreError> {
    // Taken in the order letter, replay item: the same as the replay engine's.
    let Some(letter) = sqlx::query!(
        "select state, arrivals from letters
         where id = $1 and exists (
             select from replay_items where letter_id = $1 and replay_id = $2)
         for update",
        from.letter_id.0,
        from.replay_id.0,
    )
    .fetch_optional(&mut *conn)
    .await?
    else {
        return Ok(false);
    };
    let state: LetterState = letter
        .state
        .parse()
        .map_err(|why| StoreError::corrupt("letters", "state", why))?;
    let after = state.after(Change::DieAgain).unwrap_or(state);
    insert_arrival(conn, source, incoming, from, letter.arrivals + 1).await?;
    let error_message = update_letter(conn, incoming, from, after).await?;
    let extract = extract(&incoming.delivered, error_message.as_deref());
    extracts::put(conn, &[(from.letter_id, &extract)]).await?;
    record_return(conn, incoming, from).await?;
    Ok(true)
}

async fn insert_arrival(
    conn: &mut PgConnection,
    source: SourceId,
    incoming: &Incoming,
    from: ReturnsFrom,
    ordinal: i32,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into arrivals
             (letter_id, ordinal, arrived_at, source_id, exchange, routing_key, properties,
              headers, deaths, body, body_sha256, replay_id, notes)
         values ($1, $2, $3, $4, $5, $6, $7::text::jsonb, $8::text::jsonb, $9::text::jsonb,
              $10, $11, $12, $13)",
        from.letter_id.0,
        ordinal,
        incoming.arrived_at,
        source.0,
        incoming.exchange,
        incoming.routing_key,
        incoming.properties,
        incoming.headers,
        incoming.deaths,
        incoming.delivered.body,
        incoming.body_sha256,
        from.replay_id.0,
        &incoming.notes(),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The letter now tells of its latest death. Tells the error message that it has then.
async fn update_letter(
    conn: &mut PgConnection,
    incoming: &Incoming,
    from: ReturnsFrom,
    state: LetterState,
) -> Result<Option<String>, StoreError> {
    let reading = &incoming.reading;
    let text = |text: &Option<String>| text.as_deref().map(storable);
    let error_message = sqlx::query_scalar!(
        "update letters set state = $2, severity = $3, reason = $4,
             queue = coalesce($5, queue), exchange = coalesce($6, exchange),
             routing_key = coalesce($7, routing_key), told_by = coalesce($8, told_by),
             error_class = coalesce($9, error_class),
             error_message = coalesce($10, error_message),
             stack_trace = coalesce($11, stack_trace),
             size_bytes = $12, arrivals = arrivals + 1,
             last_arrived_at = greatest(last_arrived_at, $13), signature = $14
         where id = $1
         returning error_message",
        from.letter_id.0,
        state.as_str(),
        reading.severity.as_str(),
        reading.origin.reason.as_str(),
        text(&reading.origin.queue),
        text(&reading.origin.exchange),
        text(&reading.origin.routing_key),
        reading.failure.told_by,
        text(&reading.failure.error_class),
        text(&reading.failure.error_message),
        text(&reading.failure.stack_trace),
        incoming.size_bytes(),
        incoming.arrived_at,
        &incoming.signature.id.0[..],
    )
    .fetch_one(conn)
    .await?;
    Ok(error_message)
}

/// The replay's item has died again, whatever was known of it, and its counters follow.
async fn record_return(
    conn: &mut PgConnection,
    incoming: &Incoming,
    from: ReturnsFrom,
) -> Result<(), StoreError> {
    let before = sqlx::query_scalar!(
        "update replay_items as item set outcome = 'died_again', sending = false, at = $3
         from (select replay_id, position, outcome from replay_items
               where letter_id = $1 and replay_id = $2 for update) as before
         where item.replay_id = before.replay_id and item.position = before.position
             and before.outcome <> 'died_again'
         returning before.outcome",
        from.letter_id.0,
        from.replay_id.0,
        incoming.arrived_at,
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(before) = before {
        sqlx::query!(
            "update replays set died_again = died_again + 1,
                 pending = pending - ($2 = 'pending')::int,
                 confirmed = confirmed - ($2 = 'confirmed')::int,
                 unroutable = unroutable - ($2 = 'unroutable')::int,
                 refused = refused - ($2 = 'refused')::int,
                 unknown = unknown - ($2 = 'unknown')::int,
                 processed = processed - ($2 = 'processed')::int,
                 settled = settled - ($2 = 'settled')::int
             where id = $1",
            from.replay_id.0,
            before,
        )
        .execute(&mut *conn)
        .await?;
    }
    sqlx::query!(
        "insert into audit (at, actor, action, letter_id, replay_id, detail)
         values ($1, 'dlo', 'letter.died_again', $2, $3, $4)",
        incoming.arrived_at,
        from.letter_id.0,
        from.replay_id.0,
        return_detail(incoming, from),
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What it came back from, and why if that is told.
fn return_detail(incoming: &Incoming, from: ReturnsFrom) -> String {
    let error = incoming.reading.failure.error_message.as_deref();
    let why = error.map(|error| format!(": {}", storable(error)));
    format!("after replay {}{}", from.replay_id, why.unwrap_or_default())
}
