//! A whole office: the program itself, with everything on, asked over HTTP as people and programs ask it.

use std::error::Error;
use std::process::Stdio;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::{Child, Command};

use crate::letters::Bench;
use crate::memory;

/// How long it may take to begin and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// `dlo serve` as a process of its own.
pub struct WholeOffice {
    process: Child,
    address: String,
    token: String,
    client: Client,
}

impl WholeOffice {
    /// Starts one on the database and the broker of the benchmark; returns when it is ready.
    pub async fn open(bench: &Bench) -> Result<Self, Box<dyn Error>> {
        let broker = bench.brokers.get("main")?;
        let management = broker.management.clone().unwrap_or_default();
        let mut command = Command::new(env!("CARGO_BIN_EXE_dlo"));
        command
            .env("DLO_DATABASE_URL", &bench.database_url)
            .env("DLO_BROKER_URL", &broker.amqp)
            .env("DLO_MANAGEMENT_URL", management)
            .env("DLO_HTTP_ADDRESS", "127.0.0.1:0")
            .env("DLO_LOG", "error")
            .kill_on_drop(true)
            .stdin(Stdio::null());
        let token = made_token(bench).await?;
        let mut process = command
            .args(["serve", "--json"])
            .stdout(Stdio::piped())
            .spawn()?;
        let out = process.stdout.take().ok_or("a pipe")?;
        let mut lines = BufReader::new(out).lines();
        let line = tokio::time::timeout(PATIENCE, lines.next_line()).await??;
        let ready: Value = serde_json::from_str(&line.ok_or("the office ended")?)?;
        let address = ready["http"].as_str().ok_or("an address")?.to_owned();
        let office = Self {
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

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.address);
        self.client.request(method, url).bearer_auth(&self.token)
    }

    /// Asks for something to be done, and reads the answer.
    pub async fn post(&self, path: &str, body: &Value) -> Result<Value, Box<dyn Error>> {
        let answer = self.request(Method::POST, path).json(body).send().await?;
        read(answer).await
    }

    /// Asks for a document.
    pub async fn get(&self, path: &str) -> Result<Value, Box<dyn Error>> {
        let answer = self.request(Method::GET, path).send().await?;
        read(answer).await
    }

    /// Asks for a page or a document; how many bytes came.
    pub async fn fetch(&self, path: &str) -> Result<usize, Box<dyn Error>> {
        let answer = self.request(Method::GET, path).send().await?;
        let answer = answer.error_for_status()?;
        Ok(answer.bytes().await?.len())
    }

    /// The most memory that it had at once, in MiB.
    pub fn peak_mib(&self) -> Result<u64, Box<dyn Error>> {
        memory::peak_mib(&self.process.id().ok_or("it runs")?.to_string())
    }

    /// Ends it in order.
    pub async fn close(mut self) -> Result<(), Box<dyn Error>> {
        let pid = self.process.id().ok_or("it runs")?.to_string();
        Command::new("kill").args(["-TERM", &pid]).status().await?;
        let ended = tokio::time::timeout(PATIENCE, self.process.wait()).await??;
        if ended.success() {
            Ok(())
        } else {
            Err(format!("the office ended with {ended}").into())
        }
    }
}

async fn read(answer: reqwest::Response) -> Result<Value, Box<dyn Error>> {
    let status = answer.status();
    let text = answer.text().await?;
    if !status.is_success() {
        return Err(format!("{status}: {text}").into());
    }
    Ok(serde_json::from_str(&text)?)
}

/// A token with the rights of an administrator, made by the program itself.
async fn made_token(bench: &Bench) -> Result<String, Box<dyn Error>> {
    let name = format!("bench-{}", uuid::Uuid::new_v4());
    let made = Command::new(env!("CARGO_BIN_EXE_dlo"))
        .args(["token", "create", "--role", "admin", "--name", &name])
        .env("DLO_DATABASE_URL", &bench.database_url)
        .output()
        .await?;
    if !made.status.success() {
        return Err(String::from_utf8_lossy(&made.stderr).into_owned().into());
    }
    let said = String::from_utf8(made.stdout)?;
    let token = said.split_whitespace().last().ok_or("a token")?;
    Ok(token.to_owned())
}
