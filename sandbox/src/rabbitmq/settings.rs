//! The configuration files and the environment of one RabbitMQ node. Nothing here is shared
//! with another node of the machine.

use std::fs;
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::SandboxOptions;
use crate::account::{self, Account};
use crate::certificate::CertificateFiles;
use crate::error::{SandboxError, at};

/// The ports of one node, all on 127.0.0.1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct NodePorts {
    pub(super) amqp: u16,
    pub(super) management: u16,
    /// Where Erlang nodes talk to each other.
    pub(super) distribution: u16,
    /// The node's own name service: a shared one would outlive it.
    pub(super) epmd: u16,
    /// Used where there is a certificate.
    pub(super) tls: TlsPorts,
}

/// Where a node is reached over TLS.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct TlsPorts {
    pub(super) amqp: u16,
    pub(super) management: u16,
}

/// The folder of one node.
#[derive(Debug)]
pub(super) struct NodeFiles {
    pub(super) folder: PathBuf,
    pub(super) account: Option<Account>,
    /// Such as `dlo-5f3…@localhost`. The stored data belongs to this name.
    pub(super) name: String,
    /// Whether it collects figures for its management API.
    figures: bool,
    /// What it shows over TLS.
    certificate: Option<CertificateFiles>,
}

impl NodeFiles {
    /// Makes the folder, or finds it again with the name that the node had.
    pub(super) fn open(
        folder: PathBuf,
        account: Option<Account>,
        options: &SandboxOptions,
    ) -> Result<Self, SandboxError> {
        for path in [folder.clone(), folder.join("home"), folder.join("data")] {
            account::own_directory(&path, account)?;
        }
        let name = secret(&folder.join("node-name"), account, || {
            format!("dlo-{}@localhost", Uuid::new_v4().simple())
        })?;
        secret(&folder.join("home/.erlang.cookie"), account, || {
            Uuid::new_v4().simple().to_string()
        })?;
        let certificate = options.certificate.as_ref();
        let certificate = certificate.map(|one| one.write(&folder, account));
        Ok(Self {
            folder,
            account,
            name,
            figures: options.figures,
            certificate: certificate.transpose()?,
        })
    }

    /// Whether it is reached over TLS too.
    pub(super) fn has_certificate(&self) -> bool {
        self.certificate.is_some()
    }

    /// Writes the configuration for these ports.
    pub(super) fn configure(&self, ports: NodePorts) -> Result<(), SandboxError> {
        let NodePorts { amqp, management, .. } = ports;
        let configuration = format!(
            "listeners.tcp.1 = 127.0.0.1:{amqp}\n\
             management.tcp.ip = 127.0.0.1\n\
             management.tcp.port = {management}\n\
             management_agent.disable_metrics_collector = {}\n",
            !self.figures
        );
        let tls = self.tls_settings(ports.tls);
        self.write("rabbitmq.conf", &(configuration + &tls))?;
        self.write("enabled_plugins", "[rabbitmq_management,rabbitmq_shovel].\n")?;
        // An own, empty one: the machine's would be read otherwise.
        self.write("rabbitmq-env.conf", "")
    }

    fn tls_settings(&self, TlsPorts { amqp, management }: TlsPorts) -> String {
        let Some(CertificateFiles { chain, key }) = &self.certificate else {
            return String::new();
        };
        let (chain, key) = (chain.display(), key.display());
        format!(
            "listeners.ssl.1 = 127.0.0.1:{amqp}\n\
             ssl_options.cacertfile = {chain}\n\
             ssl_options.certfile = {chain}\n\
             ssl_options.keyfile = {key}\n\
             ssl_options.verify = verify_none\n\
             ssl_options.fail_if_no_peer_cert = false\n\
             management.ssl.ip = 127.0.0.1\n\
             management.ssl.port = {management}\n\
             management.ssl.cacertfile = {chain}\n\
             management.ssl.certfile = {chain}\n\
             management.ssl.keyfile = {key}\n"
        )
    }

    /// The environment of the name service.
    pub(super) fn epmd_environment(&self) -> Vec<(&'static str, String)> {
        vec![("HOME", self.place("home"))]
    }

    /// The environment of the node.
    pub(super) fn environment(&self, ports: NodePorts) -> Vec<(&'static str, String)> {
        vec![
            ("HOME", self.place("home")),
            ("ERL_EPMD_ADDRESS", "127.0.0.1".to_owned()),
            ("ERL_EPMD_PORT", ports.epmd.to_string()),
            // Erlang would start a name service of its own where it finds none, and that one
            // would belong to nobody.
            ("ERL_AFLAGS", "-start_epmd false".to_owned()),
            ("RABBITMQ_NODENAME", self.name.clone()),
            ("RABBITMQ_DIST_PORT", ports.distribution.to_string()),
            ("RABBITMQ_CONF_ENV_FILE", self.place("rabbitmq-env.conf")),
            ("RABBITMQ_CONFIG_FILE", self.place("rabbitmq.conf")),
            ("RABBITMQ_ADVANCED_CONFIG_FILE", self.place("advanced.config")),
            ("RABBITMQ_ENABLED_PLUGINS_FILE", self.place("enabled_plugins")),
            ("RABBITMQ_MNESIA_BASE", self.place("data")),
            ("RABBITMQ_GENERATED_CONFIG_DIR", self.place("data")),
            ("RABBITMQ_PID_FILE", self.place("data/pid")),
            ("RABBITMQ_LOG_BASE", self.place("data")),
            // To its output, which is our log file.
            ("RABBITMQ_LOGS", "-".to_owned()),
            // The script then becomes the node instead of waiting for it, so that the id
            // that we started is the node's; and the node must not read its input.
            ("RABBITMQ_ALLOW_INPUT", "1".to_owned()),
            (
                "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS",
                "-noinput -kernel inet_dist_use_interface {127,0,0,1}".to_owned(),
            ),
        ]
    }

    fn place(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }

    fn write(&self, name: &str, text: &str) -> Result<(), SandboxError> {
        account::own_file(&self.folder.join(name), text, self.account)
    }
}

/// A text that is made once and kept.
fn secret(
    path: &Path,
    account: Option<Account>,
    make: impl FnOnce() -> String,
) -> Result<String, SandboxError> {
    if !path.exists() {
        account::own_file(path, &make(), account)?;
    }
    let text = fs::read_to_string(path).map_err(at(path))?;
    Ok(text.trim().to_owned())
}
