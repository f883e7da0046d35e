//! `dlo check`: every fault of the configuration at once, or what an office would do with it.

mod connections;

use std::io::Write as _;
use std::process::ExitCode;

use sqlx::postgres::{PgConnectOptions, PgSslMode};

use super::environment::{ConfigFile, variable_names};
use crate::config::{Config, Faults, Needs, unknown_variables};

/// Checks.
#[derive(Debug, clap::Args)]
pub(super) struct Check {
    #[command(flatten)]
    file: ConfigFile,
    /// Also connect to Postgres, to the brokers and to their management, and ask for the rights that an
    /// office needs. Nothing is changed, and no message is taken
    #[arg(long)]
    connect: bool,
}

impl Check {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let mut faults = unknown_variables(variable_names());
        let loaded = self.file.load(Needs::Office);
        if let Err(Faults(of_config)) = &loaded {
            faults.extend(of_config.iter().cloned());
        }
        let (Ok(config), true) = (loaded, faults.is_empty()) else {
            return Err(Faults(faults).into());
        };
        let mut out = std::io::stdout().lock();
        writeln!(out, "The configuration is good. An office would")?;
        for line in intentions(&config)? {
            writeln!(out, "  - {line}")?;
        }
        if !self.connect {
            return Ok(ExitCode::SUCCESS);
        }
        let mut all_well = true;
        for tried in connections::try_all(&config).await {
            all_well &= tried.obstacles.is_empty();
            writeln!(out, "{tried}")?;
        }
        Ok(if all_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

/// What an office would do, without any password.
fn intentions(config: &Config) -> anyhow::Result<Vec<String>> {
    let database: PgConnectOptions = config.database.url.expose().parse()?;
    let mut lines = vec![format!(
        "keep letters in the database `{}` at {}:{}, {}, over at most {} connections",
        database.get_database().unwrap_or_else(|| database.get_username()),
        database.get_host(),
        database.get_port(),
        encryption(database.get_ssl_mode()),
        config.database.connections
    )];
    let (http, intake, replay) = (&config.http, &config.intake, &config.replay);
    lines.push(match (http.enabled, http.site_root.join("pkg").is_dir()) {
        (false, _) => "serve no pages and no API".to_owned(),
        (true, true) => {
            format!("serve pages and API at http://{}, on this machine only", http.address)
        }
        (true, false) => format!(
            "serve pages and API at http://{}, without style and scripts: there is no site in {}",
            http.address,
            http.site_root.display()
        ),
    });
    lines.push(if intake.enabled {
        format!(
            "take letters: {} open deliveries for each source, up to {} in one transaction",
            intake.prefetch, intake.batch
        )
    } else {
        "take no letters".to_owned()
    });
    lines.push(if replay.enabled {
        let most = match replay.window {
            0 => "50 letters on their way at once, more of a large replay".to_owned(),
            most => format!("{most} letters on their way at once"),
        };
        format!("publish replays, up to {most}")
    } else {
        "publish no replays".to_owned()
    });
    let waits = config.patience.named();
    let waits = waits.map(|(what, limit)| format!("{what} {} ms", limit.as_millis()));
    lines.push(format!("wait for others at most: {}", waits.join(", ")));
    for name in config.brokers.0.keys() {
        let uri = config.brokers.uri(name, "/")?;
        let authority = uri.authority;
        lines.push(format!("know the broker `{name}` at {}:{}", authority.host, authority.port));
    }
    for source in &config.sources {
        lines.push(format!(
            "watch the queue `{}` of the vhost `{}` on `{}`, as `{}` ({})",
            source.queue,
            source.vhost,
            source.broker_name(),
            source.display_name(),
            source.mode.as_str()
        ));
    }
    Ok(lines)
}

/// In words, whether the way to the database is encrypted.
fn encryption(mode: PgSslMode) -> &'static str {
    match mode {
        PgSslMode::Disable | PgSslMode::Allow => "without TLS",
        PgSslMode::Prefer => "with TLS if the server offers it (sslmode=prefer)",
        PgSslMode::Require => "with TLS, whoever the server is (sslmode=require)",
        PgSslMode::VerifyCa | PgSslMode::VerifyFull => "with TLS and a checked certificate",
    }
}
