//! The states of a letter and what moves it from one to the next.
//!
//! This is the only place that decides whether a change is allowed. The store repeats the state
//! it expects in its `WHERE`, so that two people (or two offices) cannot make the same change.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Where a letter stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum LetterState {
    /// Waits for a decision.
    Held,
    /// A retry policy will replay it when it is due.
    Scheduled,
    /// A replay owns it; a publish may be under way.
    Claimed,
    /// The broker confirmed it and returned nothing.
    Replayed,
    /// It may or may not be in a queue: the outcome of its last replay says why.
    Unknown,
    /// Done.
    Resolved,
    /// Put away, with who and why.
    Discarded,
}

/// What happens to a letter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Change {
    /// A retry policy plans a replay.
    Schedule,
    /// A retry policy lets go.
    Unschedule,
    /// A replay takes it.
    Claim,
    /// It was not published; the replay says why, and gives it back.
    Refuse,
    /// The broker confirmed the publish without returning the message.
    Confirm,
    /// The publish was cut off, or its answer does not say where the letter is.
    LoseTrack,
    /// A person says of an unknown publish that it did not happen.
    DeclareUnpublished,
    /// A person says of an unknown publish that it did happen.
    DeclarePublished,
    /// Its message came back to a source.
    DieAgain,
    /// Somebody reports that it was processed, or the watch after a replay ran out.
    Settle,
    /// A person puts it away.
    Discard,
    /// A person takes it back.
    Restore,
}

/// The change is not allowed from this state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a letter that is {from} cannot be {}", .change.participle())]
pub struct Refusal {
    /// Where the letter stands.
    pub from: LetterState,
    /// What was asked.
    pub change: Change,
}

impl LetterState {
    /// Every state, in the order that people meet them.
    pub const ALL: [Self; 7] = [
        Self::Held,
        Self::Scheduled,
        Self::Claimed,
        Self::Replayed,
        Self::Unknown,
        Self::Resolved,
        Self::Discarded,
    ];

    /// The state after `change`.
    ///
    /// # Errors
    /// `Refusal` when the change is not allowed from here.
    pub fn after(self, change: Change) -> Result<Self, Refusal> {
        use Change as C;
        use LetterState as S;
        match (self, change) {
            // A scheduled letter that is back keeps its plan.
            (S::Held, C::Schedule) | (S::Scheduled, C::DieAgain) => Ok(S::Scheduled),
            (S::Held | S::Scheduled, C::Claim) => Ok(S::Claimed),
            (S::Claimed, C::Confirm) | (S::Unknown, C::DeclarePublished) => Ok(S::Replayed),
            (S::Claimed, C::LoseTrack) => Ok(S::Unknown),
            (S::Held | S::Replayed, C::Settle) => Ok(S::Resolved),
            (S::Held | S::Scheduled, C::Discard) => Ok(S::Discarded),
            // It is back, whatever we thought of it: a death is never hidden. A claimed letter
            // can be back before its confirm was recorded.
            (_, C::DieAgain)
            | (S::Scheduled, C::Unschedule)
            | (S::Claimed, C::Refuse)
            | (S::Unknown, C::DeclareUnpublished)
            | (S::Discarded, C::Restore) => Ok(S::Held),
            (from, change) => Err(Refusal { from, change }),
        }
    }

    /// The states from which `change` is allowed: what a bulk change names in its `WHERE`.
    #[must_use]
    pub fn allowing(change: Change) -> Vec<Self> {
        Self::ALL.into_iter().filter(|state| state.after(change).is_ok()).collect()
    }

    /// The word in SQL, JSON, URLs and on the screen.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Held => "held",
            Self::Scheduled => "scheduled",
            Self::Claimed => "claimed",
            Self::Replayed => "replayed",
            Self::Unknown => "unknown",
            Self::Resolved => "resolved",
            Self::Discarded => "discarded",
        }
    }
}

impl Change {
    /// Every change.
    pub const ALL: [Self; 12] = [
        Self::Schedule,
        Self::Unschedule,
        Self::Claim,
        Self::Refuse,
        Self::Confirm,
        Self::LoseTrack,
        Self::DeclareUnpublished,
        Self::DeclarePublished,
        Self::DieAgain,
        Self::Settle,
        Self::Discard,
        Self::Restore,
    ];

    fn participle(self) -> &'static str {
        match self {
            Self::Schedule => "scheduled",
            Self::Unschedule => "unscheduled",
            Self::Claim => "replayed",
            Self::Refuse => "given back",
            Self::Confirm => "confirmed",
            Self::LoseTrack => "lost track of",
            Self::DeclareUnpublished => "declared unpublished",
            Self::DeclarePublished => "declared published",
            Self::DieAgain => "dead again",
            Self::Settle => "settled",
            Self::Discard => "discarded",
            Self::Restore => "restored",
        }
    }
}

impl fmt::Display for LetterState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The word names no state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a state: use held, scheduled, claimed, replayed, unknown, resolved or discarded"
)]
pub struct UnknownState(pub String);

impl FromStr for LetterState {
    type Err = UnknownState;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|state| state.as_str() == word)
            .ok_or_else(|| UnknownState(word.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// design.md §5 as a table; a death moves from anywhere, which `a_death_is_never_hidden` holds.
    const ALLOWED: &[(LetterState, Change, LetterState)] = &[
        (LetterState::Held, Change::Schedule, LetterState::Scheduled),
        (LetterState::Held, Change::Claim, LetterState::Claimed),
        (LetterState::Held, Change::Discard, LetterState::Discarded),
        (LetterState::Held, Change::Settle, LetterState::Resolved),
        (LetterState::Scheduled, Change::Claim, LetterState::Claimed),
        (LetterState::Scheduled, Change::Unschedule, LetterState::Held),
        (LetterState::Scheduled, Change::Discard, LetterState::Discarded),
        (LetterState::Claimed, Change::Confirm, LetterState::Replayed),
        (LetterState::Claimed, Change::Refuse, LetterState::Held),
        (LetterState::Claimed, Change::LoseTrack, LetterState::Unknown),
        (LetterState::Replayed, Change::Settle, LetterState::Resolved),
        (LetterState::Unknown, Change::DeclareUnpublished, LetterState::Held),
        (LetterState::Unknown, Change::DeclarePublished, LetterState::Replayed),
        (LetterState::Discarded, Change::Restore, LetterState::Held),
    ];

    #[test]
    fn every_pair_of_state_and_change_is_as_designed() {
        for state in LetterState::ALL {
            for change in Change::ALL.into_iter().filter(|c| *c != Change::DieAgain) {
                let wanted = ALLOWED
                    .iter()
                    .find(|(from, by, _)| (*from, *by) == (state, change))
                    .map(|(_, _, to)| *to);
                assert_eq!(state.after(change).ok(), wanted, "{state} {change:?}");
            }
        }
    }

    #[test]
    fn a_death_is_never_hidden() {
        for state in LetterState::ALL {
            let after = state.after(Change::DieAgain).expect("always allowed");
            let keeps_its_plan = state == LetterState::Scheduled;
            assert_eq!(
                after,
                if keeps_its_plan { LetterState::Scheduled } else { LetterState::Held }
            );
        }
    }

    #[test]
    fn nothing_is_replayed_without_a_confirm() {
        let into_replayed: Vec<_> = LetterState::ALL
            .into_iter()
            .flat_map(|from| Change::ALL.map(|change| (from, change)))
            .filter(|(from, change)| from.after(*change) == Ok(LetterState::Replayed))
            .collect();
        assert_eq!(
            into_replayed,
            [
                (LetterState::Claimed, Change::Confirm),
                (LetterState::Unknown, Change::DeclarePublished),
            ]
        );
    }

    #[test]
    fn words_round_trip() {
        for state in LetterState::ALL {
            assert_eq!(state.as_str().parse(), Ok(state));
        }
        assert!("dead".parse::<LetterState>().is_err());
    }

    #[test]
    fn a_refusal_reads_as_a_sentence() {
        let refusal = LetterState::Discarded.after(Change::Claim).expect_err("refused");
        assert_eq!(refusal.to_string(), "a letter that is discarded cannot be replayed");
    }
}
