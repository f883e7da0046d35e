//! What letters have in common. The letters that they are compared with are sampled once in a
//! while, and shared by all who ask.

use std::collections::HashSet;
use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::breakdown::{Breakdown, Sampled, compare};
use dlo_domain::ids::{GroupId, LetterId};
use sqlx::PgConnection;
use tokio::sync::Mutex;

use crate::store::StoreError;
use crate::store::breakdown::{self, Totals};

/// How long letters of all kinds are compared with before they are picked anew.
const FRESH: TimeDelta = TimeDelta::minutes(5);

/// Letters of all kinds, as they were when they were picked.
#[derive(Debug, Clone)]
struct Spread {
    at: DateTime<Utc>,
    letters: i64,
    sample: Arc<Vec<Sampled>>,
}

impl Spread {
    /// Whether they still tell what all letters are like: not for long, and not once a twentieth
    /// of the letters is new or gone. Where there are few they are all of them, or not fresh.
    fn is_fresh(&self, letters: i64, now: DateTime<Utc>) -> bool {
        let changed = (letters - self.letters).abs();
        let is_like = if letters <= breakdown::FEW_LETTERS {
            changed == 0
        } else {
            changed * 20 <= self.letters
        };
        (now - self.at).abs() < FRESH && is_like
    }
}

/// The last such sample.
#[derive(Debug, Default)]
pub struct ComparisonSample(Mutex<Option<Spread>>);

impl ComparisonSample {
    /// The sample; one person waits for it at a time, and the others take what came of it.
    async fn with(
        &self,
        conn: &mut PgConnection,
        letters: i64,
        now: DateTime<Utc>,
    ) -> Result<Arc<Vec<Sampled>>, StoreError> {
        let mut last = self.0.lock().await;
        if let Some(spread) = last.as_ref().filter(|spread| spread.is_fresh(letters, now)) {
            return Ok(spread.sample.clone());
        }
        let sample = Arc::new(breakdown::spread(conn, letters).await?);
        *last = Some(Spread { at: now, letters, sample: sample.clone() });
        Ok(sample)
    }
}

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
    let Some((group, letters)) = breakdown::group_now(conn, id).await? else { return Ok(None) };
    let set = breakdown::newest_of_group(conn, group).await?;
    let signatures = breakdown::signatures(conn, group).await?;
    let totals = breakdown::totals(conn).await?;
    let all = sample.with(conn, totals.letters, now).await?;
    let signatures: HashSet<_> = signatures.into_iter().collect();
    let told =
        compare(&set, &all, |letter| letter.signature.is_some_and(|id| signatures.contains(&id)));
    Ok(Some(counted(told, letters, totals)))
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
    let all = sample.with(conn, totals.letters, now).await?;
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
