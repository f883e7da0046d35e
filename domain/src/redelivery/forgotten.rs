//! What a killed broker gives back although it was acknowledged: it answers for acknowledgements
//! before they are on its disk, and forgets its marks with them.
//!
//! What comes then may be a copy that was never delivered, and no order, number or likelihood tells: without an id
//! of its own it is in doubt.

use std::collections::HashMap;

use super::Redelivery;
use crate::fingerprint::Fingerprint;

/// Contents whose acknowledgement a broker may have forgotten, with how often each was acknowledged.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Acknowledged(HashMap<Fingerprint, usize>);

/// What is known of a message that came after a broker may have been killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Forgotten {
    /// Nothing like it was acknowledged.
    No,
    /// It may be one that was.
    Perhaps,
    /// It is one that was: it is stored.
    Yes,
}

impl Acknowledged {
    /// So much of what was acknowledged.
    pub fn extend(&mut self, contents: &[Fingerprint]) {
        for content in contents {
            *self.0.entry(*content).or_default() += 1;
        }
    }

    /// Whether something of this content was acknowledged.
    #[must_use]
    pub fn has(&self, content: &Fingerprint) -> bool {
        self.0.contains_key(content)
    }

    /// Says of a message whether the broker forgot that it was acknowledged. Asked once for each that comes.
    pub fn ask(&mut self, message: Redelivery) -> Forgotten {
        let Some(times) = self.0.get_mut(&message.content) else {
            return Forgotten::No;
        };
        if !message.has_id || *times != 1 {
            return Forgotten::Perhaps;
        }
        // Another one of this id is a copy.
        *times = 0;
        Forgotten::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is said of messages of one content, after it was acknowledged so often.
    fn said(times: usize, has_id: bool, came: usize) -> Vec<Forgotten> {
        let message = Redelivery { content: Fingerprint([7; 16]), has_id };
        let mut acknowledged = Acknowledged::default();
        acknowledged.extend(&vec![message.content; times]);
        (0..came).map(|_| acknowledged.ask(message)).collect()
    }

    #[test]
    fn a_message_with_an_id_of_its_own_is_known_again_once() {
        assert_eq!(said(1, true, 2), [Forgotten::Yes, Forgotten::Perhaps]);
    }

    #[test]
    fn copies_are_in_doubt_whatever_their_id() {
        assert_eq!(said(2, true, 1), [Forgotten::Perhaps]);
        assert_eq!(said(1, false, 1), [Forgotten::Perhaps]);
    }

    #[test]
    fn what_was_never_acknowledged_was_not_forgotten() {
        assert_eq!(said(0, true, 1), [Forgotten::No]);
    }
}
