//! `dlo serve` with pages and API as a process of its own, for tests that stop what it needs.

use std::time::{Duration, Instant};

use dlo_server::broker::Brokers;
use reqwest::Client;
use serde_json::Value;

use super::process::memory_kib;
use super::program::Running;
use crate::support::until_within;

/// An office that a test asks by HTTP.
pub struct ServedOffice {
    /// The process.
    pub running: Running,
    /// Its address, such as `http://127.0.0.1:40123`.
    pub address: String,
    client: Client,
}

impl ServedOffice {
    /// Opens it, and waits until it is ready.
    pub async fn open(database: &str, brokers: &Brokers, variables: &[(&str, &str)]) -> Self {
        let broker = brokers.get("main").expect("a broker");
        let management = broker.management.clone().unwrap_or_default();
        let mut all = vec![
            ("DLO_DATABASE_URL", database),
            ("DLO_BROKER_URL", &*broker.amqp),
            ("DLO_MANAGEMENT_URL", &*management),
            ("DLO_HTTP_ADDRESS", "127.0.0.1:0"),
            ("DLO_LOG", "error"),
        ];
        all.extend(variables);
        let running = Running::start(&["serve", "--json"], &all).await;
        let address = running.ready["http"].as_str().expect("an address");
        let office = Self {
            address: address.to_owned(),
            client: Client::builder().timeout(Duration::from_secs(5)).build().expect("a client"),
            running,
        };
        until_within("the office is ready", Duration::from_secs(30), || async {
            office.readiness().await.0 == 200
        })
        .await;
        office
    }

    /// What `/readyz` answers: its status (0 if nothing came) and its document.
    pub async fn readiness(&self) -> (u16, Value) {
        let Ok(answer) = self.client.get(format!("{}/readyz", self.address)).send().await else {
            return (0, Value::Null);
        };
        let status = answer.status().as_u16();
        (status, answer.json().await.unwrap_or_default())
    }

    /// The HTML of a page, or the empty text if none came.
    pub async fn page(&self, path: &str) -> String {
        let asked =
            self.client.get(format!("{}{path}", self.address)).header("accept", "text/html");
        match asked.send().await {
            Ok(answer) => answer.text().await.unwrap_or_default(),
            Err(_) => String::new(),
        }
    }

    /// How long it takes from now until a page holds these words, but no longer than `within`.
    pub async fn page_says(&self, path: &str, words: &str, within: Duration) -> Option<Duration> {
        let began = Instant::now();
        while began.elapsed() < within {
            if self.page(path).await.contains(words) {
                return Some(began.elapsed());
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        None
    }

    /// The memory that it has now, in KiB.
    pub fn memory_kib(&self) -> u64 {
        memory_kib(&self.running.pid().to_string(), "VmRSS:")
    }

    /// Ends it in order.
    pub async fn close(self) {
        self.running.signal("-TERM").await;
        assert!(self.running.ended(60).await, "in good order");
    }
}
