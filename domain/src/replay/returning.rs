//! Whether a dead letter that carries the marks of a replay is the message that the replay sent. Frameworks
//! copy headers to messages of their own, and an exchange copies one message to many queues: each of these
//! is the last copy of something, and none may take another's place.

use std::fmt;

use super::Outcome;
use crate::state::LetterState;

/// A delivery with the marks of a replay, held beside what that replay sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Returning {
    /// What is known of the publish.
    pub outcome: Outcome,
    /// Where the letter stands.
    pub letter: LetterState,
    /// Whether its body is the one that was sent.
    pub has_same_body: bool,
    /// Whether its message id is the one that was sent; none is one, too.
    pub has_same_id: bool,
}

/// Why a delivery is no return, and so is a letter of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoReturn {
    /// The replay has no such letter.
    NeverSent,
    /// What was sent is back already: this is another copy of it, or was made from it.
    IsBack,
    /// Its body and its message id are others.
    AnotherMessage,
    /// The letter is done, and this is not what was sent.
    IsDone,
}

impl Returning {
    /// Joins what can be nothing but the message that was sent, or that message as its receiver changed
    /// it. Once for each publish, so that of several copies none is lost.
    ///
    /// # Errors
    /// When it has to be a letter of its own.
    pub fn join(self) -> Result<(), NoReturn> {
        let is_done = matches!(self.letter, LetterState::Resolved | LetterState::Discarded)
            || matches!(self.outcome, Outcome::Processed | Outcome::Settled);
        if self.outcome == Outcome::DiedAgain {
            Err(NoReturn::IsBack)
        } else if self.has_same_body {
            Ok(())
        } else if !self.has_same_id {
            Err(NoReturn::AnotherMessage)
        } else if is_done {
            Err(NoReturn::IsDone)
        } else {
            Ok(())
        }
    }
}

impl fmt::Display for NoReturn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NeverSent => "that replay did not send it",
            Self::IsBack => "what that replay sent is back already, so this is another message",
            Self::AnotherMessage => "its body and its message id are not those that were sent",
            Self::IsDone => "that letter is done, and this is not the body that was sent",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: Returning = Returning {
        outcome: Outcome::Confirmed,
        letter: LetterState::Replayed,
        has_same_body: true,
        has_same_id: true,
    };

    #[test]
    fn what_was_sent_comes_back_whatever_was_known_of_it() {
        for outcome in Outcome::ALL {
            let wanted = match outcome {
                Outcome::DiedAgain => Err(NoReturn::IsBack),
                _ => Ok(()),
            };
            assert_eq!(Returning { outcome, ..SENT }.join(), wanted, "{outcome:?}");
        }
        for letter in [LetterState::Resolved, LetterState::Discarded] {
            assert_eq!(Returning { letter, ..SENT }.join(), Ok(()), "{letter:?}");
        }
    }

    #[test]
    fn a_receiver_may_change_the_body_of_what_is_awaited() {
        let changed = Returning { has_same_body: false, ..SENT };
        assert_eq!(changed.join(), Ok(()));
        let renamed = Returning { has_same_id: false, ..SENT };
        assert_eq!(renamed.join(), Ok(()), "the same body under another id");
    }

    #[test]
    fn another_message_with_copied_headers_is_a_letter_of_its_own() {
        let other = Returning { has_same_body: false, has_same_id: false, ..SENT };
        assert_eq!(other.join(), Err(NoReturn::AnotherMessage));
        let late = Returning { has_same_body: false, ..SENT };
        for done in [
            Returning { outcome: Outcome::Settled, ..late },
            Returning { letter: LetterState::Discarded, ..late },
        ] {
            assert_eq!(done.join(), Err(NoReturn::IsDone), "{done:?}");
        }
    }
}
