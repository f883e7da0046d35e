//! Workers: the list, one of them, and having one drained. What is shown is put into words here, so
//! that the browser has nothing to reckon with.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::Said;
use super::executions::ExecutionRow;
use crate::codec::Json;
use crate::error::ApiError;

#[cfg(feature = "ssr")]
mod saying;
#[cfg(feature = "ssr")]
mod sheet;

/// Workers as they are shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerList {
    /// In a sentence.
    pub heading: Said,
    /// What is to be known beside it.
    pub note: String,
    /// Nobody ever reported.
    pub is_empty: bool,
    /// Kinds with their counts.
    pub kinds: Vec<KindRow>,
    /// How many match.
    pub total: String,
    /// The workers of this page.
    pub rows: Vec<WorkerRow>,
    /// Executions that are stuck, the first of them; none but on the first page of all workers.
    pub stuck: Vec<ExecutionRow>,
    /// When they were read.
    pub now: DateTime<Utc>,
    /// Where the next page begins; empty on the last one.
    pub next: String,
}

/// A kind of workers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KindRow {
    /// What their names have in common.
    pub kind: String,
    /// How many there are in all.
    pub total: String,
    /// `2 stale, 5 fresh`.
    pub says: String,
    /// Some are stale.
    pub is_ill: bool,
}

/// A worker in the list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerRow {
    /// Its name.
    pub name: String,
    /// How it is, in a word.
    pub condition: String,
    /// How long it has been silent.
    pub silent: String,
    /// The same against the line at which it is stale, which stands at 50; from 0 to 100.
    pub bar: u8,
    /// What it has in hand: `7/16`.
    pub load: String,
    /// The queue that it works on.
    pub queue: String,
    /// What it runs.
    pub version: String,
    /// What its own address says.
    pub probe: String,
    /// How long it was away today; empty when it was not.
    pub down: String,
    /// How many letters died in its queue in the last hour; empty where it names none.
    pub letters: String,
}

/// One worker.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkerSheet {
    /// As in the list.
    pub row: WorkerRow,
    /// In a sentence.
    pub heading: Said,
    /// Its kind.
    pub kind: String,
    /// What brokers say of it; empty when that is as it should be, or not known.
    pub opinion: String,
    /// Names and what is known.
    pub facts: Vec<(String, Said)>,
    /// Where its letters that wait can be replayed: the address, and what that is called.
    pub replay: Option<(String, String)>,
    /// What it said beside that, as JSON; empty when nothing.
    pub metadata: String,
    /// When it was away: since, until, for how long.
    pub downtimes: Vec<(String, String, String)>,
    /// It can be drained.
    pub can_drain: bool,
    /// It can be taken back into work.
    pub can_activate: bool,
}

/// A page of workers; `state` and `kind` are empty for all of them.
///
/// # Errors
/// A state that there is not, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "workers", input = GetUrl, output = Json)]
pub async fn list_workers(
    #[server(default)] state: String,
    #[server(default)] kind: String,
    #[server(default)] cursor: String,
) -> Result<WorkerList, ApiError> {
    saying::list(&state, &kind, &cursor).await
}

/// One worker.
///
/// # Errors
/// No such worker, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "worker", input = GetUrl, output = Json)]
pub async fn read_worker(name: String) -> Result<WorkerSheet, ApiError> {
    let report = crate::desk::desk().worker(&name).await?;
    let letters = sheet::waiting(&name).await?;
    let stuck = sheet::stuck(&name).await?;
    Ok(sheet::of(report, letters, stuck, crate::request::now()))
}

/// Has a worker drained, or takes it back into work.
///
/// # Errors
/// No such worker, one that has stopped or is not draining, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "workers/drain", output = Json)]
pub async fn drain_worker(name: String, drains: bool) -> Result<(), ApiError> {
    let actor = dlo_domain::audit::Actor::local_operator();
    crate::desk::desk().drain_worker(&actor, &name, drains).await?;
    let notice = if drains { "drains" } else { "active" };
    let back = crate::links::worker(&name);
    crate::request::go_on_to(&crate::links::with_query(&back, [("notice", notice)]));
    Ok(())
}
