//! The management API, for what AMQP cannot say: a queue's bindings, what is bound to an exchange, and
//! what kind of queue it is.

mod exchanges;
mod policies;
mod queue_now;
mod survey;

use std::time::Duration;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::{Client, RequestBuilder, StatusCode};
use serde::Deserialize;
use serde_json::Value;

pub use exchanges::ExchangeNow;
pub use survey::BrokerOverview;

/// A failure of the management API.
#[derive(Debug, thiserror::Error)]
pub enum ManagementError {
    /// No address is configured.
    #[error("no management address is configured for this broker: set DLO_MANAGEMENT_URL")]
    NotConfigured,
    /// It does not answer, or not as expected.
    #[error("the management API did not answer: {0}")]
    Http(#[from] reqwest::Error),
    /// There is no such thing.
    #[error("the broker has no such queue or vhost, or its user may not see the vhost")]
    Missing,
    /// It answers, and does not do it.
    #[error(
        "the management API refuses ({0}): give the user of DLO_MANAGEMENT_URL the tag \
         `monitoring`, and a permission on the vhost"
    )]
    Refused(u16),
    /// It answered with more than is read.
    #[error("the management API's answer is too large")]
    TooLarge,
    /// It answered with something that cannot be read.
    #[error("the management API answered with something unexpected: {0}")]
    Unexpected(String),
}

/// A binding of a queue.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub struct Binding {
    /// The exchange; `""` is the default exchange, which every queue is bound to.
    pub source: String,
    /// The routing key.
    pub routing_key: String,
    /// The arguments, as JSON.
    #[serde(default)]
    pub arguments: Value,
}

/// What is bound to an exchange.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Bound {
    /// The queue or exchange.
    pub destination: String,
    /// `queue` or `exchange`.
    pub destination_type: String,
    /// The routing key.
    pub routing_key: String,
}

impl Bound {
    /// Whether it is a queue.
    #[must_use]
    pub fn is_queue(&self) -> bool {
        self.destination_type == "queue"
    }
}

/// What a queue has given away, as the broker counted it some seconds ago.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Given {
    /// Its consumers.
    #[serde(default)]
    pub consumer_details: Vec<Receiver>,
    /// How many messages are delivered and not acknowledged.
    #[serde(default)]
    pub messages_unacknowledged: u64,
}

/// A consumer of a queue.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Receiver {
    /// Its tag, which need not be unique.
    pub consumer_tag: String,
}

/// The management API of one broker.
#[derive(Debug, Clone)]
pub struct Management {
    base: String,
    client: Client,
    within: Duration,
}

impl Management {
    /// Prepares calls to `http://user:password@host:port`. What somebody waits for takes `within` at most.
    ///
    /// # Errors
    /// When there is no address or the client cannot be made.
    pub fn new(address: Option<&str>, within: Duration) -> Result<Self, ManagementError> {
        let base = address.ok_or(ManagementError::NotConfigured)?;
        let client = crate::tls::client().timeout(Duration::from_secs(10)).build()?;
        Ok(Self { base: base.trim_end_matches('/').to_owned(), client, within })
    }

    /// Asks who we are, to see that it answers.
    ///
    /// # Errors
    /// When it does not.
    pub async fn ping(&self) -> Result<(), ManagementError> {
        let request = self.client.get(format!("{}/api/whoami", self.base));
        answer::<Value>(request).await.map(|_| ())
    }

    /// The bindings of a queue.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn bindings(
        &self,
        vhost: &str,
        queue: &str,
    ) -> Result<Vec<Binding>, ManagementError> {
        let url = format!("{}/bindings", self.queue_url(vhost, queue));
        answer(self.client.get(url)).await
    }

    /// What is bound to an exchange.
    ///
    /// # Errors
    /// When there is none, or it does not answer.
    pub async fn bound_to(
        &self,
        vhost: &str,
        exchange: &str,
    ) -> Result<Vec<Bound>, ManagementError> {
        let url = format!("{}/bindings/source", self.exchange_url(vhost, exchange));
        answer(self.client.get(url).timeout(self.within)).await
    }

    /// Whether the broker deletes the queue when its last consumer goes.
    ///
    /// # Errors
    /// When it does not answer.
    pub async fn is_auto_delete(&self, vhost: &str, queue: &str) -> Result<bool, ManagementError> {
        #[derive(Deserialize)]
        struct Queue {
            auto_delete: bool,
        }
        let request = self.client.get(self.queue_url(vhost, queue));
        let queue: Queue = answer(request.timeout(self.within)).await?;
        Ok(queue.auto_delete)
    }

    /// What a queue has given away.
    ///
    /// # Errors
    /// Returns an error if there is no such queue, or the API does not answer.
    pub async fn given(&self, vhost: &str, queue: &str) -> Result<Given, ManagementError> {
        let url = self.queue_url(vhost, queue);
        let columns = format!("{url}?columns=consumer_details,messages_unacknowledged");
        answer(self.client.get(columns).timeout(self.within)).await
    }

    fn queue_url(&self, vhost: &str, queue: &str) -> String {
        self.url("queues", vhost, queue)
    }

    fn exchange_url(&self, vhost: &str, exchange: &str) -> String {
        self.url("exchanges", vhost, exchange)
    }

    fn url(&self, kind: &str, vhost: &str, name: &str) -> String {
        let name = utf8_percent_encode(name, NON_ALPHANUMERIC);
        format!("{}/{name}", self.vhost_url(kind, vhost))
    }

    fn vhost_url(&self, kind: &str, vhost: &str) -> String {
        let vhost = utf8_percent_encode(vhost, NON_ALPHANUMERIC);
        format!("{}/api/{kind}/{vhost}", self.base)
    }
}

async fn answer<T: serde::de::DeserializeOwned>(
    request: RequestBuilder,
) -> Result<T, ManagementError> {
    // Addresses hold the password: it must not reach a log or a page.
    let sealed = reqwest::Error::without_url;
    let response = request.send().await.map_err(sealed)?;
    if response.status() == StatusCode::NOT_FOUND {
        return Err(ManagementError::Missing);
    }
    Ok(response.error_for_status().map_err(sealed)?.json().await.map_err(sealed)?)
}
