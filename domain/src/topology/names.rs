//! What a queue's name says of it. Frameworks and people name the queues where failed messages end alike;
//! a name alone is a hint and no proof.

/// Words that name such queues wherever they stand between separators.
const WORDS: [&str; 12] = [
    "dead",
    "deadletter",
    "deadletters",
    "dlq",
    "dlx",
    "error",
    "errors",
    "failed",
    "failure",
    "failures",
    "parking",
    "skipped",
];

/// The word by which a queue's name says that failed messages end there: `error` of `orders_error` (`MassTransit`)
/// and of `error` (`NServiceBus`), `dlq` of `orders.dlq` (Spring Cloud Stream), `dead` of `orders-dead-letter`,
/// `parking` of `orders.parkingLot`. Nothing for names that only contain it, as `orders.deadlines` does.
#[must_use]
pub fn named_for_failures(name: &str) -> Option<&'static str> {
    let parts = name.split(|c: char| !c.is_ascii_alphanumeric());
    let mut parts = parts.filter(|part| !part.is_empty()).map(humps);
    parts.find_map(|humps| {
        let known = |hump: &String| WORDS.iter().find(|word| hump == *word);
        humps.iter().find_map(known).copied()
    })
}

/// A part as a whole, and its words where it is written `likeThis` or `LikeThis`, in small letters.
fn humps(part: &str) -> Vec<String> {
    let mut all = vec![part.to_ascii_lowercase()];
    let mut begin = 0;
    for (at, pair) in part.as_bytes().windows(2).enumerate() {
        if pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase() {
            all.push(part[begin..=at].to_ascii_lowercase());
            begin = at + 1;
        }
    }
    all.push(part[begin..].to_ascii_lowercase());
    all
}

#[cfg(test)]
mod tests {
    use super::named_for_failures;

    #[test]
    fn names_tell_of_failures_by_whole_words() {
        for (name, word) in [
            ("orders_error", Some("error")),
            ("error", Some("error")),
            ("Orders_Skipped", Some("skipped")),
            ("orders.dlq", Some("dlq")),
            ("attune.dlx.queue", Some("dlx")),
            ("orders-dead-letter", Some("dead")),
            ("ordersDeadLetter", Some("dead")),
            ("orders.deadletter", Some("deadletter")),
            ("orders.parkingLot", Some("parking")),
            ("orders.DLQ", Some("dlq")),
            ("orders.deadlines", None),
            ("terror", None),
            ("orders", None),
            ("", None),
            ("заказы.dead", Some("dead")),
        ] {
            assert_eq!(named_for_failures(name), word, "{name}");
        }
    }
}
