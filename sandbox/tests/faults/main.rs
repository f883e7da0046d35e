//! The sandbox with real servers, and the simulated fleet. One program, so that their tests run side by side.

mod fleet;
#[expect(clippy::unwrap_used, reason = "a test ends at the first answer that it did not expect")]
mod servers;
