//! Where the fleet tells how its executions stand: an office's HTTP API. The executor waits until it is
//! heard, so that no message dies before its execution is known; workers never wait for anybody. Must
//! not know what is told.

use crate::http_client::http_client;
use serde_json::{Value, json};
use std::fmt;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// As many reports as an office takes at once.
const AT_ONCE: usize = 500;
/// Reports of workers that wait at most; later ones are dropped, as by a worker that is killed.
const MOST_WAITING: usize = 10_000;
const ANSWER_WITHIN: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(2);

/// An office that is told of executions.
#[derive(Clone)]
pub struct OfficeAddress {
    /// Its address, such as `http://127.0.0.1:8484`.
    pub http: String,
    /// A token of the role operator or above.
    pub token: String,
}

impl fmt::Debug for OfficeAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OfficeAddress").field("http", &self.http).finish_non_exhaustive()
    }
}

/// An office, or nobody: then all that is told is forgotten.
#[derive(Debug, Clone)]
pub(super) struct Office(Option<(reqwest::Client, OfficeAddress)>);

impl Office {
    pub(super) fn at(address: Option<&OfficeAddress>) -> Result<Self, reqwest::Error> {
        let Some(address) = address else {
            return Ok(Self(None));
        };
        let client = http_client().timeout(ANSWER_WITHIN).build()?;
        Ok(Self(Some((client, address.clone()))))
    }

    /// Tells until it is heard or the fleet stops. What an office does not take for good, it does not
    /// take the second time either.
    pub(super) async fn tell(&self, reports: &[Value], stop: &CancellationToken) {
        let Some((client, address)) = &self.0 else {
            return;
        };
        if reports.is_empty() {
            return;
        }
        let url = format!("{}/api/v1/executions", address.http);
        let mut pause = FIRST_PAUSE;
        loop {
            let request =
                client.post(&url).bearer_auth(&address.token).json(&json!({ "reports": reports }));
            let Some(answer) = stop.run_until_cancelled(request.send()).await else {
                return;
            };
            match answer.and_then(reqwest::Response::error_for_status) {
                Ok(_) => return,
                Err(error) if error.status().is_some_and(|status| status.is_client_error()) => {
                    let error = error.without_url();
                    tracing::warn!(%error, "the office does not take what the fleet reports");
                    return;
                }
                Err(error) => tracing::debug!(%error, "the office is not there yet"),
            }
            let Some(()) = stop.run_until_cancelled(tokio::time::sleep(pause)).await else {
                return;
            };
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}

/// Where workers leave their reports: they go on at once.
#[derive(Debug, Clone)]
pub(super) struct Notes(mpsc::Sender<Value>);

impl Notes {
    pub(super) fn leave(&self, report: Value) {
        if self.0.try_send(report).is_err() {
            tracing::debug!("a report of a worker is dropped: too many wait, or the fleet stops");
        }
    }
}

/// Carries the notes of all workers to the office, in their order.
pub(super) struct Courier {
    office: Office,
    notes: mpsc::Receiver<Value>,
}

impl Courier {
    pub(super) fn of(office: Office) -> (Notes, Self) {
        let (sender, notes) = mpsc::channel(MOST_WAITING);
        (Notes(sender), Self { office, notes })
    }

    /// Carries them until the fleet stops.
    pub(super) async fn run(mut self, stop: CancellationToken) {
        let mut reports = Vec::new();
        loop {
            let taking = self.notes.recv_many(&mut reports, AT_ONCE);
            match stop.run_until_cancelled(taking).await {
                Some(1..) => self.office.tell(&reports, &stop).await,
                Some(0) | None => return,
            }
            reports.clear();
        }
    }
}
