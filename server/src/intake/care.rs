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
    /// Messages that client libraries refuse and that were kept all the same.
    undecodable: usize,
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
        *self = self.anew();
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
        Self {
            undecodable: self.undecodable,
            ..Self::default()
        }
    }

    /// A session broke: was it for a message that cannot be decoded?
    pub(super) fn broke(&mut self, is_undecodable: bool) {
        *self = if is_undecodable {
            Self {
                before_it: (self.one_by_one && self.in_hand > 0).then_some(self.in_hand),
                one_by_one: true,
                ..self.anew()
            }
        } else {
            self.anew()
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

    #[test]
    fn what_was_kept_is_remembered_over_breaks() {
        let mut care = Care::default();
        assert_eq!(care.remark(), None);
        care.kept_undecodable(2);
        care.broke(true);
        care.relax();
        care.broke(false);
        let remark = care.remark().expect("a remark");
        assert!(remark.contains("2 messages"), "{remark}");
    }
}
