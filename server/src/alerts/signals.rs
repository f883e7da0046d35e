//! Reads what alert rules watch.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::Signal;
use dlo_domain::source::SourceCondition;
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::alerts::figures::{self, Figure};
use crate::store::alerts::rules::Kept;
use crate::store::judging;

/// For how long a group is new.
const NEW_FOR: TimeDelta = TimeDelta::days(1);

/// Conditions in which nothing is taken for a source, and which no rule of their own tells.
const STALLED: [SourceCondition; 5] = [
    SourceCondition::QueueMissing,
    SourceCondition::Refused,
    SourceCondition::BrokerAway,
    SourceCondition::DatabaseAway,
    SourceCondition::Stopped,
];

/// The figures of a rule's things. A queue without a consumer is held to be idle after `idle_after`.
///
/// # Errors
/// Returns an error if a query fails.
pub(super) async fn read(
    conn: &mut PgConnection,
    kept: &Kept,
    idle_after: TimeDelta,
    now: DateTime<Utc>,
) -> Result<Vec<Figure>, StoreError> {
    match &kept.rule.rule.signal {
        Signal::DeadLetters { .. } => {
            dead_letters(conn, kept, now).await.map(Figure::perhaps_of_all)
        }
        Signal::OldestLetter { .. } => {
            let figure = figures::oldest_letter(conn, kept.counter, now).await?;
            // Letters that came before the rule are still being asked for it.
            let is_whole = !judging::is_under_way(conn).await?;
            Ok(Figure::perhaps_of_all(known(kept, figure, is_whole)))
        }
        Signal::Depth => figures::depths(conn, now).await,
        Signal::ExecutionTimeouts => figures::execution_timeouts(conn, now).await,
        Signal::ActiveWorkers => figures::active_workers(conn).await,
        Signal::StuckExecutions { seconds } => {
            let before = now - TimeDelta::seconds(i64::from(*seconds));
            figures::stuck_executions(conn, before).await
        }
        Signal::QueueWithoutConsumer => {
            figures::queues_without_consumer(conn, idle_after, now).await
        }
        Signal::RetriesExhausted => figures::retries_exhausted(conn).await,
        Signal::IntakeStalled => figures::sources_in(conn, &STALLED, now).await,
        Signal::UndecodableHead => {
            figures::sources_in(conn, &[SourceCondition::UndecodableHead], now).await
        }
        Signal::SourceTakesNothing => {
            figures::sources_in(conn, &[SourceCondition::DeliveryLimit], now).await
        }
        Signal::BrokerAway => figures::brokers_away(conn, now).await,
        Signal::ChannelFailing => figures::failing_channels(conn, now).await,
        // Groups that were there before the rule are not told.
        Signal::NewGroup => figures::new_groups(conn, kept.created_at.max(now - NEW_FOR)).await,
        Signal::RegressedGroup => figures::regressed_groups(conn, kept.created_at).await,
    }
}

/// What arrived of the dead letters that a rule is about.
async fn dead_letters(
    conn: &mut PgConnection,
    kept: &Kept,
    now: DateTime<Utc>,
) -> Result<Option<i64>, StoreError> {
    let Signal::DeadLetters { filter, measure, minutes } = &kept.rule.rule.signal else {
        return Ok(None);
    };
    let counter = (!filter.is_empty()).then_some(kept.counter);
    let figure = figures::dead_letters(conn, counter, *measure, *minutes, now).await?;
    let window = TimeDelta::minutes(i64::from(*minutes));
    let is_whole = counter.is_none() || kept.counted_since + window <= now;
    Ok(known(kept, figure, is_whole))
}

/// A figure that can only grow until all of it is counted: it is known when it is, or is beyond the limit.
fn known(kept: &Kept, figure: i64, is_whole: bool) -> Option<i64> {
    let rule = &kept.rule.rule;
    (is_whole || rule.signal.limit(rule.limit).is_passed(figure, false)).then_some(figure)
}
