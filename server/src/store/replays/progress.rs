//! How far the letters under a mark are: which of them may have left, and which the broker confirmed. An office
//! that is killed leaves only the others unknown.
//!
//! The table is unlogged. So a few letters at a time can be noted, since no disk is waited for; a killed office
//! loses nothing of it; and a crash of Postgres, which could lose the last of it, empties it: then all that is
//! marked is unknown.

use dlo_domain::ids::{OfficeId, ReplayId};
use sqlx::PgConnection;

use super::work::Lane;
use crate::store::StoreError;

/// How far the letters under a mark are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Progress {
    /// Letters at later positions did not leave.
    pub sent_through: i32,
    /// Positions that the broker confirmed, ascending. Those that are written down may be missing.
    pub confirmed: Vec<i32>,
}

impl Progress {
    /// The confirmed positions as Postgres writes an `int4multirange`.
    fn confirmed_ranges(&self) -> String {
        let runs = self.confirmed.chunk_by(|one, next| one + 1 == *next);
        let ranges: Vec<String> =
            runs.filter_map(|run| Some(format!("[{},{}]", run.first()?, run.last()?))).collect();
        format!("{{{}}}", ranges.join(","))
    }
}

/// Begins anew with a mark: none of its letters is confirmed, and those up to `sent_through` may leave. The caller
/// holds a lock on the replay's row, and its office has it.
pub(super) async fn begin(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
    lane: &Lane,
    sent_through: i32,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into replay_progress (replay_id, broker, vhost, office_id, sent_through, confirmed)
         values ($1, $2, $3, $4, $5, '{}')
         on conflict (replay_id, broker, vhost)
         do update set office_id = $4, sent_through = $5, confirmed = '{}'",
        id.0,
        lane.broker,
        lane.vhost,
        me.0,
        sent_through
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes how far the letters of a lane are. This must be committed before the first byte of a letter leaves. Tells
/// whether it did: not when another office took the replay over, or when Postgres crashed since the mark was set.
///
/// # Errors
/// When Postgres does not do it.
pub async fn note(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
    lane: &Lane,
    progress: &Progress,
) -> Result<bool, StoreError> {
    let noted = sqlx::query!(
        "update replay_progress set sent_through = $5, confirmed = $6::text::int4multirange
         where replay_id = $1 and broker = $2 and vhost = $3 and office_id = $4",
        id.0,
        lane.broker,
        lane.vhost,
        me.0,
        progress.sent_through,
        progress.confirmed_ranges()
    )
    .execute(conn)
    .await?;
    Ok(noted.rows_affected() == 1)
}

/// Keeps the office that held a replay from noting, and so from sending, more: it may only have been frozen.
pub(super) async fn take_over(
    conn: &mut PgConnection,
    id: ReplayId,
    me: OfficeId,
) -> Result<(), StoreError> {
    sqlx::query!("update replay_progress set office_id = $2 where replay_id = $1", id.0, me.0)
        .execute(conn)
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_written_as_one_range() {
        let ranges = |confirmed: &[i32]| {
            Progress { sent_through: 0, confirmed: confirmed.to_vec() }.confirmed_ranges()
        };
        assert_eq!(ranges(&[]), "{}");
        assert_eq!(ranges(&[3]), "{[3,3]}");
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "{[0,2],[5,5],[7,8]}");
    }
}
