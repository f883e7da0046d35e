//! What the tests share: a vhost of their own on the sandbox's broker, and waiting.

pub mod background;
pub mod broker;
pub mod company;
pub mod consumer;
pub mod database;
pub mod desk;
pub mod fleet;
pub mod front;
pub mod odd_names;
pub mod office;
pub mod problem;
pub mod program;
pub mod raw;
pub mod receiver;
pub mod reckoning;
pub mod retries;
pub mod rules;
pub mod slack;
pub mod token;
pub mod topology;
pub mod transform;
pub mod yard;

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

/// A variable of the environment.
#[expect(clippy::disallowed_methods, reason = "tests have no configuration but this")]
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

/// How long a test waits for what must come. It says only when a test gives up: however slow the machine is,
/// the answer is the same. The browser tests wait as long (`end2end/fixtures/patience.ts`).
pub fn patience() -> Duration {
    let seconds = variable("DLO_TEST_PATIENCE_SECS");
    Duration::from_secs(seconds.map_or(120, |text| text.parse().expect("seconds")))
}

/// Waits until `check` holds; the test fails with `what` if it does not in [`patience`].
pub async fn until<F: Future<Output = bool>>(what: &str, check: impl Fn() -> F) {
    until_within(what, patience(), check).await;
}

/// Waits until `check` holds; the test fails with `what` if it does not in this time.
pub async fn until_within<F: Future<Output = bool>>(
    what: &str,
    limit: Duration,
    check: impl Fn() -> F,
) {
    let deadline = Instant::now() + limit;
    while !check().await {
        assert!(Instant::now() < deadline, "not within {limit:?}: {what}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
