//! What breaks things: offices as processes, proxies that cut connections, servers that are frozen, a disk that
//! is full; and the rows of the reliability goals.

pub mod branch;
pub mod cutter;
pub mod frozen;
pub mod goal;
pub mod heartbeats;
pub mod ledger;
pub mod odd;
pub mod poison;
pub mod process;
pub mod program;
pub mod proxy;
pub mod reckoning;
pub mod served;
pub mod small_disk;

use crate::support::variable;

/// A number that a person may set in the environment.
pub fn setting(name: &str, usual: usize) -> usize {
    variable(name).map_or(usual, |value| {
        value.parse().unwrap_or_else(|_| panic!("{name}={value} is no number"))
    })
}

/// How large a test is: in its short form, and in its full one (`DLO_TEST_FULL=1`).
pub fn sized<T>(short: T, full: T) -> T {
    match variable("DLO_TEST_FULL").as_deref() {
        Some("1") => full,
        _ => short,
    }
}
