//! The fleet: takes the heartbeats of workers, and says which of them have fallen silent.
//!
//! A silence is measured in the time in which heartbeats could be heard (`dlo_domain::worker::Watch`),
//! one for each way that they come by: so neither a server that stands still nor a clock that is set
//! holds anybody for dead.

mod beats;
mod hearing;
mod monitor;
mod probing;
#[cfg(test)]
mod tests;

pub use beats::{BeatError, Beats};
pub use hearing::{Hearing, way_of};
pub use monitor::{LOOK_EVERY, Monitor, Part};
pub use probing::{PROBE_ALLOW, PROBE_WITHIN, Prober};

/// The way of heartbeats over HTTP.
pub const HTTP: &str = "http";
