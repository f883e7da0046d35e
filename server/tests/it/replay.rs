//! Letters published again to a real broker, and what came of each.

mod approval;
mod brokers;
mod canary;
mod changes;
mod claiming;
mod doubts;
mod formats;
mod frames;
mod json_schemas;
mod making;
mod order;
pub mod origins;
mod outcomes;
mod returns;
mod search;
mod steering;
mod targets;
mod tries;
mod watch;
