//! A whole office: the program itself, with everything on, asked over HTTP as people and programs ask it.

use std::error::Error;
use std::process::Stdio;
use std::time::Duration;

use reqwest::{Client, Method};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

/// How long it may take to begin and to end.
const PATIENCE: Duration = Duration::from_mins(1);

/// Where the servers of an office are.
pub struct Servers {
    /// The address of the database.
    pub database: String,
    /// The broker's.
    pub amqp: String,
    /// Its management API's.
    pub management: String,
}

/// `dlo serve` as a process of its own.
pub struct WholeOffice {
    process: Child,
    /// Its process id.
    pub pid: String,
    /// Where it answers.
    pub address: String,
    token: String,
    client: Client,
}

impl WholeOffice {
    /// Starts one; returns when it is ready.
    pub async fn open(servers: &Servers) -> Result<Self, Box<dyn Error>> {
        let token = made_token(servers).await?;
        let mut command = Command::new(env!("CARGO_BIN_EXE_dlo"));
        let mut process = command
            .args(["serve", "--json"])
            .env("DLO_DATABASE_URL", &servers.database)
            .env("DLO_BROKER_URL", &servers.amqp)
            .env("DLO_MANAGEMENT_URL", &servers.management)
            .env("DLO_HTTP_ADDRESS", "127.0.0.1:0")
            .env("DLO_LOG", "error")
            .kill_on_drop(true)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()?;
        let out = process.stdout.take().ok_or("a pipe")?;
        let mut lines = BufReader::new(out).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await??;
        let ready: Value = serde_json::from_str(&line.ok_or("the office ended")?)?;
        let address = ready["http"].as_str().ok_or("an address")?.to_owned();
        let office = Self {
            pid: process.id().ok_or("it runs")?.to_string(),
            process,
            address,
            token,
            client: Client::new(),
        };
        let until = tokio::time::Instant::now() + PATIENCE;
        while !office.is_ready().await {
            if tokio::time::Instant::now() > until {
                return Err("the office is not ready within a minute".into());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        Ok(office)
    }

    async fn is_ready(&self) -> bool {
        let asked = self.client.get(format!("{}/readyz", self.address)).send();
        asked.await.is_ok_and(|answer| answer.status().is_success())
    }

    /// Asks for a page, a document, or for something to be done; what came.
    pub async fn ask(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Vec<u8>, Box<dyn Error>> {
        let url = format!("{}{path}", self.address);
        let mut request = self.client.request(method, url);
        // Pages ask for no token.
        if path.starts_with("/api/") {
            request = request.bearer_auth(&self.token);
        }
        if let Some(body) = body {
            request = request.json(body);
        }
        let answer = request.send().await?;
        let (status, bytes) = (answer.status(), answer.bytes().await?);
        if !status.is_success() {
            return Err(format!("{path}: {status}: {}", String::from_utf8_lossy(&bytes)).into());
        }
        Ok(bytes.to_vec())
    }

    /// Ends it in order.
    pub async fn close(mut self) -> Result<(), Box<dyn Error>> {
        Command::new("kill").args(["-TERM", &self.pid]).status().await?;
        let ended = tokio::time::timeout(PATIENCE, self.process.wait()).await??;
        if ended.success() { Ok(()) } else { Err(format!("the office ended with {ended}").into()) }
    }
}

/// A token with the rights of an administrator, made by the program itself.
async fn made_token(servers: &Servers) -> Result<String, Box<dyn Error>> {
    let name = format!("bench-{}", uuid::Uuid::new_v4());
    let made = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args(["token", "create", "--role", "admin", "--name", &name])
        .env("DLO_DATABASE_URL", &servers.database)
        .output()
        .await?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    let said = String::from_utf8(made.stdout)?;
    let token = said.split_whitespace().last().ok_or("a token")?;
    Ok(token.to_owned())
}
