//! All SQL. Functions take a connection, so that their callers own the transaction; every query
//! is checked against the migrations when this crate is compiled.

mod error;
mod pool;

pub mod batches;
pub mod events;
pub mod letters;
pub mod offices;
pub mod sources;

pub use error::StoreError;
pub use pool::{connect, migrate};
