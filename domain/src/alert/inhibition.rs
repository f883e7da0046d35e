//! What follows from what is told already.

use super::signal::Signal;
use super::subject::AlertSubject;

/// Whether nobody needs to be told of this while the broker that it happens at is known to be away. What
/// letters did is told all the same.
#[must_use]
pub fn follows_from_broker(
    signal: &Signal,
    subject: &AlertSubject,
    is_away: impl Fn(&str) -> bool,
) -> bool {
    let follows = matches!(
        signal,
        Signal::IntakeStalled
            | Signal::Depth
            | Signal::QueueWithoutConsumer
            | Signal::UndecodableHead
            | Signal::SourceTakesNothing
    );
    follows && subject.broker.as_deref().is_some_and(is_away)
}
