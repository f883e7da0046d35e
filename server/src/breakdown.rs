//! What letters have in common. The letters that they are compared with are sampled once in a while, and shared by all
//! who ask; what came of it is kept while the same letters are asked about.

mod cache;

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::breakdown::{Breakdown, Sampled, compare};
use dlo_domain::ids::GroupId;
use sqlx::PgConnection;

use crate::recent::Recent;
use crate::store::StoreError;
use crate::store::breakdown::{self, NewestLetters, Totals};
use cache::{Comparison, ComparisonCache, Key};

/// How long letters of all kinds are compared with before they are picked anew.
const FRESH: TimeDelta = TimeDelta::minutes(5);

/// What letters are compared with, and what came of it lately.
#[derive(Debug, Default)]
pub struct Comparisons {
    all: Recent<Vec<Sampled>>,
    cache: ComparisonCache,
}

/// What the letters of a group have in common; `None` if there is no such group.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn of_group(
    conn: &mut PgConnection,
    comparisons: &Comparisons,
    id: GroupId,
    now: DateTime<Utc>,
) -> Result<Option<Breakdown>, StoreError> {
    let Some(found) = breakdown::group_now(conn, id).await? else { return Ok(None) };
    Ok(Some(of_newest(conn, comparisons, found, now).await?.1))
}

/// The newest letters of a group, which is told with how many letters it has, and what they have in common.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn of_newest(
    conn: &mut PgConnection,
    comparisons: &Comparisons,
    (group, letters): (GroupId, i64),
    now: DateTime<Utc>,
) -> Result<(NewestLetters, Breakdown), StoreError> {
    let totals = breakdown::totals(conn).await?;
    let newest = breakdown::newest_of_group(conn, group).await?;
    let key = Key { group: Some(group), newest };
    let found = compared(conn, comparisons, &key, (totals, now)).await?;
    let newest = NewestLetters { ids: key.newest.ids, queues: found.queues.clone() };
    Ok((newest, counted(found.told.clone(), letters, totals)))
}

/// What the newest of the letters that wait have in common.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn of_waiting(
    conn: &mut PgConnection,
    comparisons: &Comparisons,
    now: DateTime<Utc>,
) -> Result<Breakdown, StoreError> {
    let totals = breakdown::totals(conn).await?;
    let key = Key { group: None, newest: breakdown::newest_waiting(conn).await? };
    let found = compared(conn, comparisons, &key, (totals, now)).await?;
    Ok(counted(found.told.clone(), totals.waiting, totals))
}

async fn compared(
    conn: &mut PgConnection,
    comparisons: &Comparisons,
    key: &Key,
    (totals, now): (Totals, DateTime<Utc>),
) -> Result<Arc<Comparison>, StoreError> {
    let all = breakdown::spread(conn, totals.letters);
    let all = comparisons.all.get((totals.letters, now), FRESH, all).await?;
    if let Some(found) = comparisons.cache.find(key, &all, now) {
        return Ok(found);
    }
    let set = breakdown::look_up(conn, &key.newest.ids).await?;
    let told = if let Some(group) = key.group {
        let signatures = breakdown::signatures(conn, group).await?;
        let signatures: HashSet<_> = signatures.into_iter().collect();
        compare(&set, &all, |letter| letter.signature.is_some_and(|id| signatures.contains(&id)))
    } else {
        let ids: HashSet<_> = set.iter().map(|letter| letter.id).collect();
        compare(&set, &all, |letter| ids.contains(&letter.id))
    };
    let found = Comparison { told, queues: breakdown::queues_of(&set) };
    Ok(comparisons.cache.keep(key.clone(), &all, found, now))
}

/// With the counts of what the samples are of; counters may be a moment behind.
fn counted(told: Breakdown, letters_in_set: i64, totals: Totals) -> Breakdown {
    Breakdown {
        letters_in_set: letters_in_set.max(told.letters),
        letters_in_all: totals.letters.max(told.compared_with),
        ..told
    }
}
