//! Programs that run until they are stopped.

mod demo;
mod offices;
