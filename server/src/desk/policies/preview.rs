//! What a retry policy would have done with the letters of the last days. Changes nothing.

use dlo_app::desk::DeskError;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::{LetterId, PolicyId};
use dlo_domain::policy::{DayOfRetries, NewPolicy, PolicyPreview, PolicyVerdict};
use sqlx::PgConnection;

use super::super::PgDesk;
use super::super::error::no_preview;
use super::no_policy;
use crate::store::policies::{self, Kept};
use crate::store::{StoreError, letter_list};

/// How far back it looks, in days.
const DAYS: u32 = 7;
/// Letters that it counts, and shows.
const MOST_COUNTED: i64 = 10_000;
const SAMPLES: usize = 5;

/// What a policy would have done in the place of another; behind all of them when none is named.
pub(super) async fn of(
    desk: &PgDesk,
    conn: &mut PgConnection,
    instead_of: Option<PolicyId>,
    policy: &NewPolicy,
) -> Result<PolicyPreview, DeskError> {
    let kept = policies::all(conn).await?;
    let before = match instead_of {
        None => &kept[..],
        Some(id) => {
            let place = kept.iter().position(|kept| kept.id == id);
            &kept[..place.ok_or_else(|| no_policy(id))?]
        }
    };
    let found = behind(desk, conn, before, policy).await;
    found.map_err(|why| no_preview(why, "policy"))
}

/// The same behind these.
async fn behind(
    desk: &PgDesk,
    conn: &mut PgConnection,
    kept: &[Kept],
    policy: &NewPolicy,
) -> Result<PolicyPreview, StoreError> {
    let now = desk.clock.now();
    letter_list::limit_time(conn, desk.patience.preview).await?;
    let lately = LetterFilter::parse(&format!("since:{DAYS}d")).unwrap_or_default();
    let own = LetterFilter::parse(&policy.filter).unwrap_or_default();
    let before: Vec<LetterFilter> = kept
        .iter()
        .filter(|kept| kept.policy.enabled && !kept.policy.shadow)
        .filter_map(|kept| kept.policy.condition().ok())
        .collect();
    let filter = lately.and(&own);
    let found = policies::matched(conn, &filter, &before, MOST_COUNTED + 1, now).await?;
    let mut letters = found.letters;
    let is_capped = i64::try_from(letters.len()).is_ok_and(|found| found > MOST_COUNTED);
    letters.truncate(usize::try_from(MOST_COUNTED).unwrap_or(usize::MAX));
    let matched = i64::try_from(letters.len()).unwrap_or(i64::MAX);
    let discards = match policy.verdict {
        PolicyVerdict::Discard => matched,
        PolicyVerdict::Retry | PolicyVerdict::Hold => 0,
    };
    let first: Vec<LetterId> = letters.iter().take(SAMPLES).map(|(id, _)| *id).collect();
    Ok(PolicyPreview {
        days: DAYS,
        matched,
        is_capped,
        taken_before: found.taken_before.min(MOST_COUNTED),
        retries: DayOfRetries::of(policy, &letters, now),
        discards,
        samples: letter_list::these(conn, &first).await?,
    })
}
