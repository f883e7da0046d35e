//! `dlo migrate`: brings the database to this version's form. `dlo serve` does so by itself.

use std::process::ExitCode;

use super::environment::ConfigFile;
use crate::config::Needs;
use crate::store;

/// Migrates.
#[derive(Debug, clap::Args)]
pub(super) struct Migrate {
    #[command(flatten)]
    file: ConfigFile,
}

impl Migrate {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.file.load(Needs::Database)?;
        store::reach(config.database.url.expose()).await?;
        let pool = store::connect(config.database.url.expose(), 1)?;
        let migrated = store::migrate(&pool).await;
        pool.close().await;
        migrated?;
        eprintln!("The database is up to date.");
        Ok(ExitCode::SUCCESS)
    }
}
