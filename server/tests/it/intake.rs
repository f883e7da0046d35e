//! Messages from a real broker into a real database.

mod bytes;
mod deep;
mod deliveries;
mod lasting;
mod limits;
mod mirrors;
mod search;
mod shapes;
mod sources;
mod undecodable;
