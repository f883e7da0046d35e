//! Planning tries, and giving up.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use dlo_domain::ids::{LetterId, PolicyId, ReplayId};
use dlo_domain::state::{Change, LetterState};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::audit::{self, Note};
use crate::store::policies::inbox::Taken;
use crate::store::{StoreError, decisions};

/// A letter that policies are asked of, with its way through tries so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held {
    /// The letter.
    pub letter: LetterId,
    /// Its course: tries are counted within it.
    pub course: i32,
    /// Tries of the course that were made.
    pub tries_made: u32,
}

/// Locks those of the letters that are held, and tells how many tries they had: those of their
/// last course, if it is a try that they came back from. Else they begin a new one.
///
/// # Errors
/// When Postgres does not do it.
pub async fn held(conn: &mut PgConnection, taken: &[Taken]) -> Result<Vec<Held>, StoreError> {
    let mut by_letter: HashMap<Uuid, (bool, Option<ReplayId>)> = HashMap::new();
    for one in taken {
        let known = by_letter.entry(one.letter.0).or_default();
        known.0 |= one.is_anew;
        known.1 = one.replay.or(known.1);
    }
    let letters: Vec<Uuid> = by_letter.keys().copied().collect();
    let mut held: Vec<Uuid> = decisions::lock(conn, &letters)
        .await?
        .into_iter()
        .filter(|(_, state)| *state == LetterState::Held)
        .map(|(id, _)| id)
        .collect();
    held.sort_unstable();
    let mut courses = courses(conn, &held).await?;
    Ok(held
        .into_iter()
        .map(|id| {
            let (is_anew, replay) = by_letter.get(&id).copied().unwrap_or_default();
            let course = courses.remove(&id).unwrap_or_default();
            let goes_on = !is_anew && replay.is_some_and(|id| course.replays.contains(&id.0));
            Held {
                letter: LetterId(id),
                course: if goes_on { course.number } else { course.number + 1 },
                tries_made: if goes_on { course.tries } else { 0 },
            }
        })
        .collect())
}

/// The last course of a letter.
#[derive(Debug, Clone, Default)]
struct Course {
    number: i32,
    tries: u32,
    /// The replays that were its tries.
    replays: Vec<Uuid>,
}

async fn courses(
    conn: &mut PgConnection,
    letters: &[Uuid],
) -> Result<HashMap<Uuid, Course>, StoreError> {
    let rows = sqlx::query!(
        "select r.letter_id, r.course, r.number, r.replay_id
         from retries r
         where r.letter_id = any($1) and r.course = (
             select max(course) from retries last where last.letter_id = r.letter_id)",
        letters
    )
    .fetch_all(conn)
    .await?;
    let mut courses: HashMap<Uuid, Course> = HashMap::new();
    for row in rows {
        let course = courses.entry(row.letter_id).or_default();
        course.number = row.course;
        if let Some(replay) = row.replay_id {
            course.tries = course.tries.max(u32::try_from(row.number).unwrap_or(0));
            course.replays.push(replay);
        }
    }
    Ok(courses)
}

/// A try that is to be planned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// The letter, which must be held, and locked.
    pub held: Held,
    /// Which try of the course it is, from 1.
    pub number: u32,
    /// When it is due.
    pub due_at: DateTime<Utc>,
}

/// Plans tries: the letters are scheduled. A letter that was given up on begins anew.
///
/// # Errors
/// When Postgres does not do it.
pub async fn plan(
    conn: &mut PgConnection,
    policy: PolicyId,
    plans: &[Plan],
    note: Note<'_>,
) -> Result<(), StoreError> {
    let letters: Vec<Uuid> = plans.iter().map(|plan| plan.held.letter.0).collect();
    let courses: Vec<i32> = plans.iter().map(|plan| plan.held.course).collect();
    let numbers: Vec<i32> =
        plans.iter().map(|plan| i32::try_from(plan.number).unwrap_or(i32::MAX)).collect();
    let due: Vec<DateTime<Utc>> = plans.iter().map(|plan| plan.due_at).collect();
    let change = (Change::Schedule, LetterState::Scheduled);
    decisions::set_state(conn, &letters, change, None).await?;
    sqlx::query!(
        "update letters set exhausted_at = null, exhausted_by = null
         where id = any($1) and exhausted_at is not null",
        &letters
    )
    .execute(&mut *conn)
    .await?;
    sqlx::query!(
        "insert into retries
             (letter_id, ordinal, course, number, policy_id, state, planned_at, due_at)
         select letter, 1 + (
                 select coalesce(max(ordinal), 0) from retries r where r.letter_id = letter),
             course, number, $1, 'waiting', $2, due
         from unnest($3::uuid[], $4::integer[], $5::integer[], $6::timestamptz[])
             as plan (letter, course, number, due)",
        policy.0,
        note.at,
        &letters,
        &courses,
        &numbers,
        &due,
    )
    .execute(&mut *conn)
    .await?;
    audit::write_letters(conn, &letters, note).await
}

/// Marks held letters that were given up on.
///
/// # Errors
/// When Postgres does not do it.
pub async fn exhaust(
    conn: &mut PgConnection,
    policy: PolicyId,
    letters: &[LetterId],
    note: Note<'_>,
) -> Result<(), StoreError> {
    let ids: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    sqlx::query!(
        "update letters set exhausted_at = $2, exhausted_by = $3
         where id = any($1) and state = 'held'",
        &ids,
        note.at,
        policy.0,
    )
    .execute(&mut *conn)
    .await?;
    audit::write_letters(conn, &ids, note).await
}

/// Holds letters that wait for a policy, `most` of them; those that somebody else has locked are
/// left. Tells which.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn let_go(
    conn: &mut PgConnection,
    policy: PolicyId,
    most: i64,
    note: Note<'_>,
) -> Result<Vec<LetterId>, StoreError> {
    let letters = sqlx::query_scalar!(
        "select r.letter_id
         from retries r
         join letters l on l.id = r.letter_id and l.state = 'scheduled'
         where r.policy_id = $1 and r.state = 'waiting'
         order by r.due_at limit $2
         for update of l skip locked",
        policy.0,
        most
    )
    .fetch_all(&mut *conn)
    .await?;
    let letters: Vec<LetterId> = letters.into_iter().map(LetterId).collect();
    Ok(decisions::change(conn, &letters, Change::Unschedule, note).await?.changed)
}
