//! The search for letters whose publish is unknown, in the queues that they were sent to.
//!
//! It takes every message of a queue into hand and gives it back, so it is made only where that loses none.

use serde::{Deserialize, Serialize};

use crate::delivery_limit::DeliveryLimit;
use crate::topology::{Effective, Queue, QueueKind, Vhost};

/// Messages that are taken into hand at once, at most. A queue with more is not searched.
pub const MOST_SEARCHED: u32 = 10_000;

/// What a search for the unknown letters of a replay found, or would look into.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LetterSearch {
    /// Whether it only tells what it would look into.
    pub dry_run: bool,
    /// Letters of the replay that were unknown before it.
    pub unknown: i64,
    /// Those of them that went to an exchange, or whose queue is not among `queues`: they are not looked for.
    pub elsewhere: i64,
    /// Letters that were found: they are confirmed now.
    pub found: i64,
    /// The queues that they were sent to, those of most letters first; at most 20.
    pub queues: Vec<SearchedQueue>,
}

/// A queue that unknown letters were sent to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SearchedQueue {
    /// The broker's name in the configuration.
    pub broker: String,
    /// The vhost.
    pub vhost: String,
    /// The queue.
    pub queue: String,
    /// Letters that were unknown before, and were sent there.
    pub unknown: i64,
    /// Messages that wait in it; absent where nobody says.
    pub messages: Option<u32>,
    /// Why it is not searched, or was not read to its end; absent where it can be, or was.
    pub refused: Option<String>,
    /// Messages that were looked at and given back.
    pub looked_at: u32,
    /// Letters that were found there.
    pub found: i64,
}

/// What is in a queue, by the broker's own word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct QueueContent {
    /// Messages that wait.
    pub messages: u32,
    /// Its consumers.
    pub consumers: u32,
}

/// Why a queue is not searched; `None` where every message can be taken into hand and given back.
#[must_use]
pub fn search_refusal(vhost: &Vhost, queue: &Queue, content: QueueContent) -> Option<String> {
    if !matches!(queue.kind, QueueKind::Classic | QueueKind::Quorum) {
        return Some(format!(
            "messages of a queue of the type {} stay there when they are read, so it is not searched",
            queue.kind.as_str()
        ));
    }
    match DeliveryLimit::of(vhost, queue) {
        DeliveryLimit::Unlimited => {}
        DeliveryLimit::Limited(limit) => {
            return Some(format!(
                "the queue drops a message that comes back too often (its delivery limit is {limit}), and a search \
                 lets each come back once"
            ));
        }
        DeliveryLimit::Unknown => {
            return Some(
                "it is not known whether the queue drops a message that comes back too often"
                    .to_owned(),
            );
        }
    }
    let set = Effective::of(vhost, queue);
    if set.max_length.is_some() || set.max_length_bytes.is_some() {
        return Some(
            "the queue has a maximum length: what is published during a search could push messages out when they \
             are given back"
                .to_owned(),
        );
    }
    match content {
        QueueContent { consumers: 1.., .. } => {
            Some("the queue has consumers: what is not in it any more, they may have".to_owned())
        }
        QueueContent { messages, .. } if messages > MOST_SEARCHED => Some(format!(
            "{messages} messages wait in the queue, and a search takes at most {MOST_SEARCHED} into hand"
        )),
        QueueContent { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::topology::{Answers, read_now};

    fn refusal(version: &str, queue: Value, content: (u32, u32)) -> Option<String> {
        let answers = Answers {
            version: Some(version.to_owned()),
            queues: vec![queue],
            policies: Some(Vec::new()),
            operator_policies: Some(Vec::new()),
            ..Answers::default()
        };
        let vhost = read_now(&answers);
        let (messages, consumers) = content;
        search_refusal(&vhost, &vhost.queues[0], QueueContent { messages, consumers })
    }

    #[test]
    fn a_queue_is_searched_where_everything_can_be_given_back() {
        let classic = json!({"name": "q", "type": "classic"});
        let quorum = json!({"name": "q", "type": "quorum"});
        let endless = json!({"name": "q", "type": "quorum", "delivery_limit": -1});
        assert_eq!(refusal("3.10.8", classic, (10_000, 0)), None);
        assert_eq!(refusal("3.10.8", quorum, (1, 0)), None);
        assert_eq!(refusal("4.3.6", endless, (1, 0)), None);
    }

    #[test]
    fn a_queue_that_could_lose_a_message_is_not() {
        let classic = || json!({"name": "q", "type": "classic"});
        let with =
            |arguments: Value| json!({"name": "q", "type": "classic", "arguments": arguments});
        for (version, queue, content, why) in [
            ("4.3.6", json!({"name": "q", "type": "quorum"}), (1, 0), "delivery limit is 20"),
            ("3.10.8", json!({"name": "q", "type": "stream"}), (1, 0), "type stream"),
            ("3.10.8", with(json!({"x-max-length": 5})), (1, 0), "maximum length"),
            ("3.10.8", with(json!({"x-max-length-bytes": 5})), (1, 0), "maximum length"),
            ("3.10.8", classic(), (1, 1), "consumers"),
            ("3.10.8", classic(), (10_001, 0), "10001 messages"),
        ] {
            let told = refusal(version, queue, content).expect(why);
            assert!(told.contains(why), "{told}");
        }
    }
}
