//! A private Postgres and RabbitMQ on free ports of 127.0.0.1, for the demo, the tests and the
//! benchmarks. It never touches another instance of the machine, and leaves nothing behind:
//! neither after [`Sandbox::stop`], nor when it is dropped, nor when its process is killed.
//!
//! Linux only: processes are told apart by what `/proc` says of them.

mod account;
mod certificate;
mod data_dir;
mod endpoints;
mod environment;
mod error;
pub mod fleet;
mod http_client;
mod janitor;
mod ports;
mod postgres;
mod process;
mod process_tree;
mod programs;
mod rabbitmq;
mod server_log;

use std::path::PathBuf;
use std::sync::Arc;

pub use certificate::ServerCertificate;
pub use endpoints::Endpoints;
pub use error::SandboxError;
pub use postgres::PostgresServer;
pub use rabbitmq::RabbitServer;

use data_dir::DataDir;
use janitor::Janitor;
use rabbitmq::GivenBroker;

/// What a sandbox is to run.
#[derive(Clone, Debug)]
pub struct SandboxOptions {
    /// Where to keep the servers' files. What a previous sandbox left there is used again.
    /// `None`: a temporary directory, removed at the end.
    pub data_dir: Option<PathBuf>,
    /// Whether to run Postgres.
    pub postgres: bool,
    /// Whether to run RabbitMQ.
    pub rabbitmq: bool,
    /// Whether an own RabbitMQ collects figures for its management API.
    pub figures: bool,
    /// With it the servers are reached over TLS too.
    pub certificate: Option<ServerCertificate>,
    /// What a commit of Postgres waits for.
    pub commits: Commits,
}

/// What a commit of Postgres waits for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Commits {
    /// For the disk, as in production.
    #[default]
    Durable,
    /// For nothing: faster, and a machine that loses power loses them.
    Relaxed,
}

impl Default for SandboxOptions {
    fn default() -> Self {
        Self {
            data_dir: None,
            postgres: true,
            rabbitmq: true,
            figures: true,
            certificate: None,
            commits: Commits::default(),
        }
    }
}

/// A running sandbox. Dropping it ends the servers as well, a little later.
#[derive(Debug)]
pub struct Sandbox {
    endpoints: Endpoints,
    postgres: Option<PostgresServer>,
    rabbitmq: Option<RabbitServer>,
    janitor: Arc<Janitor>,
}

impl Sandbox {
    /// Starts the servers; returns when all of them answer. Where the environment names a
    /// broker by `DLO_TEST_BROKER` (its AMQP address) and `DLO_TEST_MANAGEMENT` (its
    /// management API), that one is used in place of an own RabbitMQ.
    ///
    /// # Errors
    /// When a program is missing, the directory cannot be used, or a server does not come up.
    /// Everything that was started is ended then.
    pub async fn start(options: SandboxOptions) -> Result<Self, SandboxError> {
        let given = GivenBroker::read(|name| environment::variable(name)?.into_string().ok())?;
        Self::run(options, given).await
    }

    /// Starts the servers like [`Sandbox::start`], but with an own RabbitMQ whatever the
    /// environment says: for tests that stop the broker.
    ///
    /// # Errors
    /// As for [`Sandbox::start`].
    pub async fn start_own(options: SandboxOptions) -> Result<Self, SandboxError> {
        Self::run(options, None).await
    }

    /// Where the servers answer.
    pub fn endpoints(&self) -> &Endpoints {
        &self.endpoints
    }

    /// The Postgres server, unless the options left it out.
    pub fn postgres(&self) -> Option<&PostgresServer> {
        self.postgres.as_ref()
    }

    /// The broker, unless the options left it out.
    pub fn rabbitmq(&self) -> Option<&RabbitServer> {
        self.rabbitmq.as_ref()
    }

    /// Ends the servers and removes the temporary directory; returns when nothing runs any
    /// more. In a kept directory both servers are stopped in good order, which takes some 6 s.
    ///
    /// # Errors
    /// When a process could not be ended. The janitor has tried as well by then.
    pub async fn stop(self) -> Result<(), SandboxError> {
        let Self { postgres, rabbitmq, janitor, .. } = self;
        let (postgres, rabbitmq) = tokio::join!(
            async {
                match postgres {
                    Some(server) => server.stop().await,
                    None => Ok(()),
                }
            },
            async {
                match rabbitmq {
                    Some(server) => server.stop().await,
                    None => Ok(()),
                }
            },
        );
        postgres.and(rabbitmq).and(finish(janitor).await)
    }

    async fn run(
        options: SandboxOptions,
        given: Option<GivenBroker>,
    ) -> Result<Self, SandboxError> {
        http_client::install_provider();
        let (data_dir, janitor) = DataDir::open(options.data_dir.clone()).await?;
        let janitor = Arc::new(janitor);
        let started = tokio::try_join!(
            start_postgres(&options, &data_dir, &janitor),
            start_rabbitmq(&options, given, &data_dir, &janitor),
        );
        match started {
            Ok((postgres, rabbitmq)) => {
                let endpoints = endpoints_of(postgres.as_ref(), rabbitmq.as_ref());
                Ok(Self { endpoints, postgres, rabbitmq, janitor })
            }
            Err(error) => {
                // The janitor knows every process, also those of a start that was cut off.
                finish(janitor).await?;
                Err(error)
            }
        }
    }
}

async fn start_postgres(
    options: &SandboxOptions,
    data_dir: &DataDir,
    janitor: &Arc<Janitor>,
) -> Result<Option<PostgresServer>, SandboxError> {
    if !options.postgres {
        return Ok(None);
    }
    PostgresServer::start(data_dir, Arc::clone(janitor), options).await.map(Some)
}

async fn start_rabbitmq(
    options: &SandboxOptions,
    given: Option<GivenBroker>,
    data_dir: &DataDir,
    janitor: &Arc<Janitor>,
) -> Result<Option<RabbitServer>, SandboxError> {
    match given {
        _ if !options.rabbitmq => Ok(None),
        Some(broker) => Ok(Some(RabbitServer::given(broker))),
        None => RabbitServer::start(data_dir, Arc::clone(janitor), options).await.map(Some),
    }
}

fn endpoints_of(postgres: Option<&PostgresServer>, rabbitmq: Option<&RabbitServer>) -> Endpoints {
    Endpoints {
        database: postgres.map(PostgresServer::default_url).unwrap_or_default(),
        amqp: rabbitmq.map(RabbitServer::amqp_url).unwrap_or_default(),
        management: rabbitmq.map(RabbitServer::management_url).unwrap_or_default(),
    }
}

/// Waits for the janitor's work. Only the last holder can: by then the servers are dropped.
async fn finish(janitor: Arc<Janitor>) -> Result<(), SandboxError> {
    match Arc::into_inner(janitor) {
        Some(janitor) => janitor.finish().await,
        None => Ok(()),
    }
}
