//! `dlo seed-letters`: fills an empty database with made up letters. Not for production, so it is
//! not in the list of commands.

use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use super::environment::ConfigFile;
use crate::clock::{SharedClock, SystemClock};
use crate::config::Needs;
use crate::seeding::{self, Wanted};
use crate::store::{self, seeding::sizes};

/// Connections: two weeks are filled at a time.
const CONNECTIONS: u32 = 4;

/// Makes letters up.
#[derive(Debug, clap::Args)]
pub(super) struct SeedLetters {
    #[command(flatten)]
    file: ConfigFile,
    /// How many
    #[arg(value_parser = clap::value_parser!(i64).range(1..=100_000_000))]
    letters: i64,
    /// Remove everything that is in the database first
    #[arg(long)]
    replace: bool,
    /// Leave out what lists, groups and text searches do not read: half of the disk
    #[arg(long)]
    without_bodies: bool,
}

impl SeedLetters {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.file.load(Needs::Database)?;
        store::reach(config.database.url.expose()).await?;
        let pool = store::connect(config.database.url.expose(), CONNECTIONS)?;
        store::migrate(&pool).await?;
        let clock: SharedClock = Arc::new(SystemClock);
        let began = Instant::now();
        let tell = |step: String| eprintln!("{step}");
        let wanted = Wanted {
            letters: self.letters,
            replace: self.replace,
            without_bodies: self.without_bodies,
        };
        let seeded = seeding::seed(&pool, &clock, wanted, &tell).await?;
        println!("{} letters in {:.1?}", self.letters, began.elapsed());
        println!("{}", seeded.report(self.letters));
        let mut conn = pool.acquire().await?;
        for size in sizes(&mut conn).await? {
            println!("{size}");
        }
        drop(conn);
        pool.close().await;
        Ok(ExitCode::SUCCESS)
    }
}
