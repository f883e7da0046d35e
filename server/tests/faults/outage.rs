//! The servers themselves are killed while intake or a replay works: nothing is lost, nothing is doubled, and
//! it goes on by itself. Each test has servers of its own, so that it may kill them.

use std::time::Duration;

use crate::harness::sized;

mod broker;
mod broker_in_replay;
mod clock_steps;
mod cuts;
mod database_away;
mod disk_full;
mod postgres;

/// How soon intake must be at work again when a server is back, in seconds. The goal is 5 on a
/// machine that does nothing else; a test that shares its machine must not fail for that.
const RESUMES_WITHIN: u64 = 20;

/// How long a test waits for a connection of its own.
const PATIENCE: Duration = Duration::from_secs(2);

/// The goal itself, which `make test-full` holds intake to.
const GOAL_RESUMES_WITHIN: Duration = Duration::from_secs(5);

/// How soon intake must be at work again: the goal in full, on a machine that does nothing else.
fn resumes_within() -> Duration {
    sized(Duration::from_secs(RESUMES_WITHIN), GOAL_RESUMES_WITHIN)
}
