//! Which letter a report is of.

use chrono::{DateTime, TimeDelta, Utc};

use super::ReportedMessage;
use crate::ids::LetterId;

/// How long a report waits for its letter: a worker tells of every try, and the message dies of the last one.
pub const WAITS_FOR: TimeDelta = TimeDelta::hours(1);

/// How long after its letter a report may come.
pub const MAY_BE_LATE_BY: TimeDelta = TimeDelta::minutes(10);

/// When it is looked again, after a report came, which letters arrived before it. Intake knows of the reports that are
/// there when it stores a letter; these looks are for a letter that was being stored at the same moment.
const LOOKS: [TimeDelta; 3] =
    [TimeDelta::seconds(2), TimeDelta::seconds(20), TimeDelta::seconds(200)];

/// A message as it arrived: what of it a report may name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrivedMessage {
    /// Its letter.
    pub letter: LetterId,
    /// Which arrival of that letter, from 1.
    pub ordinal: i32,
    /// When it arrived.
    pub arrived_at: DateTime<Utc>,
    /// Its property `message_id`.
    pub message_id: Option<String>,
    /// SHA-256 of its body.
    pub body_sha256: Vec<u8>,
    /// The queue that it died in.
    pub queue: Option<String>,
    /// The virtual host of its source.
    pub vhost: String,
}

/// The letter that a report belongs to, as far as messages arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Joining {
    /// None of them.
    #[default]
    None,
    /// The only one whose message it can be of.
    To(JoinedArrival),
    /// Several fit, so it is joined to none of them.
    Ambiguous,
}

/// The arrival of a letter that a report is joined to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct JoinedArrival {
    /// The letter.
    pub letter: LetterId,
    /// Which arrival of it, from 1: the one that came nearest to the report.
    pub ordinal: i32,
    /// When that arrived.
    pub arrived_at: DateTime<Utc>,
}

impl ReportedMessage {
    /// Whether it may be this message: nothing that the report names is otherwise. Where nobody knows in which queue
    /// a message died, its id suffices, and its body does not.
    #[must_use]
    pub fn may_be(&self, message: &ArrivedMessage) -> bool {
        let has_id = self.message_id.is_none() || self.message_id == message.message_id;
        let has_body = self.body_sha256.is_none_or(|digest| digest[..] == message.body_sha256);
        let has_queue = match (&self.queue, &message.queue) {
            (Some(reported), Some(died_in)) => reported == died_in,
            (Some(_), None) => self.message_id.is_some(),
            (None, _) => true,
        };
        let has_vhost = self.vhost.as_ref().is_none_or(|vhost| *vhost == message.vhost);
        has_id && has_body && has_queue && has_vhost
    }
}

impl Joining {
    /// The same with messages that arrived, too, for a report that came at `received_at`. It does not matter in which
    /// order they are looked at, nor how often.
    #[must_use]
    pub fn with<'a>(
        self,
        report: &ReportedMessage,
        received_at: DateTime<Utc>,
        messages: impl IntoIterator<Item = &'a ArrivedMessage>,
    ) -> Self {
        let around = received_at - MAY_BE_LATE_BY..=received_at + WAITS_FOR;
        let fits = |message: &&ArrivedMessage| {
            around.contains(&message.arrived_at) && report.may_be(message)
        };
        messages.into_iter().filter(fits).fold(self, |joined, message| {
            let ArrivedMessage { letter, ordinal, arrived_at, .. } = *message;
            joined.and(JoinedArrival { letter, ordinal, arrived_at }, received_at)
        })
    }

    fn and(self, next: JoinedArrival, received_at: DateTime<Utc>) -> Self {
        let distance = |one: &JoinedArrival| {
            ((one.arrived_at - received_at).abs(), one.ordinal, one.arrived_at)
        };
        match self {
            Self::None => Self::To(next),
            Self::To(before) if before.letter != next.letter => Self::Ambiguous,
            Self::To(before) if distance(&next) < distance(&before) => Self::To(next),
            Self::To(_) | Self::Ambiguous => self,
        }
    }
}

/// When it is looked again which letters arrived before a report; `None` if all that did are known.
#[must_use]
pub fn next_look(received_at: DateTime<Utc>, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
    LOOKS.into_iter().map(|after| received_at + after).find(|at| *at > now)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use uuid::Uuid;

    use super::*;

    fn noon() -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000, 0).expect("a time")
    }

    fn message(letter: u128, seconds: i64) -> ArrivedMessage {
        ArrivedMessage {
            letter: LetterId(Uuid::from_u128(letter)),
            ordinal: 1,
            arrived_at: noon() + TimeDelta::seconds(seconds),
            message_id: Some("m-1".into()),
            body_sha256: vec![1; 32],
            queue: Some("orders".into()),
            vhost: "/".into(),
        }
    }

    fn by_id() -> ReportedMessage {
        ReportedMessage { message_id: Some("m-1".into()), ..ReportedMessage::default() }
    }

    fn joined(seconds: i64, messages: &[ArrivedMessage]) -> Joining {
        Joining::None.with(&by_id(), noon() + TimeDelta::seconds(seconds), messages)
    }

    /// The letter and the arrival.
    fn to(joining: Joining) -> Option<(u128, i32)> {
        match joining {
            Joining::To(one) => Some((one.letter.0.as_u128(), one.ordinal)),
            _ => None,
        }
    }

    #[test]
    fn a_report_is_of_the_only_letter_that_fits() {
        assert_eq!(joined(0, &[]), Joining::None);
        assert_eq!(to(joined(0, &[message(1, 0)])), Some((1, 1)));
        assert_eq!(joined(0, &[message(1, 0), message(2, 3_000)]), Joining::Ambiguous);
        let other = ArrivedMessage { message_id: Some("m-2".into()), ..message(2, 0) };
        assert_eq!(to(joined(0, &[message(1, 0), other])), Some((1, 1)));
        let nameless = ArrivedMessage { message_id: None, ..message(1, 0) };
        assert_eq!(joined(0, &[nameless]), Joining::None);
    }

    #[test]
    fn a_letter_comes_in_time_or_is_another() {
        for (seconds, fits) in [(-601, false), (-600, true), (3_600, true), (3_601, false)] {
            assert_eq!(joined(0, &[message(1, seconds)]) != Joining::None, fits, "{seconds}");
        }
    }

    #[test]
    fn the_arrival_next_to_the_report_is_the_one_that_it_tells_of() {
        let again = ArrivedMessage { ordinal: 2, ..message(1, 60) };
        let both = [message(1, 0), again];
        assert_eq!([1, 59, 61].map(|at| to(joined(at, &both))), [1, 2, 2].map(|n| Some((1, n))));
        let [before, after] = [message(1, -60), message(1, 60)];
        let both = joined(0, &[before.clone(), after.clone()]);
        assert_eq!(both, joined(0, &[after, before]), "as far from it");
    }

    #[test]
    fn all_that_is_named_has_to_fit() {
        let named = ReportedMessage {
            message_id: Some("m-1".into()),
            body_sha256: Some([1; 32]),
            queue: Some("orders".into()),
            vhost: Some("/".into()),
        };
        assert!(named.may_be(&message(1, 0)));
        for change in [
            |m: &mut ArrivedMessage| m.message_id = Some("m-2".into()),
            |m: &mut ArrivedMessage| m.body_sha256 = vec![2; 32],
            |m: &mut ArrivedMessage| m.queue = Some("bills".into()),
            |m: &mut ArrivedMessage| m.vhost = "other".into(),
        ] {
            let mut other = message(1, 0);
            change(&mut other);
            assert!(!named.may_be(&other), "{other:?}");
        }
        let lost = ArrivedMessage { queue: None, ..message(1, 0) };
        assert!(named.may_be(&lost));
        let by_body = ReportedMessage { message_id: None, ..named };
        assert!(by_body.may_be(&message(1, 0)) && !by_body.may_be(&lost));
    }

    #[test]
    fn it_is_looked_a_few_times_and_then_no_more() {
        let (mut now, mut looks) = (noon(), 0);
        while let Some(next) = next_look(noon(), now) {
            assert!(next > now);
            (now, looks) = (next, looks + 1);
        }
        assert_eq!(looks, LOOKS.len());
    }

    proptest! {
        #[test]
        fn the_order_of_messages_does_not_matter(
            mut messages in prop::collection::vec(
                (0_u128..3, -1_000_i64..4_000, 0_u8..2).prop_map(|(letter, seconds, body)| {
                    ArrivedMessage { body_sha256: vec![body; 32], ..message(letter, seconds) }
                }),
                0..6,
            ),
        ) {
            let report = ReportedMessage { body_sha256: Some([1; 32]), ..by_id() };
            let joining = Joining::None.with(&report, noon(), &messages);
            messages.reverse();
            prop_assert_eq!(Joining::None.with(&report, noon(), &messages), joining);
            prop_assert_eq!(joining.with(&report, noon(), &messages), joining);
            if let Joining::To(one) = joining {
                let others: Vec<_> =
                    messages.iter().filter(|other| other.letter != one.letter).cloned().collect();
                prop_assert_eq!(Joining::None.with(&report, noon(), &others), Joining::None);
            }
        }
    }
}
