//! Messages from a real broker into a real database.

mod bytes;
mod deliveries;
mod mirrors;
mod packed;
mod queue_lifetime;
mod receipts;
mod search;
mod shapes;
mod sources;
mod undecodable;
