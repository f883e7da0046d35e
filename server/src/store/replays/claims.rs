//! Which replay has a letter. A claim is given up by the replay that it names, and by a return of what that
//! replay published: nobody else moves a letter that may be on its way.

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::{StoreError, weeks};

/// Claims letters for a replay. They must be locked. Letters that do not allow it are left.
///
/// # Errors
/// Returns an error if the query fails.
pub(super) async fn claim(
    conn: &mut PgConnection,
    id: ReplayId,
    letters: &[Uuid],
) -> Result<(), StoreError> {
    let from: Vec<String> = LetterState::allowing(Change::Claim)
        .into_iter()
        .map(|state| state.as_str().to_owned())
        .collect();
    let (first, last) = weeks::span(letters);
    sqlx::query!(
        "update letters
         set state = 'claimed', state_since = now(), claimed_at = now(), claimed_by = $2
         where id = any($1) and id between $4 and $5 and state = any($3)",
        letters,
        id.0,
        &from,
        first,
        last
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Moves the letters that a replay has to another state; those that it does not have stay.
///
/// # Errors
/// Returns an error if the query fails.
pub(super) async fn release(
    conn: &mut PgConnection,
    id: ReplayId,
    letters: &[Uuid],
    to: LetterState,
) -> Result<(), StoreError> {
    let (first, last) = weeks::span(letters);
    sqlx::query!(
        "update letters set state = $3, state_since = now()
         where id = any($1) and id between $4 and $5 and state = 'claimed' and claimed_by = $2",
        letters,
        id.0,
        to.as_str(),
        first,
        last
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// A letter that is locked, and that something comes back to.
#[derive(Debug, Clone, Copy)]
pub(in crate::store) struct ClaimedLetter {
    /// The letter.
    pub id: LetterId,
    /// Where it stands.
    pub state: LetterState,
    /// The replay that claimed it last.
    pub claimed_by: Option<Uuid>,
}

impl ClaimedLetter {
    /// Whether a replay published the letter after `from` did, or is about to, and it is not known what
    /// came of that. Then a return of what `from` published says nothing of where the letter is now: to
    /// hold it would offer a letter for replay that is on its way.
    ///
    /// # Errors
    /// Returns an error if a query fails.
    pub(in crate::store) async fn is_out_since(
        self,
        conn: &mut PgConnection,
        from: ReplayId,
    ) -> Result<bool, StoreError> {
        let Some(by) = self.claimed_by.filter(|by| *by != from.0) else {
            return Ok(false);
        };
        match self.state {
            LetterState::Replayed | LetterState::Unknown => Ok(true),
            LetterState::Claimed => is_marked(conn, self.id, by).await,
            _ => Ok(false),
        }
    }
}

/// Whether a letter of a replay is marked as being published. Until the transaction ends it is not marked
/// anew: whoever marks letters shares a lock of the replay's row, and looks at the letters after that.
async fn is_marked(
    conn: &mut PgConnection,
    letter: LetterId,
    replay: Uuid,
) -> Result<bool, StoreError> {
    sqlx::query!("select from replays where id = $1 for update", replay)
        .fetch_optional(&mut *conn)
        .await?;
    let marked = sqlx::query_scalar!(
        r#"select exists (
               select from replay_items i
               join replay_marks m on m.replay_id = i.replay_id and m.broker = i.broker
                   and m.vhost = i.vhost and i.position between m.first_position and m.last_position
               where i.letter_id = $1 and i.replay_id = $2 and i.outcome = 'pending'
           ) as "marked!""#,
        letter.0,
        replay
    )
    .fetch_one(conn)
    .await?;
    Ok(marked)
}
