//! The sandbox against its promises, with real servers: they answer, they can be broken on
//! purpose, they keep what they must, and they are gone when they should be.

#![expect(
    clippy::unwrap_used,
    reason = "a test ends at the first answer that it did not expect"
)]

mod faults;
mod leftovers;
mod lifecycle;
mod traffic;
