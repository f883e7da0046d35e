//! What letters have in common. The letters that they are compared with are sampled once in a
//! while, and shared by all who ask.

use std::collections::HashSet;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::breakdown::{Breakdown, Sampled, compare};
use dlo_domain::ids::{GroupId, LetterId};
use sqlx::PgConnection;

use crate::recent::Recent;
use crate::store::StoreError;
use crate::store::breakdown::{self, Totals};

/// How long letters of all kinds are compared with before they are picked anew.
const FRESH: TimeDelta = TimeDelta::minutes(5);

/// The sample that others are compared with.
pub type ComparisonSample = Recent<Vec<Sampled>>;

/// What the letters of a group have in common; `None` if there is no such group.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn of_group(
    conn: &mut PgConnection,
    sample: &ComparisonSample,
    id: GroupId,
    now: DateTime<Utc>,
) -> Result<Option<Breakdown>, StoreError> {
    let Some(found) = breakdown::group_now(conn, id).await? else { return Ok(None) };
    let newest = breakdown::newest_of_group(conn, found.0).await?;
    Ok(Some(of_newest(conn, sample, (found, &newest), now).await?))
}

/// What the newest letters of a group, which is told with how many letters it has, have in common.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn of_newest(
    conn: &mut PgConnection,
    sample: &ComparisonSample,
    ((group, letters), newest): ((GroupId, i64), &[Sampled]),
    now: DateTime<Utc>,
) -> Result<Breakdown, StoreError> {
    let signatures = breakdown::signatures(conn, group).await?;
    let totals = breakdown::totals(conn).await?;
    let all = breakdown::spread(conn, totals.letters);
    let all = sample.get((totals.letters, now), FRESH, all).await?;
    let signatures: HashSet<_> = signatures.into_iter().collect();
    let told =
        compare(newest, &all, |letter| letter.signature.is_some_and(|id| signatures.contains(&id)));
    Ok(counted(told, letters, totals))
}

/// What the newest of the letters that wait have in common.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn of_waiting(
    conn: &mut PgConnection,
    sample: &ComparisonSample,
    now: DateTime<Utc>,
) -> Result<Breakdown, StoreError> {
    let set = breakdown::newest_waiting(conn).await?;
    let totals = breakdown::totals(conn).await?;
    let all = breakdown::spread(conn, totals.letters);
    let all = sample.get((totals.letters, now), FRESH, all).await?;
    let ids: HashSet<LetterId> = set.iter().map(|letter| letter.id).collect();
    let told = compare(&set, &all, |letter| ids.contains(&letter.id));
    Ok(counted(told, totals.waiting, totals))
}

/// With the counts of what the samples are of; counters may be a moment behind.
fn counted(told: Breakdown, letters_in_set: i64, totals: Totals) -> Breakdown {
    Breakdown {
        letters_in_set: letters_in_set.max(told.letters),
        letters_in_all: totals.letters.max(told.compared_with),
        ..told
    }
}
