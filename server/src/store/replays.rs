//! Replays: their plans, the engine's way through them, and what came of each letter.
//!
//! Everybody who touches the same rows locks them in this order: letters by id, then
//! `replay_items`, then `replays`.

pub mod outcomes;
pub mod plan;
mod read;
pub mod watch;
pub mod work;

pub use read::{count, items, page, replay};
