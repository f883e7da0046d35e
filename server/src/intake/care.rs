//! How carefully messages are taken. A message that the client library cannot decode breaks a
//! session with everything in flight, so after such a break they are taken one by one, until it
//! is known where it stands, or that it is gone.

/// What the sessions of a source know of a message that cannot be decoded.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Care {
    one_by_one: bool,
    /// Messages that can be fetched before it.
    before_it: Option<usize>,
    /// Messages in hand that this session fetched one by one.
    in_hand: usize,
}

impl Care {
    /// Whether messages are to be taken one by one.
    pub(super) fn is_needed(self) -> bool {
        self.one_by_one
    }

    /// Whether it stands at the head of the queue: nothing came before it.
    pub(super) fn is_at_its_door(self) -> bool {
        self.one_by_one && self.in_hand == 0
    }

    /// Whether what is in hand must be settled before more is fetched.
    pub(super) fn is_enough(self) -> bool {
        self.one_by_one && self.before_it.is_some_and(|most| self.in_hand >= most)
    }

    /// One more was fetched.
    pub(super) fn fetched(&mut self) {
        self.in_hand += 1;
    }

    /// What was in hand is stored and acknowledged.
    pub(super) fn settled(&mut self) {
        self.in_hand = 0;
        self.before_it = None;
    }

    /// So many were taken without a fault that it cannot have been among them.
    pub(super) fn relax(&mut self) {
        *self = Self::default();
    }

    /// A session broke: was it for a message that cannot be decoded?
    pub(super) fn broke(&mut self, is_undecodable: bool) {
        *self = if is_undecodable {
            Self {
                before_it: (self.one_by_one && self.in_hand > 0).then_some(self.in_hand),
                one_by_one: true,
                in_hand: 0,
            }
        } else {
            Self::default()
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_found_by_what_can_be_fetched_before_it() {
        let mut care = Care::default();
        assert!(!care.is_at_its_door(), "it may stand anywhere");
        care.broke(true);
        for _ in 0..3 {
            assert!(!care.is_enough());
            care.fetched();
        }
        care.broke(true);
        for _ in 0..3 {
            assert!(!care.is_enough());
            care.fetched();
        }
        assert!(care.is_enough());
        care.settled();
        assert!(care.is_at_its_door());
        care.broke(true);
        assert!(care.is_at_its_door());
    }

    #[test]
    fn it_is_forgotten_when_something_else_breaks() {
        let mut care = Care::default();
        care.broke(true);
        care.broke(false);
        assert!(!care.is_needed());
    }
}
