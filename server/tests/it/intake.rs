//! Messages from a real broker into a real database.

mod bytes;
mod deliveries;
mod mirrors;
mod search;
mod shapes;
mod sources;
mod undecodable;
