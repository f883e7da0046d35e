//! Replays: their plans, the engine's way through them, and what came of each letter.
//!
//! Everybody who touches the same rows locks them in this order: `unclaimed_letters`, letters by id, then
//! `replay_items`, then `replays`.
//!
//! Letters of a replay are always looked up by a range of positions too, since the planner, which
//! knows nothing of a replay that was made a moment ago, would else walk through all of it.

pub mod approval;
pub mod bodies;
pub mod candidates;
pub(in crate::store) mod claims;
pub mod forgetting;
pub(in crate::store) mod ladder;
mod list;
pub mod marks;
pub mod messages;
pub mod outcomes;
pub mod plan;
pub mod progress;
mod read;
pub mod resuming;
pub mod steer;
pub(in crate::store) mod tries;
pub mod unclaimed;
pub mod unknowns;
pub mod warnings;
pub mod watch;
pub mod work;

#[cfg(test)]
mod tests;

pub use list::{count, page};
pub use read::{items, replay, written_last};

/// The range that holds all of these positions.
pub(super) fn range(positions: &[i32]) -> (i32, i32) {
    let first = positions.iter().min().copied().unwrap_or_default();
    let last = positions.iter().max().copied().unwrap_or(-1);
    (first, last)
}

/// Whether positions, each of which is there once, are all that stand from the first to the last of them.
pub(super) fn are_all_between(positions: &[i32]) -> bool {
    let (first, last) = range(positions);
    usize::try_from(i64::from(last) - i64::from(first) + 1).is_ok_and(|all| all == positions.len())
}
