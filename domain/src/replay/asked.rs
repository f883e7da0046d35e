//! A replay that is asked for.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::canary::{BadCanary, Canary};
use super::shown::{BadPlanToken, PlanToken, ShownPlan};
use super::target::{NoWay, Target};
use crate::changing::{Edit, Transform};
use crate::republish::{BadHeaders, HeaderChanges};
use crate::selection::Selection;

/// The most letters a second that a replay can be held to.
pub const MOST_PER_SECOND: u32 = 100_000;

/// A replay that is asked for.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
#[expect(clippy::struct_excessive_bools, reason = "each is a member of its own in a request")]
pub struct NewReplay {
    /// Which letters; fixed at this moment.
    pub selection: Selection,
    /// Where to.
    #[serde(default)]
    pub target: Target,
    /// At most so many letters a second, 1 to 100,000; as fast as possible when left out.
    #[serde(default)]
    pub rate_per_second: Option<u32>,
    /// A few letters first, and a stop by itself when they come back; all at once when left out.
    #[serde(default)]
    pub canary: Option<Canary>,
    /// The letters of each source in the order in which they arrived last, one at a time: the
    /// replay pauses when one of them does not get through. Slow.
    #[serde(default)]
    pub in_order: bool,
    /// Keeps the time to live that a letter's sender gave it, which is taken off otherwise: a
    /// letter that died of it would die at once.
    #[serde(default)]
    pub keep_expiration: bool,
    /// Begins at this moment. The letters are fixed, and taken, at once.
    #[serde(default)]
    pub start_at: Option<DateTime<Utc>>,
    /// Takes letters too that were replayed as often as the loop cap of the office allows.
    #[serde(default)]
    pub ignore_loop_cap: bool,
    /// Takes letters too whose origin only the message itself claims; they are left out otherwise. Look at
    /// `claimed_origins` of a dry run first: whoever may publish to a source can name any queue.
    #[serde(default)]
    pub claimed_origins: bool,
    /// Leaves out headers of the letters, or sets them.
    #[serde(default)]
    pub headers: HeaderChanges,
    /// Sends what is inside the envelopes that letters are, with its own properties and headers: those that
    /// frameworks put around a message that failed (Sneakers, EasyNetQ), and those that workers expect (CloudEvents,
    /// MassTransit, Debezium, Attune, Laravel). Letters that
    /// are not one are sent as they are. Not together with `transform` or `edit`.
    #[serde(default)]
    pub open_envelopes: bool,
    /// Changes the bodies that are sent.
    #[serde(default)]
    pub transform: Option<Transform>,
    /// Sends another body in place of the letter's; for a selection of exactly one letter.
    #[serde(default)]
    pub edit: Option<Edit>,
    /// Publishes nothing until another person approves it.
    #[serde(default)]
    pub needs_approval: bool,
    /// At most so many letters, such as the `total` that a dry run told: when more would go by now, the
    /// answer is 409, and nothing is made. As many as are chosen when left out.
    #[serde(default)]
    pub expected_letters: Option<u64>,
    /// The `plan` that a dry run told: the replay is made of that plan, or the answer is 409, and nothing is
    /// made. Letters that arrived after the dry run are left out.
    #[serde(default)]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<String>))]
    pub plan: Option<PlanToken>,
    /// Tells what would happen, and does nothing.
    #[serde(default)]
    pub dry_run: bool,
}

/// What is wrong with a replay that is asked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadReplay {
    /// The target.
    #[error("the target cannot be: {0}")]
    Target(#[from] NoWay),
    /// The canary.
    #[error("the canary cannot be: {0}")]
    Canary(#[from] BadCanary),
    /// The headers.
    #[error("the headers cannot be: {0}")]
    Headers(#[from] BadHeaders),
    /// The plan.
    #[error(transparent)]
    Plan(#[from] BadPlanToken),
    /// The rate.
    #[error("`rate_per_second` is 1 to {MOST_PER_SECOND}")]
    Rate,
}

impl NewReplay {
    /// Whether it sends other bodies than those that arrived.
    #[must_use]
    pub fn changes_bodies(&self) -> bool {
        self.transform.is_some() || self.edit.is_some() || self.open_envelopes
    }

    /// Whether it sends other messages than those that arrived, less what is taken off of every one.
    fn changes_messages(&self) -> bool {
        self.changes_bodies() || !self.headers.is_empty()
    }

    /// The same, waiting for a second person where messages are changed and that is the rule.
    #[must_use]
    pub fn under_rule(&self, changes_need_approval: bool) -> Self {
        Self {
            needs_approval: self.needs_approval || changes_need_approval && self.changes_messages(),
            ..self.clone()
        }
    }

    /// How many letters more than expected a plan of so many would replay; nothing where it may be made. A
    /// dry run may hold any number: it tells them.
    #[must_use]
    pub fn beyond_expected(&self, letters: i64) -> Option<u64> {
        let expected = self.expected_letters.filter(|_| !self.dry_run)?;
        let letters = u64::try_from(letters).unwrap_or_default();
        letters.checked_sub(expected).filter(|more| *more > 0)
    }

    /// The plan that it must be; `None` if any will do. A dry run may be of any plan: it tells which.
    ///
    /// # Errors
    /// Returns an error if `plan` is not a token of a plan.
    pub fn shown(&self) -> Result<Option<ShownPlan>, BadPlanToken> {
        let token = self.plan.as_ref().filter(|_| !self.dry_run);
        token.map(PlanToken::read).transpose()
    }

    /// Whether it can be carried out, as far as its letters have no say in it.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), BadReplay> {
        self.target.check()?;
        self.headers.check()?;
        if let Some(canary) = &self.canary {
            canary.check()?;
        }
        self.shown()?;
        match self.rate_per_second {
            Some(rate) if !(1..=MOST_PER_SECOND).contains(&rate) => Err(BadReplay::Rate),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(text: &str) -> Result<NewReplay, serde_json::Error> {
        serde_json::from_str(text)
    }

    #[test]
    fn a_replay_is_asked_for_in_few_words() {
        let all = r#"{"selection":{"all":true,"filter":""}}"#;
        let new = asked(all).expect("a replay");
        let selection = new.selection.clone();
        let usual = NewReplay { selection, ..NewReplay::default() };
        assert_eq!(new, usual);
        assert_eq!(new.check(), Ok(()));
        assert!(asked(r#"{"selection":{"all":true},"rate":5}"#).is_err());
    }

    #[test]
    fn a_replay_that_changes_messages_waits_for_a_second_person_where_that_is_the_rule() {
        let plain = r#"{"selection":{"all":true}}"#;
        let jq = r#"{"selection":{"all":true},"transform":{"jq":"."}}"#;
        let edit = r#"{"selection":{"all":true},"edit":{"body":""}}"#;
        let headers = r#"{"selection":{"all":true},"headers":{"leave_out":["a"]}}"#;
        let asked_for = r#"{"selection":{"all":true},"needs_approval":true}"#;
        for (text, is_rule, waits) in [
            (plain, true, false),
            (jq, true, true),
            (jq, false, false),
            (edit, true, true),
            (edit, false, false),
            (headers, true, true),
            (headers, false, false),
            (asked_for, false, true),
        ] {
            let new = asked(text).expect("a replay");
            assert_eq!(new.under_rule(is_rule).needs_approval, waits, "{text}");
        }
    }

    #[test]
    fn a_plan_of_more_letters_than_were_expected_is_told_from_one_that_may_be_made() {
        let free = NewReplay::default();
        assert_eq!(free.beyond_expected(1_000_000), None);
        let expecting = |expected_letters| NewReplay {
            expected_letters: Some(expected_letters),
            ..NewReplay::default()
        };
        for (expected, letters, more) in
            [(3, 2, None), (3, 3, None), (3, 4, Some(1)), (0, 0, None), (0, 300, Some(300))]
        {
            let asked = expecting(expected);
            assert_eq!(asked.beyond_expected(letters), more, "{expected} {letters}");
        }
        let tried = NewReplay { dry_run: true, ..expecting(3) };
        assert_eq!(tried.beyond_expected(4), None);
        let read = asked(r#"{"selection":{"all":true},"expected_letters":7}"#);
        assert_eq!(read.expect("a replay").expected_letters, Some(7));
        assert!(asked(r#"{"selection":{"all":true},"expected_letters":-1}"#).is_err());
    }

    #[test]
    fn what_cannot_be_carried_out_is_refused() {
        let with = |change: fn(&mut NewReplay)| {
            let mut new = NewReplay::default();
            change(&mut new);
            new.check().expect_err("refused").to_string()
        };
        let rate = with(|new| new.rate_per_second = Some(0));
        assert!(rate.contains("rate_per_second"), "{rate}");
        let canary = with(|new| {
            new.canary = Some(Canary { steps: Vec::new(), ..Canary::default() });
        });
        assert!(canary.contains("1 to 10 steps"), "{canary}");
        let headers = with(|new| {
            new.headers.set.insert("x-death".to_owned(), "a".into());
        });
        assert!(headers.contains("x-death"), "{headers}");
        let target = with(|new| new.target = Target::Queue { queue: String::new() });
        assert!(target.contains("empty"), "{target}");
    }
}
