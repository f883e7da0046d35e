//! What policies did and will do with one letter.

use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::policy::{LetterRetries, NewPolicy, NextRetry, Obituary, Try};
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::letter_detail::read_outcome;

/// The letter's last course, its next try, and whether it was given up on.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn of_letter(
    conn: &mut PgConnection,
    letter: LetterId,
) -> Result<LetterRetries, StoreError> {
    Ok(LetterRetries {
        exhausted: obituary(conn, letter).await?,
        next: next(conn, letter).await?,
        tries: tries(conn, letter).await?,
    })
}

async fn obituary(
    conn: &mut PgConnection,
    letter: LetterId,
) -> Result<Option<Obituary>, StoreError> {
    let row = sqlx::query!(
        r#"select l.exhausted_at as "at!", p.id, p.name
           from letters l join retry_policies p on p.id = l.exhausted_by
           where l.id = $1 and l.exhausted_at is not null"#,
        letter.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| Obituary { at: row.at, policy_id: PolicyId(row.id), policy: row.name }))
}

async fn next(conn: &mut PgConnection, letter: LetterId) -> Result<Option<NextRetry>, StoreError> {
    let row = sqlx::query!(
        r#"select p.id, p.name, p.policy, p.removed_at is not null as "is_removed!", r.number,
             r.due_at
         from retries r join retry_policies p on p.id = r.policy_id
         where r.letter_id = $1 and r.state = 'waiting'"#,
        letter.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(row.map(|row| {
        let policy: Option<NewPolicy> = serde_json::from_value(row.policy).ok();
        NextRetry {
            policy_id: PolicyId(row.id),
            policy: row.name,
            number: u32::try_from(row.number).unwrap_or_default(),
            due_at: row.due_at,
            is_paused: row.is_removed || !policy.is_some_and(|policy| policy.retries()),
        }
    }))
}

async fn tries(conn: &mut PgConnection, letter: LetterId) -> Result<Vec<Try>, StoreError> {
    let rows = sqlx::query!(
        r#"select p.id, p.name, r.number, r.due_at, r.taken_at as "taken_at!", i.replay_id,
               i.outcome, i.detail
           from retries r
           join retry_policies p on p.id = r.policy_id
           join replay_items i on i.letter_id = r.letter_id and i.replay_id = r.replay_id
           where r.letter_id = $1 and r.state = 'taken' and r.taken_at is not null
             and r.course = (select max(course) from retries where letter_id = $1)
           order by r.ordinal"#,
        letter.0
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            Ok(Try {
                policy_id: PolicyId(row.id),
                policy: row.name,
                number: u32::try_from(row.number).unwrap_or_default(),
                due_at: row.due_at,
                taken_at: row.taken_at,
                replay_id: ReplayId(row.replay_id),
                outcome: read_outcome(&row.outcome)?,
                detail: row.detail,
            })
        })
        .collect()
}
