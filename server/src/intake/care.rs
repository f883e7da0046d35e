//! How carefully messages are taken. A message that the client library cannot decode breaks a
//! session with everything in flight, so after such a break they are taken one by one, until it
//! is known where it stands, or that it is gone.

/// What the sessions of a source know of a message that cannot be decoded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Care {
    one_by_one: bool,
    /// Messages in hand.
    in_hand: usize,
    /// Messages that were taken one by one without a fault.
    taken: usize,
    /// Messages that client libraries refuse and that were kept all the same.
    undecodable: usize,
}

/// After so many messages, taken one by one, a message that cannot be decoded is not expected any
/// more. If it comes all the same, it is a few messages nearer.
const CALM_AFTER: usize = 32;

impl Care {
    /// Whether messages are to be taken one by one.
    pub(super) fn is_needed(self) -> bool {
        self.one_by_one
    }

    /// Whether it stands at the head of the queue: nothing came before it.
    pub(super) fn is_at_its_door(self) -> bool {
        self.one_by_one && self.in_hand == 0
    }

    /// So many are in hand by now.
    pub(super) fn has_in_hand(&mut self, messages: usize) {
        self.in_hand = messages;
    }

    /// What was in hand is stored and acknowledged. Returns whether so many were taken one by one
    /// that the message cannot be among the next.
    pub(super) fn settled(&mut self, messages: usize) -> bool {
        self.in_hand = 0;
        if !self.one_by_one {
            return false;
        }
        self.taken += messages;
        if self.taken < CALM_AFTER {
            return false;
        }
        *self = self.anew();
        true
    }

    /// So many more were read from their octets.
    pub(super) fn kept_undecodable(&mut self, count: usize) {
        self.undecodable += count;
    }

    /// What people should know of them.
    pub(super) fn remark(self) -> Option<String> {
        let what = match self.undecodable {
            0 => return None,
            1 => "1 message".to_owned(),
            count => format!("{count} messages"),
        };
        Some(format!(
            "Kept since this office started: {what} that client libraries cannot decode. Each is a \
             letter, byte for byte, with a note of what is wrong."
        ))
    }

    /// Nothing is known of where one stands.
    fn anew(self) -> Self {
        Self { undecodable: self.undecodable, ..Self::default() }
    }

    /// A session broke: was it for a message that cannot be decoded?
    pub(super) fn broke(&mut self, is_undecodable: bool) {
        *self = if is_undecodable { Self { one_by_one: true, ..self.anew() } } else { self.anew() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_when_nothing_is_in_hand_before_it() {
        let mut care = Care::default();
        assert!(!care.is_at_its_door(), "it may stand anywhere");
        care.broke(true);
        care.has_in_hand(1);
        assert!(!care.is_at_its_door());
        assert!(!care.settled(1));
        assert!(care.is_at_its_door());
        care.broke(true);
        assert!(care.is_at_its_door());
    }

    #[test]
    fn it_is_not_expected_after_many_messages() {
        let mut care = Care::default();
        care.broke(true);
        for _ in 1..CALM_AFTER {
            assert!(!care.settled(1));
        }
        assert!(care.settled(1));
        assert!(!care.is_needed());
    }

    #[test]
    fn it_is_forgotten_when_something_else_breaks() {
        let mut care = Care::default();
        care.broke(true);
        care.broke(false);
        assert!(!care.is_needed());
    }

    #[test]
    fn what_was_kept_is_remembered_over_breaks() {
        let mut care = Care::default();
        assert_eq!(care.remark(), None);
        care.kept_undecodable(2);
        care.broke(true);
        assert!(care.settled(CALM_AFTER));
        care.broke(false);
        let remark = care.remark().expect("a remark");
        assert!(remark.contains("2 messages"), "{remark}");
    }
}
