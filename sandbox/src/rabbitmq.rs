//! The broker of a sandbox: a private RabbitMQ node, or one that was given from outside so
//! that the same tests run against another version. A given broker is never stopped.

mod node;
mod settings;

use std::sync::Arc;

use crate::SandboxOptions;
use crate::data_dir::DataDir;
use crate::error::SandboxError;
use crate::janitor::Janitor;
use crate::process::Goodbye;

use node::Node;

const SERVER: &str = "RabbitMQ";

/// A RabbitMQ server that the sandbox runs or was given.
#[derive(Debug)]
pub struct RabbitServer {
    broker: Broker,
}

#[derive(Debug)]
enum Broker {
    Own(Box<Node>),
    Given(GivenBroker),
}

/// A broker that somebody else runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GivenBroker {
    amqp: String,
    management: String,
}

impl GivenBroker {
    /// Reads `DLO_TEST_BROKER` and `DLO_TEST_MANAGEMENT` through `variable`.
    pub(crate) fn read(
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Option<Self>, SandboxError> {
        let filled = |name| variable(name).filter(|value| !value.is_empty());
        match (filled("DLO_TEST_BROKER"), filled("DLO_TEST_MANAGEMENT")) {
            (Some(amqp), Some(management)) => Ok(Some(Self { amqp, management })),
            (None, None) => Ok(None),
            (Some(_), None) => {
                Err(SandboxError::BrokerHalfGiven { missing: "DLO_TEST_MANAGEMENT" })
            }
            (None, Some(_)) => Err(SandboxError::BrokerHalfGiven { missing: "DLO_TEST_BROKER" }),
        }
    }
}

impl RabbitServer {
    pub(crate) async fn start(
        data_dir: &DataDir,
        janitor: Arc<Janitor>,
        options: &SandboxOptions,
    ) -> Result<Self, SandboxError> {
        let node = Node::start(data_dir, janitor, options).await?;
        Ok(Self { broker: Broker::Own(Box::new(node)) })
    }

    pub(crate) fn given(broker: GivenBroker) -> Self {
        Self { broker: Broker::Given(broker) }
    }

    /// The AMQP address of the default vhost, with user and password.
    pub fn amqp_url(&self) -> String {
        match &self.broker {
            Broker::Own(node) => format!("amqp://guest:guest@127.0.0.1:{}/%2f", node.ports().amqp),
            Broker::Given(given) => given.amqp.clone(),
        }
    }

    /// The address of the management API without its `/api`, with user and password.
    pub fn management_url(&self) -> String {
        match &self.broker {
            Broker::Own(node) => {
                format!("http://guest:guest@127.0.0.1:{}", node.ports().management)
            }
            Broker::Given(given) => given.management.clone(),
        }
    }

    /// The addresses over TLS: of AMQP, and of the management API.
    ///
    /// # Errors
    /// When the broker is not ours, or has no certificate.
    pub fn tls_urls(&self) -> Result<[String; 2], SandboxError> {
        let ports = self.node()?.tls_ports().ok_or(SandboxError::NotOurs)?;
        Ok([
            format!("amqps://guest:guest@127.0.0.1:{}/%2f", ports.amqp),
            format!("https://guest:guest@127.0.0.1:{}", ports.management),
        ])
    }

    /// Stops the broker the way an operator does (SIGTERM): it closes its connections at
    /// once and has ended some 6 s later. Does nothing when it is stopped.
    ///
    /// # Errors
    /// When the broker is not ours or cannot be signalled.
    pub async fn stop_immediately(&self) -> Result<(), SandboxError> {
        self.node()?.end(Goodbye::Terminate).await
    }

    /// Ends every process of the broker by SIGKILL. Does nothing when it is stopped.
    ///
    /// # Errors
    /// When the broker is not ours or cannot be signalled.
    pub async fn kill(&self) -> Result<(), SandboxError> {
        self.node()?.end(Goodbye::Kill).await
    }

    /// Starts a stopped broker with the same ports and data; returns when it answers.
    ///
    /// # Errors
    /// When the broker is not ours, runs already, or does not come up.
    pub async fn start_again(&self) -> Result<(), SandboxError> {
        self.node()?.start_again().await
    }

    /// Stops the broker where it stands (SIGSTOP): connections stay open and nothing answers.
    ///
    /// # Errors
    /// When the broker is not ours, not running, or cannot be signalled.
    pub async fn pause(&self) -> Result<(), SandboxError> {
        self.node()?.pause().await
    }

    /// Lets a paused broker go on.
    ///
    /// # Errors
    /// When the broker is not ours, not running, or cannot be signalled.
    pub async fn resume(&self) -> Result<(), SandboxError> {
        self.node()?.resume().await
    }

    pub(crate) async fn stop(&self) -> Result<(), SandboxError> {
        match &self.broker {
            Broker::Own(node) => node.stop().await,
            Broker::Given(_) => Ok(()),
        }
    }

    fn node(&self) -> Result<&Node, SandboxError> {
        match &self.broker {
            Broker::Own(node) => Ok(node),
            Broker::Given(_) => Err(SandboxError::NotOurs),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AMQP: &str = "amqp://user:pass@127.0.0.1:5672/%2f";
    const MANAGEMENT: &str = "http://user:pass@127.0.0.1:15672";

    fn read(amqp: Option<&str>, management: Option<&str>) -> Result<Option<GivenBroker>, String> {
        let variable = |name: &str| match name {
            "DLO_TEST_BROKER" => amqp.map(str::to_owned),
            "DLO_TEST_MANAGEMENT" => management.map(str::to_owned),
            _ => None,
        };
        GivenBroker::read(variable).map_err(|error| error.to_string())
    }

    #[test]
    fn a_broker_is_given_by_both_variables_or_none() {
        let given = read(Some(AMQP), Some(MANAGEMENT))
            .expect("as the test arranged it")
            .expect("as the test arranged it");
        assert_eq!((given.amqp.as_str(), given.management.as_str()), (AMQP, MANAGEMENT));
        assert_eq!(read(None, None), Ok(None));
        assert_eq!(read(Some(""), None), Ok(None));
        let message = read(Some(AMQP), None).unwrap_err();
        assert!(message.starts_with("DLO_TEST_MANAGEMENT is not set"), "{message}");
        let message = read(None, Some(MANAGEMENT)).unwrap_err();
        assert!(message.starts_with("DLO_TEST_BROKER is not set"), "{message}");
    }

    #[tokio::test]
    async fn a_given_broker_is_named_but_never_stopped() {
        let given = read(Some(AMQP), Some(MANAGEMENT))
            .expect("as the test arranged it")
            .expect("as the test arranged it");
        let server = RabbitServer::given(given);
        assert_eq!(server.amqp_url(), AMQP);
        assert_eq!(server.management_url(), MANAGEMENT);
        assert!(matches!(server.kill().await, Err(SandboxError::NotOurs)));
        assert!(matches!(server.stop_immediately().await, Err(SandboxError::NotOurs)));
        assert!(matches!(server.start_again().await, Err(SandboxError::NotOurs)));
        assert!(matches!(server.pause().await, Err(SandboxError::NotOurs)));
        assert!(matches!(server.resume().await, Err(SandboxError::NotOurs)));
        assert!(server.stop().await.is_ok());
    }
}
