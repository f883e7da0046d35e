//! What is known around a queue whose messages die: why it may be, what worked before, and whether a replay would
//! meet the same end now. All of it is from what is known, and says nothing where nothing is.

use chrono::{DateTime, TimeDelta, Utc};

use super::Fact;
use crate::alert::lasting;
use crate::visible_text::visible_within;

/// Without a death for so long, letters that are sent again seem not to die at once.
const CALM_AFTER: TimeDelta = TimeDelta::minutes(5);

/// Workers that are named.
const MOST_NAMED: usize = 3;

/// What is known around a queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Surroundings {
    /// The queue.
    pub queue: Option<String>,
    /// Since when it is known to have no consumer, while it has none.
    pub idle_since: Option<DateTime<Utc>>,
    /// Since when it has a consumer again, where it had none in the last day.
    pub consumed_since: Option<DateTime<Utc>>,
    /// Its workers that are silent, and since when.
    pub silent: Vec<(String, DateTime<Utc>)>,
    /// When the last letter died.
    pub last_died_at: Option<DateTime<Utc>>,
    /// Letters that wait.
    pub waiting: i64,
    /// The last replay of such letters that some of them did not come back from.
    pub worked: Option<Worked>,
}

/// A replay that worked, at least for some.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Worked {
    /// When it was asked for.
    pub at: DateTime<Utc>,
    /// Who asked for it.
    pub by: String,
    /// Letters that did not come back.
    pub well: i64,
    /// Letters that died again.
    pub again: i64,
}

impl Surroundings {
    /// What there is to tell of them.
    #[must_use]
    pub fn facts(&self, now: DateTime<Utc>) -> Vec<Fact> {
        let told = [
            ("likely cause", self.cause()),
            ("a replay now", self.prospect(now)),
            ("worked last time", self.worked.as_ref().map(Worked::says)),
        ];
        let told = told.into_iter().filter_map(|(label, text)| Some(Fact { label, text: text? }));
        told.collect()
    }

    /// Why nobody works on its messages, where that is known.
    fn cause(&self) -> Option<String> {
        let idle = self
            .idle_since
            .map(|since| format!("{} has no consumer since {}", self.queue_name(), clock(since)));
        let named = self.silent.iter().take(MOST_NAMED).map(|(name, since)| {
            format!("worker “{}” is silent since {}", visible_within(name), clock(*since))
        });
        let more = self.silent.len().saturating_sub(MOST_NAMED);
        let more = (more > 0).then(|| format!("{more} more workers of it are silent"));
        let parts: Vec<String> = idle.into_iter().chain(named).chain(more).collect();
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// Whether letters that are sent again would die as these did, as far as can be seen.
    fn prospect(&self, now: DateTime<Utc>) -> Option<String> {
        self.queue.as_ref()?;
        if self.idle_since.is_some() {
            return Some("not yet: nobody would take the messages".to_owned());
        }
        let calm = now - self.last_died_at?;
        let calm_for = lasting(calm.num_seconds());
        let waiting = match self.waiting {
            1 => "1 waits".to_owned(),
            count => format!("{count} wait"),
        };
        let back =
            self.consumed_since.map(|since| format!("consumer back since {}, ", clock(since)));
        let back = back.unwrap_or_default();
        Some(if calm < CALM_AFTER {
            format!("too early: {back}the last death was {calm_for} ago, {waiting}")
        } else if !self.silent.is_empty() {
            format!("unclear: {back}no death for {calm_for}, but workers are silent, {waiting}")
        } else if self.consumed_since.is_some() {
            format!("looks safe with a canary: {back}no death for {calm_for}, {waiting}")
        } else {
            // Nothing says that somebody would take them now.
            format!("a canary would tell: no death for {calm_for}, {waiting}")
        })
    }

    fn queue_name(&self) -> String {
        let queue = self.queue.as_deref().unwrap_or_default();
        format!("the queue “{}”", visible_within(queue))
    }
}

impl Worked {
    fn says(&self) -> String {
        let Self { at, by, well, again } = self;
        let when = at.format("%Y-%m-%d %H:%M UTC");
        let again = match again {
            0 => String::new(),
            count => format!(", {count} died again"),
        };
        format!("the replay by {} on {when}: {well} did not come back{again}", visible_within(by))
    }
}

fn clock(at: DateTime<Utc>) -> String {
    at.format("%H:%M UTC").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000 + minutes * 60, 0).expect("a time")
    }

    fn said(surroundings: &Surroundings) -> Vec<(&'static str, String)> {
        surroundings.facts(at(0)).into_iter().map(|fact| (fact.label, fact.text)).collect()
    }

    fn orders() -> Surroundings {
        Surroundings {
            queue: Some("orders".to_owned()),
            last_died_at: Some(at(-11)),
            waiting: 63,
            ..Surroundings::default()
        }
    }

    #[test]
    fn nothing_is_said_where_nothing_is_known() {
        assert_eq!(said(&Surroundings::default()), []);
    }

    #[test]
    fn a_queue_without_consumer_is_the_cause_and_no_time_for_a_replay() {
        let silent = (0..5).map(|n| (format!("w{n}"), at(-20))).collect();
        let told = said(&Surroundings { idle_since: Some(at(-30)), silent, ..orders() });
        let [(_, cause), (_, prospect)] = &told[..] else { panic!("{told:?}") };
        assert!(
            cause.starts_with("the queue “orders” has no consumer since 07:30 UTC; worker “w0”"),
            "{cause}"
        );
        assert!(cause.ends_with("2 more workers of it are silent"), "{cause}");
        assert_eq!(prospect, "not yet: nobody would take the messages");
    }

    #[test]
    fn a_replay_looks_safe_once_nothing_has_died_for_some_minutes() {
        let back = Surroundings { consumed_since: Some(at(-20)), ..orders() };
        let safe =
            "looks safe with a canary: consumer back since 07:40 UTC, no death for 11 min, 63 wait";
        assert_eq!(said(&back), [("a replay now", safe.to_owned())]);
        let told = "a canary would tell: no death for 11 min, 63 wait";
        assert_eq!(said(&orders()), [("a replay now", told.to_owned())]);
        let fresh = Surroundings { last_died_at: Some(at(-1)), waiting: 1, ..orders() };
        let early = "too early: the last death was 60 s ago, 1 waits";
        assert_eq!(said(&fresh), [("a replay now", early.to_owned())]);
        let silent = Surroundings { silent: vec![("w1".to_owned(), at(-9))], ..orders() };
        assert!(
            said(&silent)[1].1.starts_with("unclear: no death for 11 min, but workers"),
            "{silent:?}"
        );
    }

    #[test]
    fn what_worked_is_told_with_what_did_not() {
        let worked = Worked { at: at(-60), by: "anna".to_owned(), well: 40, again: 2 };
        let told = said(&Surroundings { worked: Some(worked), ..Surroundings::default() });
        let expected =
            "the replay by anna on 2027-01-15 07:00 UTC: 40 did not come back, 2 died again";
        assert_eq!(told, [("worked last time", expected.to_owned())]);
    }
}
