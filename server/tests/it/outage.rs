//! The servers themselves are killed while intake or a replay works: nothing is lost, nothing is doubled, and
//! it goes on by itself. Each test has servers of its own, so that it may kill them.

mod broker;
mod broker_in_replay;
mod postgres;

/// How soon intake must be at work again when a server is back, in seconds. The goal is 5 on a
/// machine that does nothing else; a test that shares its machine must not fail for that.
const RESUMES_WITHIN: u64 = 20;
