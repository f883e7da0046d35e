//! What the broker's mark of a redelivery proves.

use crate::arrival::Delivered;
use crate::wire::FieldValue;

/// Whether the message was certainly delivered from this queue before.
///
/// Since RabbitMQ 4.3 a quorum queue takes over the counts that a message had in the queue in which
/// it died, and marks it with them when it is delivered for the first time. From the second time on
/// its count of acquisitions begins anew, and falls below that of failures.
#[must_use]
pub fn is_certainly_redelivered(delivered: &Delivered) -> bool {
    let count = |name| {
        delivered
            .headers
            .get(name)
            .and_then(FieldValue::as_integer)
            .unwrap_or_default()
    };
    let acquired = count("x-acquired-count");
    let may_be_taken_over = acquired > 0
        && acquired >= count("x-delivery-count")
        && delivered.headers.get("x-death").is_some();
    delivered.redelivered && !may_be_taken_over
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delivered(acquired: i64, failed: i64) -> Delivered {
        let mut delivered = Delivered {
            redelivered: true,
            ..Delivered::default()
        };
        let mut count = |name, count| {
            if count > 0 {
                delivered.headers.set(name, FieldValue::LongLongInt(count));
            }
        };
        count("x-acquired-count", acquired);
        count("x-delivery-count", failed);
        delivered
    }

    #[test]
    fn counts_of_the_queue_in_which_it_died_prove_nothing() {
        let mut first = delivered(3, 3);
        assert!(is_certainly_redelivered(&first), "it did not die anywhere");
        first.headers.set("x-death", FieldValue::Array(Vec::new()));
        assert!(!is_certainly_redelivered(&first));
        let mut again = delivered(1, 3);
        again.headers.set("x-death", FieldValue::Array(Vec::new()));
        assert!(is_certainly_redelivered(&again));
    }

    #[test]
    fn a_broker_that_takes_nothing_over_is_believed() {
        let mut again = delivered(0, 2);
        again.headers.set("x-death", FieldValue::Array(Vec::new()));
        assert!(is_certainly_redelivered(&again));
        again.redelivered = false;
        assert!(!is_certainly_redelivered(&again));
    }
}
