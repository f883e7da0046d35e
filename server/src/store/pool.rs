//! Connections to Postgres, and the migrations.

use std::io::ErrorKind;
use std::sync::Arc;
use std::time::Duration;

use sqlx::migrate::Migrator;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool};
use tokio::net::{TcpStream, UnixStream};

use super::StoreError;
use crate::config::{DatabaseConfig, Patience};

/// How long a connection may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long a connection may have been idle and is taken without being tried.
const TRIED_AFTER: Duration = Duration::from_secs(1);

/// The connections of an office, in pools of their own: what one does with them, however much, takes none
/// from the others.
#[derive(Debug, Clone)]
pub struct Pools {
    /// What pages and API ask. No statement of theirs goes on after nobody waits for it any more.
    pub pages: PgPool,
    /// Taking letters.
    pub intake: PgPool,
    /// Publishing them again.
    pub replay: PgPool,
    /// Everything else that an office does by itself.
    pub services: PgPool,
}

impl Pools {
    /// Opens them without connecting yet, so that the server can start while Postgres is away.
    ///
    /// # Errors
    /// Returns an error if the address cannot be read.
    pub fn open(config: &DatabaseConfig, patience: &Patience) -> Result<Self, StoreError> {
        let url = config.url.expose();
        let shares = config.shares();
        let answer_ms = patience.answer.as_millis().max(1);
        let of_pages = options(&format!("; set statement_timeout = '{answer_ms}ms'"));
        Ok(Self {
            pages: open(of_pages.acquire_timeout(patience.page), url, shares.pages)?,
            intake: connect(url, shares.intake)?,
            replay: connect(url, shares.replay)?,
            services: connect(url, shares.services)?,
        })
    }

    /// Closes them all.
    pub async fn close(&self) {
        tokio::join!(
            self.pages.close(),
            self.intake.close(),
            self.replay.close(),
            self.services.close(),
        );
    }
}

/// Opens a pool without connecting yet, so that the server can start while Postgres is away.
///
/// # Errors
/// When the address cannot be read.
pub fn connect(url: &str, most_connections: u32) -> Result<PgPool, StoreError> {
    open(options("").acquire_timeout(PATIENCE), url, most_connections)
}

/// What holds for every connection, with more settings behind it.
fn options(more: &str) -> PgPoolOptions {
    // Over many weeks a plan seems so dear that Postgres would first compile it, for longer than it then takes.
    // Said here and not when connecting, which a pooler between us and Postgres refuses.
    let settings: Arc<str> = format!("set jit = off{more}").into();
    PgPoolOptions::new()
        .after_connect(move |conn, _| {
            let settings = settings.clone();
            Box::pin(async move {
                sqlx::raw_sql(AssertSqlSafe(&*settings)).execute(conn).await.map(|_| ())
            })
        })
        // One that was used a moment ago need not be tried first.
        .test_before_acquire(false)
        .before_acquire(|conn, of_it| {
            Box::pin(async move {
                if of_it.idle_for > TRIED_AFTER {
                    conn.ping().await?;
                }
                Ok(true)
            })
        })
}

fn open(pool: PgPoolOptions, url: &str, most_connections: u32) -> Result<PgPool, StoreError> {
    let options: PgConnectOptions = url.parse()?;
    Ok(pool.max_connections(most_connections).connect_lazy_with(options.application_name("dlo")))
}

/// Connects once and lets go again, so that a refusal is told at once and as it is. A pool goes on
/// trying, and says in the end only that its time is up.
///
/// # Errors
/// When Postgres cannot be reached or lets nobody in.
pub async fn reach(url: &str) -> Result<(), StoreError> {
    Ok(reached(url).await?.close().await?)
}

/// Before somebody who waits for a connection asks whether there can be one.
const ASK_AFTER: Duration = Duration::from_millis(500);

/// What is asked of a pool, or an error as soon as its server refuses connections: a pool by itself goes on
/// trying for as long as it may wait.
///
/// # Errors
/// Returns an error if Postgres does, or if no server accepts connections at the pool's address.
pub async fn while_reachable<T>(
    pool: &PgPool,
    asked: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, StoreError> {
    tokio::select! {
        done = asked => Ok(done?),
        () = refused(pool) => Err(StoreError::Unreachable {
            place: place(&pool.connect_options()),
            why: "connection refused".to_owned(),
        }),
    }
}

fn place(options: &PgConnectOptions) -> String {
    format!("{}:{}", options.get_host(), options.get_port())
}

/// Ends when nobody listens where a pool connects to.
async fn refused(pool: &PgPool) {
    loop {
        tokio::time::sleep(ASK_AFTER).await;
        let options = pool.connect_options();
        let tried = if let Some(directory) = options.get_socket() {
            let socket = format!(".s.PGSQL.{}", options.get_port());
            UnixStream::connect(directory.join(socket)).await.err()
        } else {
            let place = (options.get_host(), options.get_port());
            TcpStream::connect(place).await.err()
        };
        // Whoever listens at a socket makes its file, and removes it.
        let is_refusal = |why: std::io::Error| {
            matches!(why.kind(), ErrorKind::ConnectionRefused | ErrorKind::NotFound)
        };
        if tried.is_some_and(is_refusal) {
            return;
        }
    }
}

/// Connects once, outside of any pool.
pub(super) async fn reached(url: &str) -> Result<PgConnection, StoreError> {
    let options: PgConnectOptions = url.parse()?;
    let unreachable = |why: String| StoreError::Unreachable { place: place(&options), why };
    let connecting = PgConnection::connect_with(&options);
    match tokio::time::timeout(PATIENCE, connecting).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(sqlx::Error::Io(why))) if why.kind() == ErrorKind::ConnectionRefused => {
            Err(unreachable("connection refused".to_owned()))
        }
        Ok(Err(sqlx::Error::Io(why))) => Err(unreachable(why.to_string())),
        Ok(Err(other)) => Err(other.into()),
        Err(_) => Err(unreachable(format!("no answer within {} s", PATIENCE.as_secs()))),
    }
}

/// The steps that bring a database to this version's form. Tests name this one: each
/// `migrate!` writes every migration file into the binary once more.
pub static MIGRATOR: Migrator = sqlx::migrate!("../migrations");

/// Runs the migrations that are missing, under an advisory lock.
///
/// # Errors
/// When Postgres does not answer or a step fails.
pub async fn migrate(pool: &PgPool) -> Result<(), StoreError> {
    MIGRATOR.run(pool).await?;
    Ok(())
}

/// Asks Postgres for a sign of life.
///
/// # Errors
/// When it does not answer.
pub async fn ping(pool: &PgPool) -> Result<(), StoreError> {
    while_reachable(pool, sqlx::query!("select 1 as alive").fetch_one(pool)).await?;
    Ok(())
}
