//! Live events within this office: what the database tells, handed to every open page and program.
//! Events are hints; whoever misses some is told to load again.

use std::time::Duration;

use dlo_domain::event::LiveEvent;
use sqlx::PgPool;
use tokio::sync::broadcast;
use tokio_util::sync::CancellationToken;

use crate::store::StoreError;
use crate::store::events::{Heard, Listener};

/// A reader may be this many events behind before it misses some.
const KEPT_EVENTS: usize = 256;

/// How long after a failure the database is asked again.
const RETRY_AFTER: Duration = Duration::from_secs(1);

/// Where events come together and from where everybody hears them.
#[derive(Debug, Clone)]
pub struct Hub(broadcast::Sender<LiveEvent>);

impl Default for Hub {
    fn default() -> Self {
        Self(broadcast::channel(KEPT_EVENTS).0)
    }
}

impl Hub {
    /// Tells everybody who listens in this office.
    pub fn tell(&self, event: LiveEvent) {
        // Nobody listening is no failure.
        let _ = self.0.send(event);
    }

    /// Listens from now on.
    pub fn listen(&self) -> broadcast::Receiver<LiveEvent> {
        self.0.subscribe()
    }
}

/// Hands on what the database tells until it is stopped; the database may come and go.
///
/// # Errors
/// Never: what goes wrong with the database is waited out.
pub async fn relay(pool: PgPool, hub: Hub, stop: CancellationToken) -> Result<(), StoreError> {
    loop {
        let heard = tokio::select! {
            () = stop.cancelled() => return Ok(()),
            heard = hand_on(&pool, &hub) => heard,
        };
        tracing::debug!(why = %heard, "live events are interrupted");
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            () = tokio::time::sleep(RETRY_AFTER) => {}
        }
    }
}

/// Hands on events until the connection fails for good.
async fn hand_on(pool: &PgPool, hub: &Hub) -> StoreError {
    let mut listener = match Listener::open(pool).await {
        Ok(listener) => listener,
        Err(why) => return why,
    };
    // Whatever was told while nobody listened was missed.
    hub.tell(LiveEvent::Missed);
    loop {
        match listener.next().await {
            Ok(Heard::Event(event)) => hub.tell(event),
            Ok(Heard::Gap) => hub.tell(LiveEvent::Missed),
            Ok(Heard::Unreadable(why)) => {
                tracing::warn!(%why, "a live event cannot be read; is another office newer?");
                hub.tell(LiveEvent::Missed);
            }
            Err(why) => return why,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlo_domain::ids::SourceId;
    use uuid::Uuid;

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn what_another_connection_tells_is_heard_after_a_lost_connection_too(pool: PgPool) {
        let hub = Hub::default();
        let stop = CancellationToken::new();
        let mut heard = hub.listen();
        let source_id = SourceId(Uuid::from_u128(1));
        let event = LiveEvent::Source { source_id };
        let relaying = relay(pool.clone(), hub.clone(), stop.clone());
        let hearing = async {
            assert_eq!(heard.recv().await, Ok(LiveEvent::Missed), "begins to listen");
            tell(&pool, &event).await;
            assert_eq!(heard.recv().await, Ok(event.clone()));
            cut_listeners(&pool).await;
            assert_eq!(heard.recv().await, Ok(LiveEvent::Missed), "the gap is told");
            // The connection may be made a moment after the gap is told.
            loop {
                tell(&pool, &event).await;
                let wait = Duration::from_millis(200);
                match tokio::time::timeout(wait, heard.recv()).await {
                    Ok(Ok(got)) if got == event => break,
                    _ => {}
                }
            }
            stop.cancel();
        };
        let limit = Duration::from_secs(20);
        let (relayed, ()) =
            tokio::time::timeout(limit, Box::pin(async { tokio::join!(relaying, hearing) }))
                .await
                .expect("in time");
        assert!(relayed.is_ok());
    }

    async fn tell(pool: &PgPool, event: &LiveEvent) {
        let mut conn = pool.acquire().await.expect("connects");
        crate::store::events::notify(&mut conn, event).await.expect("notifies");
    }

    async fn cut_listeners(pool: &PgPool) {
        sqlx::query(
            "select pg_terminate_backend(pid) from pg_stat_activity \
             where datname = current_database() and query like 'LISTEN%'",
        )
        .execute(pool)
        .await
        .expect("cuts");
    }
}
