//! Puts the texts of letters into their index. Searches are right without; this makes them fast.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::Upkeep;
use crate::duty::{Duty, Next};
use crate::store::{StoreError, texts};

/// Letters in one transaction: the trigram index takes 2,000 half as fast again as 500.
const BATCH: i64 = 2_000;
/// Fewer letters than this are worth waiting for more, while others come.
const MANY: u64 = 1_000;
/// How long to wait when there was nothing to do.
pub(super) const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Over this time it is seen how fast letters come.
const RECENTLY: Duration = Duration::from_secs(2);

/// Indexes texts.
pub(super) struct Indexing {
    pub(super) upkeep: Upkeep,
}

impl Duty for Indexing {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        let began = Instant::now();
        let mut transaction = self.upkeep.pool.begin().await?;
        let indexed = texts::index_some(&mut transaction, BATCH, self.upkeep.indexed).await?;
        let arrived = texts::arrived_within(&mut transaction, RECENTLY.as_secs_f64()).await?;
        transaction.commit().await?;
        Ok(next(indexed, began.elapsed(), arrived))
    }
}

/// What comes next when so many letters were indexed, which took `worked`, while so many arrived [`RECENTLY`].
///
/// As long as it keeps up, it rests little; a few letters wait for others, since many at once cost least. The more it
/// falls behind anyway, the longer it rests, so that what comes is stored first, and makes up for that after the storm.
fn next(indexed: u64, worked: Duration, arrived: u64) -> Next {
    if indexed == 0 {
        return Next::Usual;
    }
    let times_as_fast = pace(arrived, RECENTLY) / pace(indexed, worked);
    let rest = worked.mul_f64((times_as_fast.powi(2) / 4.0).clamp(0.25, 2.0));
    let waits_for_more = arrived > 0 && indexed < MANY;
    Next::After(if waits_for_more { rest.max(LOOK_EVERY) } else { rest })
}

/// Letters a second.
fn pace(letters: u64, during: Duration) -> f64 {
    f64::from(u32::try_from(letters).unwrap_or(u32::MAX)) / during.as_secs_f64()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rest after so many letters were indexed in a second, in milliseconds.
    fn rest(indexed: u64, arrived: u64) -> Option<u128> {
        match next(indexed, Duration::from_secs(1), arrived) {
            Next::After(rest) => Some(rest.as_millis()),
            Next::Usual => None,
        }
    }

    #[test]
    fn it_rests_little_while_it_keeps_up() {
        assert_eq!(rest(2_000, 4_000), Some(250));
        assert_eq!(rest(2_000, 0), Some(250));
        assert_eq!(rest(10, 0), Some(250));
    }

    #[test]
    fn the_more_it_falls_behind_the_longer_it_rests() {
        assert_eq!(rest(2_000, 6_000), Some(562));
        assert_eq!(rest(2_000, 8_000), Some(1_000));
        assert_eq!(rest(2_000, 12_000), Some(2_000));
        assert_eq!(rest(2_000, u64::MAX), Some(2_000));
    }

    #[test]
    fn a_few_wait_for_more_while_some_come() {
        assert_eq!(rest(10, 5), Some(2_000));
        assert_eq!(rest(999, 20_000), Some(2_000));
    }

    #[test]
    fn without_anything_to_index_it_looks_again_as_usual() {
        assert_eq!(rest(0, 5), None);
    }

    #[test]
    fn what_took_no_time_needs_no_rest() {
        assert_eq!(next(2_000, Duration::ZERO, 100), Next::After(Duration::ZERO));
    }
}
