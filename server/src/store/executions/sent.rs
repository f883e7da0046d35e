//! Messages that the handler sent on: what became of their replays.

use dlo_domain::ids::LetterId;
use sqlx::PgConnection;

use super::links::{self, Open};
use crate::store::StoreError;

/// A message that reached no queue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Strayed {
    /// The arrival that it is of.
    pub open: Open,
    /// The attempt at its execution that it is of.
    pub attempt: i32,
    /// Why.
    pub why: String,
}

/// Leaves alone whatever reached a queue, may have, or is not known any more.
///
/// # Errors
/// When Postgres does not do it.
pub async fn let_go(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!(
        "update letter_executions set replay_id = null, attempt = null
         where (letter_id, arrived_at) in (
             select n.letter_id, n.arrived_at
             from letter_executions n
             left join replays r on r.id = n.replay_id
             left join replay_items i on i.replay_id = n.replay_id and i.letter_id = n.letter_id
             where n.replay_id is not null
                 and (i.outcome is null
                     or i.outcome not in ('pending', 'unroutable', 'refused'))
             limit 1000
             for update of n skip locked)",
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The next message that reached no queue, locked; others that are being looked at are left out.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn next(conn: &mut PgConnection) -> Result<Option<Strayed>, StoreError> {
    let row = sqlx::query!(
        r#"select n.letter_id, n.arrived_at, n.attempt as "attempt!", i.outcome, i.detail
           from letter_executions n
           join replays r on r.id = n.replay_id
           join replay_items i on i.replay_id = n.replay_id and i.letter_id = n.letter_id
           where n.replay_id is not null
               and (i.outcome in ('unroutable', 'refused')
                   or i.outcome = 'pending' and r.state = 'cancelled')
           order by n.arrived_at, n.letter_id limit 1
           for update of n skip locked"#,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(Strayed {
        open: links::one(conn, LetterId(row.letter_id), row.arrived_at).await?,
        attempt: row.attempt,
        why: match (&*row.outcome, row.detail) {
            ("pending", _) => "its replay was cancelled".to_owned(),
            (_, Some(detail)) => detail,
            (outcome, None) => format!("it was {outcome}"),
        },
    }))
}
