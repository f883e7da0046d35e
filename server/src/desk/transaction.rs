//! Changes in one transaction: committed as a whole, and tried again when others come in between.

use dlo_app::desk::DeskError;
use sqlx::{Postgres, Transaction};

use super::error;

/// Changes in one transaction, again when somebody else's came in between. A macro, since the
/// compiler cannot yet see that the future of an async closure with borrows is `Send`.
macro_rules! changing {
    ($desk:expr, $conn:ident => $work:expr) => {{
        let mut tries = 0;
        loop {
            let mut transaction = $desk.begin().await?;
            let $conn: &mut sqlx::PgConnection = &mut transaction;
            let done: Result<_, dlo_app::desk::DeskError> = async { $work }.await;
            if let Some(end) =
                $crate::desk::transaction::conclude(transaction, done, &mut tries).await
            {
                break end;
            }
        }
    }};
}
pub(super) use changing;

/// Tries of a change that others come in between of.
const MOST_TRIES: u32 = 5;

/// Commits what was done; nothing when it is to be done again.
pub(super) async fn conclude<T>(
    transaction: Transaction<'static, Postgres>,
    done: Result<T, DeskError>,
    tries: &mut u32,
) -> Option<Result<T, DeskError>> {
    *tries += 1;
    match done {
        Ok(done) => Some(transaction.commit().await.map_err(error::of_commit).map(|()| done)),
        Err(why) if *tries < MOST_TRIES && error::is_conflict(&why) => None,
        Err(why) => Some(Err(why)),
    }
}
