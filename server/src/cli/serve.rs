//! `dlo serve`: an office against existing servers.

use std::process::ExitCode;

use super::environment::{ConfigFile, variable_names};
use super::ready::{Ready, without_password};
use crate::config::{Needs, unknown_variables};
use crate::lifecycle::{SOFT_LIMIT, begin, signals};
use crate::{startup, telemetry};

/// Runs an office until it is told to end.
#[derive(Debug, clap::Args)]
pub(super) struct Serve {
    #[command(flatten)]
    file: ConfigFile,
    /// The port of pages and API, in place of the configuration's; 0 takes a free one
    #[arg(long)]
    port: Option<u16>,
    /// Print one line of JSON with the addresses when it serves
    #[arg(long)]
    json: bool,
}

impl Serve {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        #[cfg(debug_assertions)]
        crate::failpoint::arm(super::environment::variable(crate::failpoint::VARIABLE))?;
        let mut config = self.file.load(Needs::Office)?;
        if let Some(port) = self.port {
            config.http.address.set_port(port);
        }
        telemetry::log_to_stderr(&config.log);
        for fault in unknown_variables(variable_names()) {
            tracing::warn!("{fault}");
        }
        let mut signals = signals()?;
        let listener = startup::bind(&config.http).await?;
        let (lifecycle, ending) = begin(SOFT_LIMIT);
        let mut ready = Ready::default();
        if self.json {
            let main = config.brokers.0.get("main");
            ready.amqp = main.and_then(|broker| without_password(&broker.amqp));
            let management = main.and_then(|broker| broker.management.as_deref());
            ready.management = management.and_then(without_password);
            ready.database = without_password(config.database.url.expose());
        }
        let office = startup::start(config, listener, &lifecycle)?;
        ready.http = office.address.map(|address| format!("http://{address}"));
        ready.print(self.json)?;
        let outcome = ending.wait(&mut signals).await;
        office.close().await;
        Ok(outcome.into())
    }
}
