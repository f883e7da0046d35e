//! All SQL. Functions take a connection, so that their callers own the transaction; every query
//! is checked against the migrations when this crate is compiled.

mod error;
mod pool;
mod shared_time;

pub mod alerts;
pub mod audit;
pub mod batches;
pub mod breakdown;
pub mod causes;
pub mod channels;
pub mod counts;
pub mod decisions;
pub mod drafts;
pub mod error_reports;
pub mod events;
pub mod executions;
pub mod extracts;
pub mod filter;
pub mod fitness;
pub mod groups;
pub mod judging;
pub mod known_values;
pub mod letter_detail;
pub mod letter_list;
pub mod letters;
pub mod measures;
pub mod mirrors;
pub mod offices;
pub mod origins;
pub mod overview;
pub mod policies;
pub mod registers;
pub mod registry_schemas;
pub mod replays;
pub mod retention;
pub mod retries;
pub mod rules;
pub mod schemas;
pub mod seeding;
pub mod sources;
pub mod texts;
pub mod timeline;
pub mod tokens;
pub mod topology;
pub mod type_rules;
pub mod views;
pub mod weeks;
pub mod workers;

pub use error::StoreError;
pub use pool::{MIGRATOR, Pools, connect, migrate, ping, reach, while_reachable};
pub use shared_time::shared_time;
