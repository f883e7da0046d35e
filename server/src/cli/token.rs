//! `dlo token`: makes, lists and revokes API tokens.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use dlo_domain::audit::Actor;
use dlo_domain::globs::Globs;
use rand::rngs::OsRng;
use sqlx::PgPool;

use super::environment::ConfigFile;
use crate::access::{Holder, Role, Token};
use crate::clock::{Clock as _, SystemClock, new_id};
use crate::config::Needs;
use crate::store::{self, tokens};

/// API tokens.
#[derive(Debug, clap::Args)]
pub(super) struct TokenCommand {
    #[command(flatten)]
    file: ConfigFile,
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Make a token and print it: it is shown this once
    Create {
        /// What it may do
        #[arg(long, value_enum)]
        role: Role,
        /// What the audit trail calls whoever uses it
        #[arg(long)]
        name: String,
        /// The workers that a token of the role worker speaks for: names with * for any characters,
        /// with commas between them
        #[arg(long, required_if_eq("role", "worker"))]
        workers: Option<Globs>,
    },
    /// List the tokens, without their secrets
    List,
    /// Revoke a token, from its next request on
    Revoke {
        /// Its name
        name: String,
    },
}

impl TokenCommand {
    pub(super) async fn run(self) -> anyhow::Result<ExitCode> {
        let config = self.file.load(Needs::Database)?;
        let pool = store::connect(config.database.url.expose(), 1)?;
        store::migrate(&pool).await?;
        let done = self.action.run(&pool).await;
        pool.close().await;
        done.map(|()| ExitCode::SUCCESS)
    }
}

impl Action {
    async fn run(self, pool: &PgPool) -> anyhow::Result<()> {
        match self {
            Self::Create { role, name, workers } => {
                create(pool, &holder(&name, role, workers)?).await
            }
            Self::List => list(pool).await,
            Self::Revoke { name } => revoke(pool, &name).await,
        }
    }
}

async fn create(pool: &PgPool, holder: &Holder) -> anyhow::Result<()> {
    let (token, name) = (fresh()?, &holder.name);
    let mut conn = pool.acquire().await?;
    let (id, now) = (new_id(&SystemClock), SystemClock.now());
    let is_new = tokens::insert(&mut conn, id, holder, &token.digest(), now).await?;
    anyhow::ensure!(
        is_new,
        "a token named `{name}` exists or existed, and the audit trail knows it by that name: \
         choose another"
    );
    eprintln!("Store this token now: it is not shown again.");
    writeln!(std::io::stdout().lock(), "{}", token.reveal())?;
    Ok(())
}

/// Makes a token in place of the one of that name.
pub(super) async fn replace(pool: &PgPool, name: &str, role: Role) -> anyhow::Result<String> {
    let (token, holder) = (fresh()?, holder(name, role, None)?);
    let mut conn = pool.acquire().await?;
    let (id, now) = (new_id(&SystemClock), SystemClock.now());
    tokens::replace(&mut conn, id, &holder, &token.digest(), now).await?;
    Ok(token.reveal().to_owned())
}

fn fresh() -> anyhow::Result<Token> {
    Token::generate(&mut OsRng).context("the system provides no random bits")
}

fn holder(name: &str, role: Role, workers: Option<Globs>) -> anyhow::Result<Holder> {
    let name = name.trim();
    anyhow::ensure!(!name.is_empty(), "the name is empty: say who will use the token");
    anyhow::ensure!(name.chars().count() <= 100, "the name has more than 100 characters");
    anyhow::ensure!(!name.chars().any(char::is_control), "the name holds a control character");
    anyhow::ensure!(
        !Actor::is_reserved(name),
        "the audit trail uses `{name}` for the product itself or the person at its pages: choose \
         another name"
    );
    let workers = match (role, workers) {
        (Role::Worker, Some(workers)) if !workers.is_empty() => workers,
        (Role::Worker, _) => anyhow::bail!(
            "say which workers the token speaks for: --workers 'worker-*', or --workers '*' for all"
        ),
        (_, None) => Globs::any(),
        (_, Some(_)) => anyhow::bail!(
            "--workers is for the role worker: a token of the role {role} speaks for every worker, or for none"
        ),
    };
    Ok(Holder { name: name.to_owned(), role, workers })
}

async fn list(pool: &PgPool) -> anyhow::Result<()> {
    let mut conn = pool.acquire().await?;
    let mut out = std::io::stdout().lock();
    for token in tokens::list(&mut conn).await? {
        let made = token.created_at.format("%Y-%m-%d %H:%M UTC");
        let state = match token.revoked_at {
            Some(at) => format!("revoked {}", at.format("%Y-%m-%d %H:%M UTC")),
            None => "valid".to_owned(),
        };
        let workers = match token.role {
            Role::Worker if token.workers.is_empty() => "  for no worker".to_owned(),
            Role::Worker => format!("  for workers {}", token.workers),
            Role::Viewer | Role::Operator | Role::Admin => String::new(),
        };
        writeln!(out, "{:<9} {made}  {state:<28} {}{workers}", token.role.as_str(), token.name)?;
    }
    Ok(())
}

async fn revoke(pool: &PgPool, name: &str) -> anyhow::Result<()> {
    let mut conn = pool.acquire().await?;
    let done = tokens::revoke(&mut conn, name, SystemClock.now()).await?;
    anyhow::ensure!(done, "there is no valid token named `{name}`: `dlo token list` shows them");
    eprintln!("Revoked `{name}`.");
    Ok(())
}
