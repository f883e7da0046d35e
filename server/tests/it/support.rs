//! What the tests share: a vhost of their own on the sandbox's broker, and waiting.

pub mod broker;
pub mod desk;
pub mod front;
pub mod office;
pub mod proxy;
pub mod process;
pub mod raw;
pub mod program;

use std::future::Future;
use std::time::Duration;

use tokio::time::Instant;

/// Waits until `check` holds; the test fails with `what` when it does not within `seconds`.
pub async fn until<F: Future<Output = bool>>(what: &str, seconds: u64, check: impl Fn() -> F) {
    let deadline = Instant::now() + Duration::from_secs(seconds);
    while !check().await {
        assert!(Instant::now() < deadline, "not within {seconds} s: {what}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
