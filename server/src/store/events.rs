//! Live events on their way between offices: sent within the writer's transaction, so that nobody
//! hears of a change that was rolled back, and received by whoever listens.

use dlo_domain::event::LiveEvent;
use sqlx::postgres::PgListener;
use sqlx::{PgConnection, PgPool};

use super::StoreError;

const CHANNEL: &str = "dlo_events";

/// At most this many ids travel in one event: Postgres allows a payload 8,000 bytes, an id takes
/// 39. Receivers load the list again in any case.
const MOST_IDS: usize = 100;

/// Tells every listener, once the transaction of `conn` commits.
///
/// # Errors
/// When Postgres does not do it.
pub async fn notify(conn: &mut PgConnection, event: &LiveEvent) -> Result<(), StoreError> {
    sqlx::query!("select pg_notify($1, $2)", CHANNEL, payload(event)).execute(conn).await?;
    Ok(())
}

fn payload(event: &LiveEvent) -> String {
    let cut = match event {
        LiveEvent::Changed { letters } if letters.len() > MOST_IDS => {
            &LiveEvent::Changed { letters: letters[..MOST_IDS].to_vec() }
        }
        LiveEvent::Exhausted { letters } if letters.len() > MOST_IDS => {
            &LiveEvent::Exhausted { letters: letters[..MOST_IDS].to_vec() }
        }
        whole => whole,
    };
    serde_json::to_string(cut).expect("an event is made of ids and numbers")
}

/// A connection of its own that hears events.
#[derive(Debug)]
pub struct Listener(PgListener);

/// What a listener heard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// An event.
    Event(LiveEvent),
    /// A text on our channel that is no event of this version: a newer office may have sent it.
    Unreadable(String),
    /// The connection broke and is being made again: events may have been missed.
    Gap,
}

impl Listener {
    /// Begins to listen.
    ///
    /// # Errors
    /// When Postgres does not answer.
    pub async fn open(pool: &PgPool) -> Result<Self, StoreError> {
        let mut listener = PgListener::connect_with(pool).await?;
        listener.listen(CHANNEL).await?;
        Ok(Self(listener))
    }

    /// Waits for what comes next.
    ///
    /// # Errors
    /// When the connection broke and cannot be made again.
    pub async fn next(&mut self) -> Result<Heard, StoreError> {
        let Some(notification) = self.0.try_recv().await? else {
            return Ok(Heard::Gap);
        };
        Ok(match serde_json::from_str(notification.payload()) {
            Ok(event) => Heard::Event(event),
            Err(why) => Heard::Unreadable(why.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlo_domain::ids::LetterId;
    use uuid::Uuid;

    fn changed(letters: usize) -> LiveEvent {
        LiveEvent::Changed { letters: vec![LetterId(Uuid::from_u128(7)); letters] }
    }

    #[test]
    fn the_largest_event_fits_into_a_notification() {
        assert!(payload(&changed(10_000)).len() < 8_000);
        let letters = vec![LetterId(Uuid::from_u128(7)); 10_000];
        assert!(payload(&LiveEvent::Exhausted { letters }).len() < 8_000);
    }

    #[sqlx::test(migrator = "crate::store::MIGRATOR")]
    async fn an_event_is_heard_after_commit_and_never_after_rollback(pool: PgPool) {
        let mut listener = Listener::open(&pool).await.expect("listens");
        for (event, keep) in [(changed(1), false), (changed(2), true)] {
            let mut transaction = pool.begin().await.expect("begins");
            notify(&mut transaction, &event).await.expect("notifies");
            if keep {
                transaction.commit().await.expect("commits");
            } else {
                transaction.rollback().await.expect("rolls back");
            }
        }
        let heard = listener.next().await.expect("hears");
        assert_eq!(heard, Heard::Event(changed(2)));
    }
}
