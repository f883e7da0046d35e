//! Who gets a message that is published to an exchange, by the bindings as they are now.

/// How an exchange chooses among its bindings.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Choice {
    /// The binding key is the routing key.
    Direct,
    /// The binding key is a pattern: words apart by dots, `*` for one word, `#` for any number.
    Topic,
    /// All of them.
    Fanout,
    /// By something else than the key (headers, a plugin): any of them may get it.
    Other,
}

impl Choice {
    /// What an exchange's type means.
    #[must_use]
    pub fn of_type(name: &str) -> Self {
        match name {
            "direct" => Self::Direct,
            "topic" => Self::Topic,
            "fanout" => Self::Fanout,
            _ => Self::Other,
        }
    }

    /// Whether a binding takes a message with this routing key, or may.
    #[must_use]
    pub fn takes(self, binding_key: &str, routing_key: &str) -> bool {
        match self {
            Self::Direct => binding_key == routing_key,
            Self::Topic => matches_topic(binding_key, routing_key),
            Self::Fanout | Self::Other => true,
        }
    }
}

/// Whether a key has a word that a topic exchange takes for a wildcard.
pub(crate) fn has_wildcard(key: &str) -> bool {
    key.split('.').any(|word| word == "#" || word == "*")
}

/// An exchange that is asked who gets one message: binding after binding, and then whether the message
/// goes to its alternate exchange.
#[derive(Debug)]
pub struct Routing<'a> {
    choice: Choice,
    /// The message's key; without one it is a message whose key nobody knows.
    key: Option<&'a str>,
    is_taken: bool,
    is_sure: bool,
}

impl<'a> Routing<'a> {
    /// No binding was looked at yet.
    #[must_use]
    pub fn new(choice: Choice, key: Option<&'a str>) -> Self {
        Self { choice, key, is_taken: false, is_sure: false }
    }

    /// Whether a binding takes the message, or may.
    pub fn takes(&mut self, binding_key: &str) -> bool {
        let takes = match self.key {
            Some(key) => self.choice.takes(binding_key, key),
            // As a direct exchange compares, `#` is a key that nobody uses.
            None => self.choice != Choice::Direct || !has_wildcard(binding_key),
        };
        if takes {
            let takes_all = self.choice == Choice::Topic && binding_key == "#";
            self.is_taken = true;
            self.is_sure |= self.choice == Choice::Fanout || takes_all;
        }
        takes
    }

    /// Whether the message may go to the alternate exchange, once every binding was asked.
    #[must_use]
    pub fn may_be_left(&self) -> bool {
        !self.is_taken || self.choice == Choice::Other || (self.key.is_none() && !self.is_sure)
    }
}

/// Whether a topic pattern matches a routing key.
fn matches_topic(pattern: &str, key: &str) -> bool {
    let pattern: Vec<&str> = words(pattern);
    let key: Vec<&str> = words(key);
    // For each number of words of the key: whether what was read of the pattern matches them.
    let mut reached = vec![false; key.len() + 1];
    reached[0] = true;
    for word in pattern {
        let mut next = vec![false; key.len() + 1];
        for (at, is_reached) in reached.iter().enumerate() {
            match (word, is_reached) {
                (_, false) => {}
                ("#", true) => next[at..].fill(true),
                (_, true) => {
                    if key.get(at).is_some_and(|one| word == "*" || word == *one) {
                        next[at + 1] = true;
                    }
                }
            }
        }
        reached = next;
    }
    reached[key.len()]
}

/// The words of a key; the empty key has none.
fn words(key: &str) -> Vec<&str> {
    if key.is_empty() { Vec::new() } else { key.split('.').collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_pattern_matches_as_in_rabbitmq() {
        for (pattern, key, matches) in [
            ("orders.*", "orders.created", true),
            ("orders.*", "orders", false),
            ("orders.*", "orders.created.eu", false),
            ("orders.#", "orders", true),
            ("orders.#", "orders.created.eu", true),
            ("#", "", true),
            ("#", "a.b", true),
            ("*", "", false),
            ("#.eu", "orders.created.eu", true),
            ("#.eu", "eu", true),
            ("a.#.b.#.c", "a.x.b.c", true),
            ("a.#.b.#.c", "a.x.c", false),
            ("a..b", "a..b", true),
            ("a.*.b", "a..b", true),
            ("#.#", "", true),
        ] {
            let found = Choice::Topic.takes(pattern, key);
            assert_eq!(found, matches, "{pattern} {key}");
        }
    }

    #[test]
    fn a_long_pattern_is_matched_in_time() {
        let pattern = ["#"; 120].join(".");
        let key = ["a"; 120].join(".");
        assert!(Choice::Topic.takes(&pattern, &key));
    }

    #[test]
    fn each_type_chooses_in_its_way() {
        let takes = |name| {
            let choice = Choice::of_type(name);
            [choice.takes("a", "a"), choice.takes("#", "a")]
        };
        assert_eq!(takes("direct"), [true, false]);
        assert_eq!(takes("topic"), [true, true]);
        assert_eq!(takes("fanout"), [true, true]);
        assert_eq!(takes("headers"), [true, true]);
    }
}
