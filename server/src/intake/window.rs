//! How many messages may be in flight: as many as are configured, but few when they are large,
//! since the client library holds each of them whole.
//!
//! How large a message is shows when it is here. A session takes the first one by itself, goes on with a window
//! that suits it, and with more of them step by step, as long as the bodies that it saw fit.

/// Bodies in flight should not take more than this, in bytes.
const MOST_BYTES_IN_FLIGHT: usize = 16 * 1024 * 1024;

/// How many times as large a window may become at once.
const GROWTH: u16 = 8;

/// The largest body that is to be expected after a batch: a large one is remembered for a while, since others
/// may follow between small ones.
pub(super) fn expected(before: usize, largest_of_batch: usize) -> usize {
    largest_of_batch.max(before - before.div_ceil(16))
}

/// The window to go on with, if it is worth ending a stint for: at once when it must shrink, and when it may grow
/// fourfold or as far as it may at all.
pub(super) fn next(current: u16, largest_body: usize, prefetch: u16) -> Option<u16> {
    let suited = suited_to(largest_body, prefetch);
    let next = suited.min(current.saturating_mul(GROWTH));
    let grows = next >= current.saturating_mul(4) || (next == prefetch && current < prefetch);
    (next < current || grows).then_some(next)
}

/// How many messages are stored and acknowledged at once: while they are, the others of the window come.
pub(super) const fn half(window: u16) -> usize {
    window.div_ceil(2) as usize
}

/// The window that suits bodies up to this size.
fn suited_to(largest_body: usize, prefetch: u16) -> u16 {
    let fitting = MOST_BYTES_IN_FLIGHT / largest_body.max(1);
    u16::try_from(fitting).unwrap_or(u16::MAX).clamp(1, prefetch.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_messages_get_a_small_window() {
        assert_eq!(suited_to(1024, 300), 300);
        assert_eq!(suited_to(1024 * 1024, 300), 16);
        assert_eq!(suited_to(7 * 1024 * 1024, 300), 2);
        assert_eq!(suited_to(30 * 1024 * 1024, 300), 1);
        assert_eq!(suited_to(1024 * 1024 * 1024, 300), 1);
        assert_eq!(suited_to(0, 300), 300);
    }

    #[test]
    fn a_session_begins_with_few_and_grows_step_by_step() {
        let mut window = 1;
        let mut windows = vec![window];
        while let Some(next) = next(window, 1_024, 2_000) {
            window = next;
            windows.push(window);
        }
        assert_eq!(windows, [1, 8, 64, 512, 2_000]);
        assert_eq!(next(1, 100_000_000, 2_000), None);
    }

    #[test]
    fn what_is_stored_at_once_leaves_room_for_the_others() {
        for window in [1, 2, 7, 248, u16::MAX] {
            let others = usize::from(window) - half(window);
            assert!(half(window) - others <= 1, "{window}");
        }
        assert_eq!(half(1), 1);
    }

    #[test]
    fn a_stint_is_not_ended_for_little() {
        assert_eq!(next(300, 1024 * 1024, 300), Some(16));
        assert_eq!(next(300, 1_024, 300), None);
        assert_eq!(next(10, 1_600_000, 300), None);
        assert_eq!(next(100, 1_024, 300), Some(300));
    }

    #[test]
    fn a_large_body_is_remembered_for_a_while() {
        let mut largest = expected(0, 100_000_000);
        for _ in 0..10 {
            largest = expected(largest, 1_000);
        }
        assert!(largest > 50_000_000, "{largest}");
        for _ in 0..250 {
            largest = expected(largest, 1_000);
        }
        assert_eq!(largest, 1_000);
    }
}
