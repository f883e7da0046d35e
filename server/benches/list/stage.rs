//! The private server, and a database for each number of letters.

use std::path::PathBuf;
use std::sync::Arc;

use dlo_sandbox::{Sandbox, SandboxOptions};
use dlo_server::clock::{SharedClock, SystemClock};
use dlo_server::seeding::{self, Wanted};
use dlo_server::store::{self, seeding::sizes};
use sqlx::{AssertSqlSafe, PgPool};

use crate::{Outcome, variable};

const CONNECTIONS: u32 = 12;

/// Where the letters are.
pub struct Stage {
    sandbox: Option<Sandbox>,
    server: String,
}

impl Stage {
    /// Starts the server, or takes the one that is named.
    pub async fn prepare() -> Outcome<Self> {
        if let Some(server) = variable("DLO_BENCH_SERVER") {
            let sandbox = None;
            return Ok(Self { sandbox, server });
        }
        let sandbox = Sandbox::start(SandboxOptions {
            data_dir: variable("DLO_BENCH_DATA").map(PathBuf::from),
            postgres: true,
            rabbitmq: false,
            ..SandboxOptions::default()
        })
        .await?;
        let database = sandbox.endpoints().database.clone();
        let (server, _) = database.rsplit_once('/').ok_or("an address with a path")?;
        let server = server.to_owned();
        Ok(Self { sandbox: Some(sandbox), server })
    }

    /// A database with so many letters: that of an earlier run, or a new one.
    pub async fn letters(&self, letters: i64) -> Outcome<PgPool> {
        let name = format!("letters_{letters}");
        let admin = PgPool::connect(&format!("{}/postgres", self.server)).await?;
        let is_there: bool =
            sqlx::query_scalar("select exists (select from pg_database where datname = $1)")
                .bind(&name)
                .fetch_one(&admin)
                .await?;
        if !is_there {
            sqlx::raw_sql(AssertSqlSafe(format!("create database {name}"))).execute(&admin).await?;
        }
        admin.close().await;
        let pool = store::connect(&format!("{}/{name}", self.server), CONNECTIONS)?;
        store::migrate(&pool).await?;
        let mut conn = pool.acquire().await?;
        let has_letters = store::seeding::has_letters(&mut conn).await?;
        drop(conn);
        if !has_letters {
            println!("Making {letters} letters up …");
            let clock: SharedClock = Arc::new(SystemClock);
            let wanted = Wanted {
                letters,
                replace: true,
                without_bodies: variable("DLO_BENCH_WITHOUT_BODIES").is_some(),
            };
            let seeded = seeding::seed(&pool, &clock, wanted, &|step| println!("  {step}")).await?;
            println!("{}", seeded.report(letters));
        }
        Ok(pool)
    }

    /// Ends the server.
    pub async fn end(self) -> Outcome<()> {
        if let Some(sandbox) = self.sandbox {
            sandbox.stop().await?;
        }
        Ok(())
    }
}

/// Prints what the letters take up.
pub async fn print_sizes(pool: &PgPool) -> Outcome<()> {
    let mut conn = pool.acquire().await?;
    let sizes = sizes(&mut conn).await?;
    for size in &sizes {
        println!("{size}");
    }
    let bytes: i64 = sizes.iter().map(|size| size.bytes).sum();
    println!("{:>8} MB  in all", bytes / 1_000_000);
    Ok(())
}
