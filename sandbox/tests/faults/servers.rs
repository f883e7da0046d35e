//! The sandbox against its promises, with real servers: they answer, they can be broken on
//! purpose, they keep what they must, and they are gone when they should be.

mod faults;
mod leftovers;
mod lifecycle;
mod traffic;
