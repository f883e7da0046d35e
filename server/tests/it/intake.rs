//! Messages from a real broker into a real database.

mod bytes;
mod deep;
mod lasting;
mod search;
mod shapes;
mod sources;
mod undecodable;
