//! One connection to one vhost of one broker, with limits on how long anything may take.

use std::future::Future;
use std::time::Duration;

use lapin::{Connection, ConnectionProperties};

use super::octets::{self, RawMessages};
use super::{BrokerError, Brokers};

/// No answer of a broker takes longer than this, or it counts as away.
pub const ANSWER_SECS: u64 = 10;

/// A connection that closes when it is dropped on purpose through `close`.
#[derive(Debug)]
pub struct Link {
    connection: Connection,
    raw: RawMessages,
}

impl Link {
    /// A new channel.
    ///
    /// # Errors
    /// When the broker refuses or does not answer.
    pub async fn channel(&self) -> Result<lapin::Channel, BrokerError> {
        within(self.connection.create_channel()).await
    }

    /// What was delivered here, as octets.
    pub(super) fn raw_messages(&self) -> RawMessages {
        self.raw.clone()
    }

    /// Whether the connection still stands, as far as we know.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.connection.status().connected()
    }

    /// Says goodbye to the broker; a broker that does not answer is left alone.
    pub async fn close(self) {
        let _ = within(self.connection.close(200, "done".into())).await;
    }
}

/// Connects. `purpose` shows in the broker's list of connections.
///
/// # Errors
/// When the broker is unknown, refuses or does not answer.
pub async fn connect(
    brokers: &Brokers,
    broker: &str,
    vhost: &str,
    purpose: &str,
) -> Result<Link, BrokerError> {
    let uri = brokers.uri(broker, vhost)?;
    let raw = RawMessages::default();
    let connection = within(octets::connect(uri, named(purpose), raw.clone())).await?;
    Ok(Link { connection, raw })
}

fn named(purpose: &str) -> ConnectionProperties {
    ConnectionProperties::default().with_connection_name(format!("dlo {purpose}").into())
}

/// Awaits an answer of the broker, but not for ever: some of lapin's calls can hang when the
/// broker goes away in the middle.
pub(super) async fn within<T>(
    answer: impl Future<Output = Result<T, lapin::Error>>,
) -> Result<T, BrokerError> {
    tokio::time::timeout(Duration::from_secs(ANSWER_SECS), answer)
        .await
        .map_err(|_| BrokerError::Timeout(ANSWER_SECS))?
        .map_err(BrokerError::from)
}
