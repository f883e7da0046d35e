//! What the broker's mark of a redelivery proves.

use crate::arrival::Delivered;
use crate::delivery_limit::COUNTS;

/// Whether the message was certainly delivered from this queue before, to a session that had it.
///
/// A classic queue marks nothing else. A quorum queue marks more: what was on its way to a consumer that was
/// cancelled (`rabbit_fifo_client:handle_delivery` of RabbitMQ 3.10 and 4.3 returns it, though nobody ended),
/// and since 4.3 the first delivery of a message that died in another quorum queue, whose counts it takes over.
/// It is told apart by its counts, without which it marks nothing (`add_delivery_count_header` there).
#[must_use]
pub fn is_certainly_redelivered(delivered: &Delivered) -> bool {
    let is_counted = |name| delivered.headers.get(name).is_some();
    delivered.redelivered && !COUNTS.into_iter().any(is_counted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FieldValue;

    fn delivered(redelivered: bool, count: Option<&str>) -> Delivered {
        let mut delivered = Delivered { redelivered, ..Delivered::default() };
        if let Some(name) = count {
            delivered.headers.set(name, FieldValue::LongLongInt(1));
        }
        delivered
    }

    #[test]
    fn a_classic_queues_mark_is_believed_and_a_quorum_queues_is_not() {
        assert!(is_certainly_redelivered(&delivered(true, None)));
        assert!(!is_certainly_redelivered(&delivered(false, None)));
        for count in COUNTS {
            assert!(!is_certainly_redelivered(&delivered(true, Some(count))));
        }
    }
}
