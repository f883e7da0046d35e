//! Workers: their heartbeats, what the monitor makes of their silence, and how they are shown. What
//! a silence means is `dlo_domain::worker`'s.

pub mod beats;
pub mod consumers;
mod deaths;
mod list;
pub mod monitor;
pub mod probes;
pub mod watches;

pub use list::{Wanted, activate, drain, kinds, one, page};

use dlo_domain::worker::WorkerState;

use super::StoreError;

pub(in crate::store) fn state(word: &str) -> Result<WorkerState, StoreError> {
    word.parse().map_err(|why| StoreError::corrupt("workers", "state", why))
}
