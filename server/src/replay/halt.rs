//! Why work on a replay ends early, and the patience with a database that is away.

use std::time::Duration;

use backon::{BackoffBuilder as _, ExponentialBuilder};

use super::Engine;
use crate::store::StoreError;

/// Why a replay is put down before its end.
#[derive(Debug)]
pub(super) enum Halt {
    /// The office stops.
    Stopped,
    /// It was paused or cancelled, or another office holds it now.
    NotOurs,
    /// The database answers, but not as expected.
    Store(StoreError),
}

/// The pauses between tries, in an outage of the database or a broker: short enough that work
/// goes on within seconds of the outage's end.
pub(super) fn pauses() -> impl Iterator<Item = Duration> + Send {
    ExponentialBuilder::default()
        .with_min_delay(Duration::from_millis(100))
        .with_max_delay(Duration::from_secs(2))
        .without_max_times()
        .build()
}

impl Engine {
    /// Waits, unless the office stops meanwhile.
    pub(super) async fn pause(
        &self,
        pauses: &mut (impl Iterator<Item = Duration> + Send),
    ) -> Result<(), Halt> {
        let pause = pauses.next().unwrap_or(Duration::from_secs(2));
        tokio::select! {
            () = self.stop.cancelled() => Err(Halt::Stopped),
            () = tokio::time::sleep(pause) => Ok(()),
        }
    }

    /// What a try comes to: its end, or nothing after a pause when it is to be tried again.
    pub(super) async fn again<T>(
        &self,
        done: Result<T, StoreError>,
        pauses: &mut (impl Iterator<Item = Duration> + Send),
    ) -> Option<Result<T, Halt>> {
        match done {
            Ok(done) => Some(Ok(done)),
            Err(why) if why.is_passing() => {
                tracing::debug!(%why, "the database is asked again");
                self.pause(pauses).await.err().map(Err)
            }
            Err(why) => Some(Err(Halt::Store(why))),
        }
    }
}

/// Does a piece of work in a transaction, again and again through an outage. The work must come
/// to the same when it is done twice, since a commit's answer can be lost. A macro, since the
/// compiler cannot yet see that the future of an async closure with borrows is `Send`.
macro_rules! persist {
    ($engine:expr, $conn:ident => $work:expr) => {{
        let mut pauses = $crate::replay::halt::pauses();
        loop {
            let done: Result<_, $crate::store::StoreError> = async {
                let mut transaction = $engine.pool.begin().await?;
                let $conn: &mut sqlx::PgConnection = &mut transaction;
                let done = $work?;
                transaction.commit().await?;
                Ok(done)
            }
            .await;
            if let Some(end) = $engine.again(done, &mut pauses).await {
                break end;
            }
        }
    }};
}
pub(super) use persist;
