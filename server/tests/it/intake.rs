//! Messages from a real broker into a real database.

mod bytes;
mod deep;
mod deliveries;
mod eject;
mod lasting;
mod limits;
mod mirrors;
mod odd;
mod search;
mod shapes;
mod sources;
mod undecodable;
