//! `dlo sandbox`: private servers, for developing, tests and benchmarks.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use dlo_sandbox::fleet::{Fleet, FleetOptions, OfficeAddress};
use dlo_sandbox::{Commits, Sandbox, SandboxOptions};
use futures_util::{Stream, StreamExt as _};

use super::environment::variable;
use super::ready::Ready;
use crate::config::LogConfig;
use crate::lifecycle::signals;
use crate::telemetry;

/// Private servers.
#[derive(Debug, clap::Args)]
pub(super) struct SandboxCommand {
    #[command(flatten)]
    servers: Servers,
    /// Run the simulated company too
    #[arg(long)]
    fleet: bool,
    /// Print one line of JSON with the addresses when they answer
    #[arg(long)]
    json: bool,
    /// Taken for likeness with `demo`: a sandbox speaks no HTTP, and its servers always take free ports
    #[arg(long, hide = true, value_name = "PORT")]
    port: Option<u16>,
}

/// What the sandbox and the demo have in common.
#[derive(Debug, clap::Args)]
pub(super) struct Servers {
    /// Keep the servers' files here, and use what is there; else all is gone at the end
    #[arg(long, value_name = "DIR")]
    data: Option<PathBuf>,
    /// Decides what the simulated company publishes
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Dead letters that the simulated company makes at once, before it goes on at a slow rate
    #[arg(long, default_value_t = 300, value_name = "LETTERS")]
    burst: u32,
    /// How often the simulated company's workers say that they live; thrice that without is a silence
    #[arg(long, default_value_t = 10, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    heartbeat: u64,
    /// Let commits of Postgres not wait for the disk: for tests that neither kill nor measure it
    #[arg(long)]
    relaxed: bool,
}

/// Running servers, perhaps with the simulated company on them.
pub(super) struct Stage {
    pub(super) sandbox: Sandbox,
    pub(super) fleet: Option<Fleet>,
}

impl Servers {
    pub(super) async fn start(&self) -> anyhow::Result<Stage> {
        eprintln!("Starting a private Postgres and RabbitMQ …");
        let options = SandboxOptions {
            data_dir: self.data.clone(),
            commits: if self.relaxed { Commits::Relaxed } else { Commits::Durable },
            ..SandboxOptions::default()
        };
        Ok(Stage { sandbox: Sandbox::start(options).await?, fleet: None })
    }

    /// Starts the simulated company. An office that is named is told of its executions.
    pub(super) async fn employ(
        &self,
        stage: &mut Stage,
        office: Option<OfficeAddress>,
    ) -> anyhow::Result<()> {
        eprintln!("Starting the simulated company …");
        let options = FleetOptions {
            seed: self.seed,
            burst: self.burst,
            heartbeat: Duration::from_secs(self.heartbeat),
            office,
            ..FleetOptions::new(stage.sandbox.endpoints())
        };
        stage.fleet = Some(Fleet::start(options).await?);
        Ok(())
    }
}

impl Stage {
    /// Ends everything. A signal in the meantime ends the process: the sandbox's janitor then
    /// clears up.
    pub(super) async fn stop(
        self,
        signals: &mut (impl Stream<Item = ()> + Unpin),
    ) -> anyhow::Result<()> {
        let stopping = async {
            if let Some(fleet) = self.fleet {
                fleet.stop().await?;
            }
            anyhow::Ok(self.sandbox.stop().await?)
        };
        tokio::select! {
            stopped = stopping => stopped.context("the servers did not end in good order"),
            _ = signals.next() => Ok(()),
        }
    }
}

impl SandboxCommand {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        telemetry::log_to_stderr(&LogConfig::of_variables(&variable)?);
        let mut stage = self.servers.start().await?;
        if self.fleet {
            self.servers.employ(&mut stage, None).await?;
        }
        let mut signals = signals()?;
        Ready::of_servers(stage.sandbox.endpoints()).print(self.json)?;
        signals.next().await;
        eprintln!("Stopping …");
        stage.stop(&mut signals).await?;
        Ok(ExitCode::SUCCESS)
    }
}
