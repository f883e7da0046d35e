//! All AMQP. Nothing here knows of Postgres: messages come out as domain values and go in as
//! domain values.

mod address;
mod confirms;
mod connection;
mod declare;
mod error;
mod fleet;
mod inlet;
mod management;
mod octets;
mod publisher;
mod receipts;
pub mod rights;
mod wire;

pub use address::{BrokerAddress, Brokers};
pub use connection::{Link, connect};
pub use declare::{bind_queue, declare_queue, delete_queue, has_exchange, queue_content};
pub use error::{BrokerError, Fault};
pub use fleet::{FleetInlet, Said};
pub use inlet::{Inlet, Taken};
pub use management::{Binding, Bound, BrokerOverview, ExchangeNow, Management, ManagementError};
pub use publisher::{Outgoing, Published, Publisher};
pub use receipts::{RECEIPTS, Receipt, delete_receipt, make_receipt, read_receipt};
pub use wire::{properties_to_lapin, table_to_lapin};
