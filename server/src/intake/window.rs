//! How many messages may be in flight: as many as are configured, but few when they are large,
//! since the client library holds each of them whole.

/// Bodies in flight should not take more than this, in bytes.
const MOST_BYTES_IN_FLIGHT: usize = 64 * 1024 * 1024;

/// A session begins with this many, until it has seen how large its messages are.
pub(super) const FIRST: u16 = 16;

/// The window that suits bodies up to this size.
pub(super) fn suited_to(largest_body: usize, prefetch: u16) -> u16 {
    let fitting = MOST_BYTES_IN_FLIGHT / largest_body.max(1);
    u16::try_from(fitting)
        .unwrap_or(u16::MAX)
        .clamp(1, prefetch.max(1))
}

/// Whether to change from one window to another: at once when it must shrink, and when it may
/// grow fourfold; a stint is not ended for less.
pub(super) fn is_worth_changing(current: u16, suited: u16, prefetch: u16) -> bool {
    suited < current
        || suited >= current.saturating_mul(4)
        || (suited == prefetch && current < prefetch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_messages_get_a_small_window() {
        assert_eq!(suited_to(1024, 300), 300);
        assert_eq!(suited_to(1024 * 1024, 300), 64);
        assert_eq!(suited_to(30 * 1024 * 1024, 300), 2);
        assert_eq!(suited_to(1024 * 1024 * 1024, 300), 1);
        assert_eq!(suited_to(0, 300), 300);
    }

    #[test]
    fn a_stint_is_not_ended_for_little() {
        assert!(is_worth_changing(16, 300, 300));
        assert!(is_worth_changing(300, 64, 300));
        assert!(!is_worth_changing(300, 300, 300));
        assert!(!is_worth_changing(16, 40, 300));
    }
}
