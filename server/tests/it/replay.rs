//! Letters published again to a real broker, and what came of each.

mod approval;
mod attribution;
mod brokers;
mod canary;
mod changes;
mod claims;
mod doubts;
#[cfg(debug_assertions)]
mod failpoints;
mod frames;
mod full_speed;
mod interruptions;
#[cfg(debug_assertions)]
mod kills;
mod making;
mod matrix;
mod order;
pub mod origins;
mod outcomes;
mod races;
mod returns;
mod schemas;
mod steering;
mod targets;
mod tries;
mod watch;
