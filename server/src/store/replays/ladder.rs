//! Which ladder sent a letter: what comes of those that were sent before a resume is kept out of the
//! ladder that began with it.
//!
//! A letter that was not sent by any ladder is of the first one: it was sent before there were others.

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::{Earlier, Outcome};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::letter_detail::read_outcome;

/// Writes down which ladder sends the letters at these positions, in the transaction that marks them.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn stamp(
    conn: &mut PgConnection,
    id: ReplayId,
    ladder: i32,
    positions: &[i32],
) -> Result<(), StoreError> {
    sqlx::query!(
        "update replay_items set ladder = $2 where replay_id = $1 and position = any($3)",
        id.0,
        ladder,
        positions
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Whether a letter was sent by a ladder before the one under way.
#[must_use]
pub(in crate::store) fn is_earlier(sent_by: Option<i32>, under_way: i32) -> bool {
    sent_by.unwrap_or_default() < under_way
}

/// Leaves letters of ladders before out of the one under way, with the outcome that they have now. The
/// replay's row is to be locked: the ladder must not begin anew meanwhile.
///
/// # Errors
/// When Postgres does not do it.
pub(in crate::store) async fn leave_out(
    conn: &mut PgConnection,
    id: ReplayId,
    change: (Outcome, Outcome),
    letters: i64,
) -> Result<(), StoreError> {
    let by = Earlier::default().moved(change, letters);
    if by == Earlier::default() {
        return Ok(());
    }
    sqlx::query!(
        "update replays set base_tried = base_tried + $2, base_wrong = base_wrong + $3,
             base_well = base_well + $4
         where id = $1",
        id.0,
        by.tried,
        by.wrong,
        by.well
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// The same for letters whose first outcome was just written down: those of them that were on their way
/// when the ladder began.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub(super) async fn leave_out_late(
    conn: &mut PgConnection,
    id: ReplayId,
    under_way: i32,
    letters: &[LetterId],
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = letters.iter().map(|letter| letter.0).collect();
    let rows = sqlx::query!(
        r#"select outcome, count(*) as "letters!" from replay_items
           where replay_id = $1 and letter_id = any($2) and ladder < $3
           group by outcome"#,
        id.0,
        &letters,
        under_way
    )
    .fetch_all(&mut *conn)
    .await?;
    for row in rows {
        let change = (Outcome::Pending, read_outcome(&row.outcome)?);
        leave_out(conn, id, change, row.letters).await?;
    }
    Ok(())
}
