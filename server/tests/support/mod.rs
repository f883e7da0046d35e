//! What the tests share: a vhost of their own on the sandbox's broker, and waiting.

pub mod branch;
pub mod broker;
pub mod consumer;
pub mod cutter;
pub mod desk;
pub mod fleet;
pub mod front;
pub mod frozen;
mod full;
pub mod goal;
pub mod ledger;
pub mod noting;
pub mod odd;
pub mod odd_names;
pub mod office;
pub mod problem;
pub mod process;
pub mod program;
pub mod proxy;
pub mod raw;
pub mod reckoning;
mod samples;
pub mod served;
pub mod small_disk;
pub mod token;

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

/// A variable of the environment.
#[expect(
    clippy::disallowed_methods,
    reason = "tests have no configuration but this"
)]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// A variable that `scripts/with-sandbox` sets.
pub fn needed(name: &str) -> String {
    // Whatever asks over HTTP here needs it, and hardly anything is asked before.
    dlo_server::tls::install_provider();
    variable(name)
        .unwrap_or_else(|| panic!("{name} is not set: run this through scripts/with-sandbox"))
}

/// A number that a person may set in the environment.
pub fn setting(name: &str, usual: usize) -> usize {
    variable(name).map_or(usual, |value| {
        value
            .parse()
            .unwrap_or_else(|_| panic!("{name}={value} is no number"))
    })
}

/// How large a test is: in its short form, and in its full one (`DLO_TEST_FULL=1`).
pub fn sized<T>(short: T, full: T) -> T {
    match variable("DLO_TEST_FULL").as_deref() {
        Some("1") => full,
        _ => short,
    }
}

/// Waits until `check` holds; the test fails with `what` when it does not within `seconds`.
pub async fn until<F: Future<Output = bool>>(what: &str, seconds: u64, check: impl Fn() -> F) {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while !check().await {
        assert!(Instant::now() < deadline, "not within {seconds} s: {what}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
