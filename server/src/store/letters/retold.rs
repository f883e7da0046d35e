//! Letters that tell something else than when they arrived: of another failure, since one was reported or a report was
//! taken back, or of which message type they are, since a schema tells.

use dlo_domain::decoding::MessageTypes;
use dlo_domain::ids::LetterId;
use sqlx::PgConnection;
use uuid::Uuid;

use super::StoredLetter;
use super::incoming::storable;
use crate::store::{StoreError, extracts};

/// Writes down what letters tell of their failure, and keeps it for searching; returns the letters that told something
/// else. They must have been read with what is inside, and one that arrived again since is left as it is.
///
/// # Errors
/// Returns an error if a statement fails: then the transaction must be given up.
pub async fn retell(
    conn: &mut PgConnection,
    letters: &[StoredLetter],
    types: &MessageTypes,
) -> Result<Vec<LetterId>, StoreError> {
    if letters.is_empty() {
        return Ok(Vec::new());
    }
    let failures: Vec<_> = letters.iter().map(StoredLetter::failure).collect();
    let text = |text: &Option<String>| text.as_deref().map(storable);
    let classes: Vec<Option<String>> = failures.iter().map(|one| text(&one.error_class)).collect();
    let messages: Vec<Option<String>> =
        failures.iter().map(|one| text(&one.error_message)).collect();
    let stacks: Vec<Option<String>> = failures.iter().map(|one| text(&one.stack_trace)).collect();
    let told_by: Vec<Option<String>> = failures.iter().map(|one| one.told_by.clone()).collect();
    let ids: Vec<Uuid> = letters.iter().map(|letter| letter.id.0).collect();
    let arrivals: Vec<i32> = letters.iter().map(|letter| letter.arrivals).collect();
    sqlx::query!("select id from letters where id = any($1) order by id for update", &ids)
        .fetch_all(&mut *conn)
        .await?;
    let changed = sqlx::query_scalar!(
        "update letters as l
         set told_by = told.told_by, error_class = told.error_class,
             error_message = told.error_message, stack_trace = told.stack_trace
         from unnest($1::uuid[], $2::integer[], $3::text[], $4::text[], $5::text[], $6::text[])
             as told (id, arrivals, told_by, error_class, error_message, stack_trace)
         where l.id = any($1) and l.id = told.id and l.arrivals = told.arrivals
             and (l.told_by, l.error_class, l.error_message, l.stack_trace) is distinct from
                 (told.told_by, told.error_class, told.error_message, told.stack_trace)
         returning l.id",
        &ids,
        &arrivals,
        &told_by as &[Option<String>],
        &classes as &[Option<String>],
        &messages as &[Option<String>],
        &stacks as &[Option<String>],
    )
    .fetch_all(&mut *conn)
    .await?;
    let changed: Vec<LetterId> = changed.into_iter().map(LetterId).collect();
    let told = letters.iter().zip(&messages).filter(|(letter, _)| changed.contains(&letter.id));
    let extracts: Vec<(LetterId, extracts::Row)> = told
        .map(|(letter, message)| {
            (letter.id, (&letter.extract_with(types, message.as_deref())).into())
        })
        .collect();
    let rows: Vec<(LetterId, &extracts::Row)> =
        extracts.iter().map(|(letter, row)| (*letter, row)).collect();
    extracts::replace(conn, &rows).await?;
    Ok(changed)
}

/// Writes down the message types of letters that had none.
///
/// # Errors
/// Returns an error if the statement fails: then the transaction must be given up.
pub async fn name_types<'a>(
    conn: &mut PgConnection,
    letters: impl IntoIterator<Item = &'a StoredLetter>,
) -> Result<(), StoreError> {
    let named = letters.into_iter().filter_map(|one| Some((one.id.0, one.message_type()?)));
    let (ids, types): (Vec<Uuid>, Vec<&str>) = named.unzip();
    if ids.is_empty() {
        return Ok(());
    }
    sqlx::query!(
        "update letters as l set message_type = named.message_type
         from unnest($1::uuid[], $2::text[]) as named (id, message_type)
         where l.id = named.id and l.message_type is null",
        &ids,
        &types as &[&str],
    )
    .execute(conn)
    .await?;
    Ok(())
}
