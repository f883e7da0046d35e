//! The real binary as a process of its own.

use std::process::Stdio;
use std::time::Duration;

use dlo_server::broker::Brokers;

use super::needed;
use sqlx::PgPool;
use tokio::process::{Child, Command};

/// The address of a test's database.
pub fn database_url(pool: &PgPool) -> String {
    let url = needed("DATABASE_URL");
    let (server, _) = url.rsplit_once('/').expect("a path");
    format!(
        "{server}/{}",
        pool.connect_options().get_database().expect("named")
    )
}

/// A connection to another database of the same server.
pub async fn admin() -> PgPool {
    let url = needed("DATABASE_URL");
    PgPool::connect(&url).await.expect("a connection")
}

/// `dlo serve` without HTTP.
pub struct Serve(Child);

impl Serve {
    /// Starts it.
    pub fn start(pool: &PgPool, brokers: &Brokers) -> Self {
        let broker = brokers.get("main").expect("the main broker");
        let child = Command::new(env!("CARGO_BIN_EXE_dlo"))
            .arg("serve")
            .env("DLO_DATABASE_URL", database_url(pool))
            .env("DLO_BROKER_URL", &broker.amqp)
            .env(
                "DLO_MANAGEMENT_URL",
                broker.management.as_deref().unwrap_or_default(),
            )
            .env("DLO_HTTP", "off")
            .env("DLO_LOG", "warn")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .expect("dlo starts");
        Self(child)
    }

    /// kill -9.
    pub async fn kill(mut self) {
        self.0.kill().await.expect("killed");
    }

    /// Asks it to end, and waits.
    pub async fn stop(mut self) {
        let pid = self.0.id().expect("it runs").to_string();
        let told = Command::new("kill").args(["-TERM", &pid]).status().await;
        assert!(told.expect("kill runs").success());
        let ended = tokio::time::timeout(Duration::from_secs(30), self.0.wait()).await;
        let status = ended.expect("it ends within 30 s").expect("a status");
        assert!(status.success(), "dlo ended with {status}");
    }
}
