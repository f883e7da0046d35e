//! The configured brokers and their addresses.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use lapin::uri::AMQPUri;

use super::{BrokerError, Management, ManagementError};
use crate::config::Patience;

/// One broker. Its `Debug` form keeps the passwords to itself.
#[derive(Clone)]
pub struct BrokerAddress {
    /// `amqp://user:password@host:port/vhost`; the vhost is replaced by each source's.
    pub amqp: String,
    /// `http://user:password@host:port` of the management API, where there is one.
    pub management: Option<String>,
    /// How long its management API may take for an answer that somebody waits for.
    pub patience: Duration,
}

impl fmt::Debug for BrokerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("BrokerAddress(…)")
    }
}

impl BrokerAddress {
    /// Its management API.
    ///
    /// # Errors
    /// Returns an error if no address of it is known.
    pub fn management(&self) -> Result<Management, ManagementError> {
        Management::new(self.management.as_deref(), self.patience)
    }
}

/// The brokers by name. The one from the environment is `main`.
#[derive(Debug, Clone, Default)]
pub struct Brokers(pub BTreeMap<String, BrokerAddress>);

impl Brokers {
    /// A single broker named `main`.
    #[must_use]
    pub fn main(amqp: &str, management: Option<&str>) -> Self {
        let address = BrokerAddress {
            amqp: amqp.to_owned(),
            management: management.map(str::to_owned),
            patience: Patience::default().broker,
        };
        Self(BTreeMap::from([("main".to_owned(), address)]))
    }

    /// The address of a broker.
    ///
    /// # Errors
    /// When no broker has that name.
    pub fn get(&self, name: &str) -> Result<&BrokerAddress, BrokerError> {
        self.0.get(name).ok_or_else(|| BrokerError::UnknownBroker(name.to_owned()))
    }

    /// The management API of a broker.
    ///
    /// # Errors
    /// When no broker has that name, or no address of its management API is known.
    pub fn management(&self, name: &str) -> Result<Management, ManagementError> {
        let broker = self.0.get(name).ok_or(ManagementError::NotConfigured)?;
        broker.management()
    }

    /// The vhost of a broker's address.
    ///
    /// # Errors
    /// When no broker has that name or its address cannot be read.
    pub fn vhost(&self, name: &str) -> Result<String, BrokerError> {
        let uri: AMQPUri = self.get(name)?.amqp.parse().map_err(BrokerError::Address)?;
        Ok(uri.vhost)
    }

    /// The AMQP address of a broker with another vhost.
    ///
    /// # Errors
    /// When no broker has that name or its address cannot be read.
    pub fn uri(&self, name: &str, vhost: &str) -> Result<AMQPUri, BrokerError> {
        let mut uri: AMQPUri = self.get(name)?.amqp.parse().map_err(BrokerError::Address)?;
        vhost.clone_into(&mut uri.vhost);
        Ok(uri)
    }
}
