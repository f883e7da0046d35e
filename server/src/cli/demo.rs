//! `dlo demo`: private servers, the simulated company, and an office in one.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use anyhow::Context as _;
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::source::{NewSource, SourceMode};
use dlo_sandbox::Endpoints;
use dlo_sandbox::fleet::FleetSource;

use super::environment::{program_dir, variable};
use super::ready::Ready;
use super::sandbox::{Servers, Stage};
use super::token;
use crate::access::Role;
use crate::broker::Brokers;
use crate::config::{Config, Faults, Needs, Secret, Surroundings};
use crate::lifecycle::{SOFT_LIMIT, begin, signals};
use crate::startup::{self, Office};
use crate::{store, telemetry};

/// A demo.
#[derive(Debug, clap::Args)]
pub(super) struct Demo {
    /// Where pages and API are served on 127.0.0.1; 0 takes a free port
    #[arg(long, default_value_t = 8484)]
    port: u16,
    /// Leave the simulated company out: an office without sources
    #[arg(long)]
    no_fleet: bool,
    #[command(flatten)]
    servers: Servers,
    /// Print one line of JSON with the addresses when all is ready
    #[arg(long)]
    json: bool,
}

impl Demo {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut config = self.config()?;
        telemetry::log_to_stderr(&config.log);
        let listener = startup::bind(&config.http).await?;
        let stage = self.servers.start(!self.no_fleet).await?;
        let mut signals = signals()?;
        let endpoints = stage.sandbox.endpoints();
        move_in(&mut config, endpoints, &stage);
        let token = admin_token(&config).await?;
        let (lifecycle, ending) = begin(SOFT_LIMIT);
        let mut office = startup::start(config, listener, &lifecycle)?;
        let ready = Ready {
            http: office.address.map(|address| format!("http://{address}")),
            token: Some(token),
            ..Ready::of_servers(endpoints)
        };
        let outcome = tokio::join!(
            ending.wait(&mut signals),
            tell_when_ready(&mut office, &ready, self.json),
        )
        .0;
        office.close().await;
        eprintln!("Stopping …");
        stage.stop(&mut signals).await?;
        Ok(outcome.into())
    }

    /// The configuration of the environment, as far as the demo does not decide it.
    fn config(&self) -> Result<Config, Faults> {
        let lookup = |name: &str| match name {
            "DLO_CONFIG" | "DLO_HTTP" | "DLO_HTTP_ADDRESS" | "DLO_MANAGEMENT_URL" => None,
            // Stand-ins, until the servers run.
            "DLO_DATABASE_URL" => Some("postgres://demo".to_owned()),
            "DLO_BROKER_URL" => Some("amqp://demo".to_owned()),
            other => variable(other),
        };
        let surroundings = Surroundings {
            file: None,
            lookup: &lookup,
            program_dir: program_dir(),
        };
        let mut config = surroundings.parse(None, Needs::Office)?;
        config.http.address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        Ok(config)
    }
}

/// Points the configuration to the sandbox's servers and the company's dead-letter queues.
fn move_in(config: &mut Config, endpoints: &Endpoints, stage: &Stage) {
    config.database.url = Secret::new(&endpoints.database);
    config.brokers = Brokers::main(&endpoints.amqp, Some(&endpoints.management));
    let sources = stage
        .fleet
        .as_ref()
        .map_or(&[][..], |fleet| fleet.sources());
    config.sources = sources.iter().map(watched).collect();
}

fn watched(source: &FleetSource) -> NewSource {
    NewSource {
        vhost: source.vhost.clone(),
        queue: source.queue.clone(),
        mode: SourceMode::Take,
        name: Some(source.name.clone()),
        broker: None,
        headers: HeaderMap::default(),
        executions: ExecutionNaming::default(),
    }
}

async fn admin_token(config: &Config) -> anyhow::Result<String> {
    let pool = store::connect(config.database.url.expose(), 2)?;
    store::migrate(&pool).await?;
    let made = token::replace(&pool, "demo", Role::Admin).await;
    pool.close().await;
    made.context("the demo's token could not be made")
}

async fn tell_when_ready(office: &mut Office, ready: &Ready, as_json: bool) {
    if office.has_begun().await && ready.print(as_json).is_err() {
        tracing::warn!("the addresses could not be printed");
    }
}
