//! `dlo demo`: private servers, the simulated company, and an office in one.

mod slack;

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use anyhow::Context as _;
use dlo_domain::death::Reason;
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::failure::HeaderMap;
use dlo_domain::globs::Globs;
use dlo_domain::source::{NewSource, SourceMode};
use dlo_sandbox::Endpoints;
use dlo_sandbox::fleet::{FleetSource, OfficeAddress, worker_queues};

use tokio::net::TcpListener;

use self::slack::StandIn;
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

/// Seconds after which an execution is stuck, unless the environment says otherwise. Five minutes in
/// real life: here a person watches.
const STUCK_AFTER_SECS: &str = "60";
/// Where the simulated company hears of executions that were ended here.
const ENDS_TOLD_AT: &str = "attune.executions";

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
        let mut stage = self.servers.start().await?;
        let mut signals = signals()?;
        move_in(&mut config, stage.sandbox.endpoints());
        let slack = StandIn::bind().await?;
        let slack_page = slack.page();
        let token = furnished(&config, &slack).await?;
        if variable("DLO_PUBLIC_URL").is_none()
            && let Some(address) = pages(listener.as_ref())?
        {
            config.alerts.public_url = address;
        }
        if !self.no_fleet {
            let office = address(listener.as_ref(), &token)?;
            self.servers.employ(&mut stage, office).await?;
            watch_dead_letters(&mut config, &stage);
        }
        let (lifecycle, ending) = begin(SOFT_LIMIT);
        lifecycle.spawn_front("the stand-in for Slack", |stop| slack.serve(stop));
        let mut office = startup::start(config, listener, &lifecycle)?;
        let endpoints = stage.sandbox.endpoints();
        let ready = Ready {
            http: office.address.map(|address| format!("http://{address}")),
            token: Some(token),
            slack: Some(slack_page),
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
            "DLO_EXECUTIONS_STUCK_AFTER_SECS" => {
                variable(name).or_else(|| Some(STUCK_AFTER_SECS.to_owned()))
            }
            "DLO_REPLAY_WORKER_QUEUES" if !self.no_fleet => {
                variable(name).or_else(|| Some(worker_queues().join(",")))
            }
            "DLO_EXECUTIONS_EXCHANGE" if !self.no_fleet => {
                variable(name).or_else(|| Some(ENDS_TOLD_AT.to_owned()))
            }
            // The stand-in for Slack is on this machine.
            "DLO_ALERTS_ALLOW" => variable(name).or_else(|| Some("127.0.0.0/8".to_owned())),
            other => variable(other),
        };
        let surroundings = Surroundings { file: None, lookup: &lookup, program_dir: program_dir() };
        let mut config = surroundings.parse(None, Needs::Office)?;
        config.http.address = SocketAddr::from((Ipv4Addr::LOCALHOST, self.port));
        Ok(config)
    }
}

/// Points the configuration to the sandbox's servers.
fn move_in(config: &mut Config, endpoints: &Endpoints) {
    config.database.url = Secret::new(&endpoints.database);
    config.brokers = Brokers::main(&endpoints.amqp, Some(&endpoints.management));
}

/// Has the office watch the company's dead-letter queues.
fn watch_dead_letters(config: &mut Config, stage: &Stage) {
    let fleet = stage.fleet.as_ref();
    let sources = fleet.map_or(&[][..], |fleet| fleet.sources());
    config.sources = sources.iter().map(watched).collect();
}

/// Where the pages of the office will be.
fn pages(listener: Option<&TcpListener>) -> anyhow::Result<Option<String>> {
    let address = listener.map(TcpListener::local_addr).transpose()?;
    Ok(address.map(|address| format!("http://{address}")))
}

fn address(listener: Option<&TcpListener>, token: &str) -> anyhow::Result<Option<OfficeAddress>> {
    Ok(pages(listener)?.map(|http| OfficeAddress { http, token: token.to_owned() }))
}

fn watched(source: &FleetSource) -> NewSource {
    NewSource {
        vhost: source.vhost.clone(),
        queue: source.queue.clone(),
        mode: SourceMode::Take,
        name: Some(source.name.clone()),
        broker: None,
        headers: HeaderMap::default(),
        executions: match &source.execution_path {
            None => ExecutionNaming::default(),
            Some(path) => ExecutionNaming {
                path: Some(path.clone()),
                reschedule_on: vec![Reason::Expired],
                ..ExecutionNaming::default()
            },
        },
        origins: Globs::of(source.origins.iter().cloned()).unwrap_or_default(),
    }
}

/// What the demo's database needs before the office opens: a token of an admin, which is told, and a channel.
async fn furnished(config: &Config, slack: &StandIn) -> anyhow::Result<String> {
    let pool = store::connect(config.database.url.expose(), 2)?;
    store::migrate(&pool).await?;
    let made = token::replace(&pool, "demo", Role::Admin).await;
    slack.join(&mut *pool.acquire().await?).await?;
    pool.close().await;
    made.context("the demo's token could not be made")
}

async fn tell_when_ready(office: &mut Office, ready: &Ready, as_json: bool) {
    if office.has_begun().await && ready.print(as_json).is_err() {
        tracing::warn!("the addresses could not be printed");
    }
}
