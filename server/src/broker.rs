//! All AMQP. Nothing here knows of Postgres: messages come out as domain values and go in as
//! domain values.

mod address;
mod connection;
mod error;
mod wire;

pub use address::{BrokerAddress, Brokers};
pub use connection::{Link, connect};
pub use error::BrokerError;
pub use wire::{delivered_from, properties_to_lapin, table_to_lapin};
