//! What policies in shadow mode would have done, for some days.

use chrono::{DateTime, Days, Utc};
use dlo_domain::ids::{LetterId, PolicyId};
use dlo_domain::policy::ShadowResults;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::{StoreError, letter_list};

/// How long results are kept.
const KEPT: Days = Days::new(7);

/// Letters that are shown.
const SAMPLES: i64 = 5;

/// What would have been done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shadow {
    /// A try would have been planned.
    Retry,
    /// It would have been left to people.
    Hold,
    /// It would have been put away.
    Discard,
    /// It would have been given up on.
    Exhausted,
}

impl Shadow {
    fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Hold => "hold",
            Self::Discard => "discard",
            Self::Exhausted => "exhausted",
        }
    }
}

/// Writes down what a policy would have done.
///
/// # Errors
/// When Postgres does not do it.
pub async fn write(
    conn: &mut PgConnection,
    policy: PolicyId,
    would: &[(LetterId, Shadow)],
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = would.iter().map(|(letter, _)| letter.0).collect();
    let verdicts: Vec<String> =
        would.iter().map(|(_, shadow)| shadow.as_str().to_owned()).collect();
    sqlx::query!(
        "insert into retry_shadows (policy_id, letter_id, verdict, at)
         select $1, letter, verdict, $2 from unnest($3::uuid[], $4::text[]) as would (letter, verdict)",
        policy.0,
        at,
        &letters,
        &verdicts
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// What a policy would have done in the last days.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn results(
    conn: &mut PgConnection,
    policy: PolicyId,
    now: DateTime<Utc>,
) -> Result<ShadowResults, StoreError> {
    let row = sqlx::query!(
        r#"select count(distinct letter_id) filter (where verdict = 'retry') as "retries!",
               count(distinct letter_id) filter (where verdict = 'hold') as "holds!",
               count(distinct letter_id) filter (where verdict = 'discard') as "discards!",
               count(distinct letter_id) filter (where verdict = 'exhausted') as "exhausted!"
           from retry_shadows where policy_id = $1 and at >= $2"#,
        policy.0,
        now - KEPT
    )
    .fetch_one(&mut *conn)
    .await?;
    let last = sqlx::query_scalar!(
        "select letter_id from retry_shadows where policy_id = $1 order by at desc limit $2",
        policy.0,
        SAMPLES
    )
    .fetch_all(&mut *conn)
    .await?;
    let last: Vec<LetterId> = last.into_iter().map(LetterId).collect();
    Ok(ShadowResults {
        retries: row.retries,
        holds: row.holds,
        discards: row.discards,
        exhausted: row.exhausted,
        samples: letter_list::these(conn, &last).await?,
    })
}

/// Removes results that are too old.
///
/// # Errors
/// When Postgres does not do it.
pub async fn forget(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    sqlx::query!("delete from retry_shadows where at < $1", now - KEPT).execute(conn).await?;
    Ok(())
}
