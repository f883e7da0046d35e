//! Topology on a real broker: what is found in its queues, and what cannot be known.
//!
//! It holds for RabbitMQ 3 and 4: `DLO_TEST_BROKER` names another broker than the sandbox's.

mod dead_lettering;
mod degraded;
mod desk;
mod discovering;
mod limits;
mod lints;
mod migrating;
mod operators;
mod opinions;
mod page;
mod retention;
mod watch;
