//! Until when the due tries of policies are made, so that they are not looked for there again. Postgres cannot
//! remove their index entries while any transaction may still see them, and a walk over hundreds of thousands
//! of these takes longer than the tries themselves.

use std::collections::BTreeMap;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::ids::PolicyId;

/// So far back is looked, for tries that were left out since somebody else had locked their letters.
const MARGIN: TimeDelta = TimeDelta::seconds(5);

/// Everything is looked through so often: a try may be committed long after it was due.
const FROM_THE_BEGINNING_EVERY: TimeDelta = TimeDelta::seconds(10);

/// What one office knows of the tries that are made.
#[derive(Debug, Default)]
pub(super) struct MadeUntil {
    by_policy: BTreeMap<PolicyId, DateTime<Utc>>,
    /// When everything was last looked through.
    looked_through_at: Option<DateTime<Utc>>,
}

impl MadeUntil {
    /// Forgets everything when it is time to look through all of it.
    pub(super) fn refresh(&mut self, now: DateTime<Utc>) {
        let is_fresh = |at: DateTime<Utc>| (now - at).abs() < FROM_THE_BEGINNING_EVERY;
        if !self.looked_through_at.is_some_and(is_fresh) {
            self.by_policy.clear();
            self.looked_through_at = Some(now);
        }
    }

    /// The tries of a policy that were due until this time are made.
    pub(super) fn note(&mut self, policy: PolicyId, due_at: DateTime<Utc>) {
        self.by_policy.insert(policy, due_at - MARGIN);
    }

    /// From where tries are looked for, by policy; those of other policies from the beginning.
    pub(super) fn by_policy(&self) -> &BTreeMap<PolicyId, DateTime<Utc>> {
        &self.by_policy
    }
}

#[cfg(test)]
mod tests {
    use chrono::{DateTime, TimeDelta, Utc};
    use dlo_domain::ids::PolicyId;
    use uuid::Uuid;

    use super::MadeUntil;

    #[test]
    fn a_policy_goes_on_a_little_before_where_it_was_and_from_the_beginning_in_time() {
        let noon: DateTime<Utc> = "2026-11-27T12:00:00Z".parse().expect("a time");
        let after = |seconds| noon + TimeDelta::seconds(seconds);
        let policy = PolicyId(Uuid::nil());
        let mut until = MadeUntil::default();
        until.refresh(noon);
        until.note(policy, after(-1));
        until.refresh(after(9));
        assert_eq!(until.by_policy().get(&policy), Some(&after(-6)));
        until.refresh(after(10));
        assert!(until.by_policy().is_empty());

        // A clock that is set back looks through everything, too.
        until.note(policy, after(9));
        until.refresh(after(-60));
        assert!(until.by_policy().is_empty());
    }
}
