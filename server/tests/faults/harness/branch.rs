//! An office as a process of its own, which is asked through its API.

use std::time::{Duration, Instant};

use dlo_server::access::Role;
use dlo_server::broker::Brokers;
use reqwest::{Client, StatusCode};
use serde_json::Value;
use sqlx::PgPool;

use super::program::Running;
use crate::support::database::database_url;
use crate::support::token::token;
use crate::support::until_within;

/// How long an office may answer that it has no room.
const ROOM_WITHIN: Duration = Duration::from_secs(30);

/// `dlo serve` without intake, and leave to operate it.
pub struct Branch {
    /// The process.
    pub running: Running,
    address: String,
    token: String,
    client: Client,
}

impl Branch {
    /// Opens it, and waits until it serves. `name` is what its token is called.
    pub async fn open(
        pool: &PgPool,
        brokers: &Brokers,
        name: &str,
        variables: &[(&str, &str)],
    ) -> Self {
        let (database, broker) = (database_url(pool), brokers.get("main").expect("a broker"));
        let mut all = vec![
            ("DLO_DATABASE_URL", &*database),
            ("DLO_BROKER_URL", &*broker.amqp),
            ("DLO_HTTP_ADDRESS", "127.0.0.1:0"),
            ("DLO_INTAKE", "off"),
            ("DLO_LOG", "error"),
        ];
        all.extend(variables);
        let running = Running::start(&["serve", "--json"], &all).await;
        let address = running.ready["http"].as_str().expect("an address");
        let branch = Self {
            address: address.to_owned(),
            token: token(pool, name, Role::Operator).await.reveal().to_owned(),
            client: Client::new(),
            running,
        };
        until_within("the office is ready", Duration::from_secs(30), || branch.is_ready()).await;
        branch
    }

    async fn is_ready(&self) -> bool {
        let asked = self.client.get(format!("{}/readyz", self.address)).send();
        asked.await.is_ok_and(|answer| answer.status().is_success())
    }

    /// Asks for something to be done, and reads the answer.
    ///
    /// # Errors
    /// When the office does not live to answer.
    pub async fn post(&self, path: &str, body: &Value) -> reqwest::Result<Value> {
        let url = format!("{}{path}", self.address);
        let asked = || self.client.post(&url).bearer_auth(&self.token).json(body);
        let deadline = Instant::now() + ROOM_WITHIN;
        loop {
            let answer = asked().send().await?;
            // Nothing was done, and it is to be asked again, as programs do.
            if answer.status() != StatusCode::SERVICE_UNAVAILABLE || Instant::now() > deadline {
                return answer.error_for_status()?.json().await;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    }

    /// Ends it in order.
    pub async fn close(self) {
        self.running.signal("-TERM").await;
        assert!(self.running.ended(30).await, "in good order");
    }
}
