//! Letters that were replayed and died again: one more arrival of the same letter.

use dlo_domain::decoding::Contents;
use dlo_domain::extract::Extract;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::SourceId;
use dlo_domain::judge::{Case, Judge};
use dlo_domain::reading::ReturnsFrom;
use dlo_domain::replay::{NoReturn, Outcome, Returning};
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;
use uuid::Uuid;

use super::court::{self, Particulars};
use super::incoming::{Incoming, storable};
use super::uploads;
use crate::store::groups::signatures;
use crate::store::letter_detail::read_outcome;
use crate::store::replays::claims::ClaimedLetter;
use crate::store::replays::{ladder, tries};
use crate::store::{StoreError, extracts};

/// The letter that a delivery comes back to, as it was until now.
#[derive(Debug)]
struct Letter {
    source: String,
    state: String,
    queue: Option<String>,
    exchange: Option<String>,
    routing_key: Option<String>,
    error_class: Option<String>,
    error_message: Option<String>,
    message_type: Option<String>,
    message_id: Option<String>,
    arrivals: i32,
    replays: i32,
    claimed_by: Option<Uuid>,
}

/// Joins a delivery to the letter that it names, if it is what this replay published, and returns which arrival of it
/// that is; else tells why it is a letter of its own.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read: then the transaction must be given up.
pub async fn append_returned(
    conn: &mut PgConnection,
    source: SourceId,
    incoming: &mut Incoming,
    from: ReturnsFrom,
    judge: &Judge,
) -> Result<Result<i32, NoReturn>, StoreError> {
    let Some(letter) = lock(conn, from).await? else {
        return Ok(Err(NoReturn::NeverSent));
    };
    let state: LetterState =
        letter.state.parse().map_err(|why| StoreError::corrupt("letters", "state", why))?;
    if let Err(why) = compare(conn, incoming, from, (&letter, state)).await? {
        return Ok(Err(why));
    }
    let claimed = ClaimedLetter { id: from.letter_id, state, claimed_by: letter.claimed_by };
    let after = if claimed.is_out_since(conn, from.replay_id).await? {
        state
    } else {
        state.after(Change::DieAgain).unwrap_or(state)
    };
    let ordinal = letter.arrivals + 1;
    insert_arrival(conn, source, incoming, from, ordinal).await?;
    let remembered = incoming.signature.id;
    let kept = judge_again(incoming, from, letter, judge);
    if incoming.signature.id != remembered {
        // A rule asked for what only the letter knows.
        signatures::remember(conn, &[&*incoming]).await?;
    }
    update_letter(conn, incoming, from, after).await?;
    extracts::replace(conn, &[(from.letter_id, &kept)]).await?;
    record_return(conn, incoming, from).await?;
    Ok(Ok(ordinal))
}

/// Takes the letter, and after it its replay item: the same order as the replay engine's.
async fn lock(conn: &mut PgConnection, from: ReturnsFrom) -> Result<Option<Letter>, StoreError> {
    let letter = sqlx::query_as!(
        Letter,
        "select s.name as source, l.state, l.queue, l.exchange, l.routing_key, l.error_class,
             l.error_message, l.message_type, l.message_id, l.arrivals, l.replays, l.claimed_by
         from letters l join sources s on s.id = l.source_id
         where l.id = $1 and exists (
             select from replay_items where letter_id = $1 and replay_id = $2)
         for update of l",
        from.letter_id.0,
        from.replay_id.0,
    )
    .fetch_optional(conn)
    .await?;
    Ok(letter)
}

/// Holds a delivery beside what its replay sent: the body that was made for it, or the letter's last one.
async fn compare(
    conn: &mut PgConnection,
    incoming: &Incoming,
    from: ReturnsFrom,
    (letter, state): (&Letter, LetterState),
) -> Result<Result<(), NoReturn>, StoreError> {
    let sent = sqlx::query!(
        r#"select i.outcome, coalesce(
                (select b.body_sha256 from replay_bodies b
                 where b.letter_id = i.letter_id and b.replay_id = i.replay_id),
                (select a.body_sha256 from arrivals a
                 where a.letter_id = i.letter_id and a.ordinal = $3)) as body_sha256
         from replay_items i where i.letter_id = $1 and i.replay_id = $2 for update of i"#,
        from.letter_id.0,
        from.replay_id.0,
        letter.arrivals,
    )
    .fetch_one(conn)
    .await?;
    let returning = Returning {
        outcome: read_outcome(&sent.outcome)?,
        letter: state,
        has_same_body: sent.body_sha256.as_ref() == Some(&incoming.body_sha256),
        has_same_id: incoming.reading.message_id.as_deref().map(storable) == letter.message_id,
    };
    Ok(returning.join())
}

/// Judges the letter as it will be: what this death does not tell, it keeps from the one before. Where it
/// was published first stays, since this time we published it. Returns what is kept for searching.
fn judge_again(
    incoming: &mut Incoming,
    from: ReturnsFrom,
    letter: Letter,
    judge: &Judge,
) -> extracts::Row {
    let mut stored = court::as_stored(&incoming.reading).into_owned();
    let (origin, failure) = (&mut stored.origin, &mut stored.failure);
    for (told, first) in
        [(&mut origin.exchange, letter.exchange), (&mut origin.routing_key, letter.routing_key)]
    {
        *told = first.or(told.take());
    }
    for (told, kept) in [
        (&mut origin.queue, letter.queue),
        (&mut failure.error_class, letter.error_class),
        (&mut failure.error_message, letter.error_message),
    ] {
        *told = told.take().or(kept);
    }
    stored.message_type = letter.message_type;
    stored.message_id = letter.message_id;
    let message = stored.failure.error_message.as_deref();
    let relations = incoming.reading.relations.clone();
    let contents = Contents::of(&incoming.delivered, judge.types());
    let extract = Extract::of(&incoming.delivered, relations, contents, message);
    let particulars = Particulars {
        id: from.letter_id,
        source: &letter.source,
        size_bytes: incoming.size_bytes(),
        arrivals: letter.arrivals + 1,
        replays: letter.replays,
        arrived_at: incoming.arrived_at,
    };
    let case = Case {
        facts: court::facts(particulars, &stored, &extract),
        reading: &incoming.reading,
        delivered: &incoming.delivered,
    };
    let judgement = judge.judge(&case, &mut Masker::new());
    let row = extracts::Row::from(&extract);
    incoming.apply(judgement);
    row
}

async fn insert_arrival(
    conn: &mut PgConnection,
    source: SourceId,
    incoming: &Incoming,
    from: ReturnsFrom,
    ordinal: i32,
) -> Result<(), StoreError> {
    uploads::begin(conn, &[incoming]).await?;
    sqlx::query!(
        "insert into arrivals
             (letter_id, ordinal, arrived_at, source_id, exchange, routing_key, properties,
              headers, deaths, body, body_sha256, replay_id, notes)
         values ($1, $2, $3, $4, $5, $6, $7::text::json, $8::text::json, $9::text::jsonb,
              coalesce($10, (select string_agg(bytes, ''::bytea order by part)
                             from body_parts where upload_id = $14)),
              $11, $12, $13)",
        from.letter_id.0,
        ordinal,
        incoming.arrived_at,
        source.0,
        incoming.exchange,
        incoming.routing_key,
        incoming.properties,
        incoming.headers,
        incoming.deaths,
        uploads::inline(incoming),
        incoming.body_sha256,
        from.replay_id.0,
        &incoming.notes(),
        incoming.letter_id.0,
    )
    .execute(&mut *conn)
    .await?;
    uploads::end(conn, &[incoming]).await
}

/// The letter now tells of its latest death.
async fn update_letter(
    conn: &mut PgConnection,
    incoming: &Incoming,
    from: ReturnsFrom,
    state: LetterState,
) -> Result<(), StoreError> {
    let reading = &incoming.reading;
    let text = |text: &Option<String>| text.as_deref().map(storable);
    sqlx::query!(
        "update letters set state = $2, severity = $3, reason = $4,
             queue = coalesce($5, queue), exchange = coalesce(exchange, $6),
             routing_key = coalesce(routing_key, $7), told_by = coalesce($8, told_by),
             error_class = coalesce($9, error_class),
             error_message = coalesce($10, error_message),
             stack_trace = coalesce($11, stack_trace),
             size_bytes = $12, arrivals = arrivals + 1,
             last_arrived_at = greatest(last_arrived_at, $13), signature = $14
         where id = $1",
        from.letter_id.0,
        state.as_str(),
        incoming.severity.as_str(),
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
    .execute(conn)
    .await?;
    Ok(())
}

/// The replay's item has died again, whatever was known of it, and its counters follow.
async fn record_return(
    conn: &mut PgConnection,
    incoming: &Incoming,
    from: ReturnsFrom,
) -> Result<(), StoreError> {
    let before = sqlx::query!(
        "update replay_items as item set outcome = 'died_again', at = $3
         from (select replay_id, position, outcome from replay_items
               where letter_id = $1 and replay_id = $2 for update) as before
         where item.replay_id = before.replay_id and item.position = before.position
             and before.outcome <> 'died_again'
         returning before.outcome, item.ladder",
        from.letter_id.0,
        from.replay_id.0,
        incoming.arrived_at,
    )
    .fetch_optional(&mut *conn)
    .await?;
    if let Some(item) = before {
        if tries::is_no_try(read_outcome(&item.outcome)?) {
            // It was published after all.
            tries::count(conn, from.replay_id, &[from.letter_id.0]).await?;
        }
        let under_way = sqlx::query_scalar!(
            "update replays set died_again = died_again + 1,
                 pending = pending - ($2 = 'pending')::int,
                 confirmed = confirmed - ($2 = 'confirmed')::int,
                 unroutable = unroutable - ($2 = 'unroutable')::int,
                 refused = refused - ($2 = 'refused')::int,
                 unknown = unknown - ($2 = 'unknown')::int,
                 processed = processed - ($2 = 'processed')::int,
                 settled = settled - ($2 = 'settled')::int
             where id = $1
             returning ladder",
            from.replay_id.0,
            item.outcome,
        )
        .fetch_one(&mut *conn)
        .await?;
        if ladder::is_earlier(item.ladder, under_way) {
            let change = (read_outcome(&item.outcome)?, Outcome::DiedAgain);
            ladder::leave_out(conn, from.replay_id, change, 1).await?;
        }
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
