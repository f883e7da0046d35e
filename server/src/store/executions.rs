//! Executions: what was reported of them, what the monitor and the handler did, and what of it is
//! still to be told.

pub mod figures;
pub mod links;
pub mod outbox;
pub mod read;
pub mod sent;
pub mod watch;
pub mod write;
