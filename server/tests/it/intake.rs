//! Messages from a real broker into a real database.

mod bytes;
mod shapes;
mod sources;
mod undecodable;
