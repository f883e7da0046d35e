//! What is read of all letters once in a while, and shared by all who ask meanwhile.

use std::sync::Arc;

use chrono::{DateTime, TimeDelta, Utc};
use tokio::sync::Mutex;

use crate::store::StoreError;

/// So many letters are few: what was read of them is good until there is one more, or one less.
pub const FEW_LETTERS: i64 = 2_000;

/// What was read last.
#[derive(Debug)]
pub struct Recent<T>(Mutex<Option<Reading<T>>>);

#[derive(Debug)]
struct Reading<T> {
    at: DateTime<Utc>,
    /// How many letters there were.
    letters: i64,
    found: Arc<T>,
}

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<T> Recent<T> {
    /// What was read last, if it is fresh where there are `letters` at `now`; else what is read now. One waits for it
    /// at a time, and the others take what came of it.
    ///
    /// # Errors
    /// Those of the read.
    pub async fn get(
        &self,
        (letters, now): (i64, DateTime<Utc>),
        fresh_for: TimeDelta,
        read: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<Arc<T>, StoreError> {
        let mut last = self.0.lock().await;
        if let Some(last) = last.as_ref().filter(|last| last.is_fresh(letters, now, fresh_for)) {
            return Ok(last.found.clone());
        }
        let found = Arc::new(read.await?);
        *last = Some(Reading { at: now, letters, found: found.clone() });
        Ok(found)
    }
}

impl<T> Reading<T> {
    /// Whether it still tells of all letters: not for long, and not once a twentieth of them is new or gone.
    fn is_fresh(&self, letters: i64, now: DateTime<Utc>, fresh_for: TimeDelta) -> bool {
        let changed = (letters - self.letters).abs();
        let is_like =
            if letters <= FEW_LETTERS { changed == 0 } else { changed * 20 <= self.letters };
        (now - self.at).abs() < fresh_for && is_like
    }
}

#[cfg(test)]
mod tests {
    use std::future::ready;

    use super::*;

    #[tokio::test]
    async fn what_was_read_is_shared_until_letters_or_time_have_changed() {
        let (recent, start) = (Recent::default(), DateTime::UNIX_EPOCH);
        let fresh_for = TimeDelta::minutes(5);
        for (letters, seconds, read, expected) in [
            (FEW_LETTERS, 0, 1, 1),
            (FEW_LETTERS, 299, 2, 1),
            (FEW_LETTERS - 1, 299, 3, 3),
            (100_000, 299, 4, 4),
            (105_000, 300, 5, 4),
            (94_999, 301, 6, 6),
            (94_999, 601, 7, 7),
            // A clock that went back.
            (94_999, 301, 8, 8),
        ] {
            let now = start + TimeDelta::seconds(seconds);
            let found = recent.get((letters, now), fresh_for, ready(Ok(read))).await;
            assert_eq!(*found.expect("read"), expected, "{letters} letters after {seconds} s");
        }
    }

    #[tokio::test]
    async fn what_could_not_be_read_is_read_again() {
        let recent = Recent::default();
        let asked = (1, DateTime::UNIX_EPOCH);
        let failed = ready(Err(StoreError::corrupt("letters", "queue", "it is")));
        assert!(recent.get(asked, TimeDelta::minutes(5), failed).await.is_err());
        let found = recent.get(asked, TimeDelta::minutes(5), ready(Ok(2))).await;
        assert_eq!(*found.expect("read"), 2);
    }
}
