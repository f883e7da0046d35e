//! `dlo check`: every fault of the configuration at once, or what an office would do with it.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::ExitCode;

use sqlx::postgres::PgConnectOptions;

use super::environment::ConfigFile;
use crate::broker::{self, Management};
use crate::config::{Config, Needs};
use crate::store;

/// Checks.
#[derive(Debug, clap::Args)]
pub(super) struct Check {
    #[command(flatten)]
    file: ConfigFile,
    /// Also connect to Postgres, to the brokers and to their management
    #[arg(long)]
    connect: bool,
}

impl Check {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.file.load(Needs::Office)?;
        let mut out = std::io::stdout().lock();
        writeln!(out, "The configuration is good. An office would")?;
        for line in intentions(&config)? {
            writeln!(out, "  - {line}")?;
        }
        if !self.connect {
            return Ok(ExitCode::SUCCESS);
        }
        let mut all_well = true;
        for (what, tried) in connections(&config).await {
            all_well &= tried.is_ok();
            let told = tried.err().unwrap_or_else(|| "answers".to_owned());
            writeln!(out, "{what}: {told}")?;
        }
        Ok(if all_well {
            ExitCode::SUCCESS
        } else {
            ExitCode::FAILURE
        })
    }
}

/// What an office would do, without any password.
fn intentions(config: &Config) -> anyhow::Result<Vec<String>> {
    let database: PgConnectOptions = config.database.url.expose().parse()?;
    let mut lines = vec![format!(
        "keep letters in the database `{}` at {}:{}, over at most {} connections",
        database
            .get_database()
            .unwrap_or_else(|| database.get_username()),
        database.get_host(),
        database.get_port(),
        config.database.connections
    )];
    let (http, intake, replay) = (&config.http, &config.intake, &config.replay);
    lines.push(match (http.enabled, http.site_root.join("pkg").is_dir()) {
        (false, _) => "serve no pages and no API".to_owned(),
        (true, true) => {
            format!(
                "serve pages and API at http://{}, on this machine only",
                http.address
            )
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
        format!(
            "publish replays, up to {} letters on their way at once",
            replay.window
        )
    } else {
        "publish no replays".to_owned()
    });
    for name in config.brokers.0.keys() {
        let uri = config.brokers.uri(name, "/")?;
        let authority = uri.authority;
        lines.push(format!(
            "know the broker `{name}` at {}:{}",
            authority.host, authority.port
        ));
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

/// Tries everything that the configuration names.
async fn connections(config: &Config) -> Vec<(String, Result<(), String>)> {
    let mut tried = vec![("the database".to_owned(), database(config).await)];
    for (name, address) in &config.brokers.0 {
        let vhosts: BTreeSet<_> = config
            .sources
            .iter()
            .filter(|source| source.broker_name() == name)
            .map(|source| source.vhost.clone())
            .collect();
        let vhosts = if vhosts.is_empty() {
            BTreeSet::from(["/".to_owned()])
        } else {
            vhosts
        };
        for vhost in vhosts {
            let what = format!("the broker `{name}`, vhost `{vhost}`");
            tried.push((what, broker(config, name, &vhost).await));
        }
        if let Some(url) = &address.management {
            tried.push((format!("the management of `{name}`"), management(url).await));
        }
    }
    tried
}

async fn database(config: &Config) -> Result<(), String> {
    let reached = store::reach(config.database.url.expose()).await;
    reached.map_err(|why| why.to_string())
}

async fn broker(config: &Config, name: &str, vhost: &str) -> Result<(), String> {
    let link = broker::connect(&config.brokers, name, vhost, "check").await;
    link.map_err(|why| why.to_string())?.close().await;
    Ok(())
}

async fn management(url: &str) -> Result<(), String> {
    let management = Management::new(Some(url)).map_err(|why| why.to_string())?;
    management.ping().await.map_err(|why| why.to_string())
}
