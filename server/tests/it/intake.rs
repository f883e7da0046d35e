//! Messages from a real broker into a real database.

mod bytes;
mod deep;
mod lasting;
mod shapes;
mod sources;
mod undecodable;
