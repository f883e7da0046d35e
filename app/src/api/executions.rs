//! Executions: the list, one of them, and ending one. What is shown is put into words here, so that
//! the browser has nothing to reckon with.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use dlo_domain::page::Cursor;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::Said;
use crate::codec::Json;
use crate::error::ApiError;

/// What leads to one list of executions.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionTab {
    /// Its word in the address.
    pub word: String,
    /// What it says.
    pub text: String,
}

/// Executions, those that are stuck first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionList {
    /// When they were read.
    pub now: DateTime<Utc>,
    /// In a sentence.
    pub heading: Said,
    /// How they fare.
    pub figures: Vec<String>,
    /// What somebody should look at.
    pub warning: String,
    /// The lists there are.
    pub tabs: Vec<ExecutionTab>,
    /// What this list is called.
    pub title: String,
    /// Those that are stuck, where they stand before the list.
    pub stuck: Vec<ExecutionRow>,
    /// The list.
    pub rows: Vec<ExecutionRow>,
    /// Where the next page begins.
    pub next: Option<Cursor>,
}

/// An execution as lists show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionRow {
    /// Its name.
    pub id: String,
    /// Where it stands, and how that is marked.
    pub state: (String, String),
    /// Since when.
    pub since: DateTime<Utc>,
    /// Its worker; empty when nobody said.
    pub worker: String,
    /// Which attempt it is; empty when there is but one.
    pub attempt: String,
    /// Why it failed.
    pub error: String,
}

/// One execution.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutionSheet {
    /// When it was read.
    pub now: DateTime<Utc>,
    /// What the list shows.
    pub row: ExecutionRow,
    /// In a sentence.
    pub heading: String,
    /// Who ended it, if it was not its worker.
    pub ended_by: String,
    /// What it went through, and when.
    pub course: Vec<(String, DateTime<Utc>)>,
    /// What came of it, as JSON.
    pub result: String,
    /// Whether it can be ended.
    pub is_open: bool,
    /// How many of them are held; and the filter that finds those.
    pub waiting: (i64, String),
    /// The letters that name it: the id, when it arrived, and what was done.
    pub letters: Vec<(String, DateTime<Utc>, Said)>,
}

/// A page of executions: of a state, those that are stuck, or all; of one worker, unless that is
/// empty.
///
/// # Errors
/// A word or a cursor that cannot be read, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "executions", input = GetUrl, output = Json)]
pub async fn list_executions(
    #[server(default)] tab: String,
    #[server(default)] worker: String,
    #[server(default)] cursor: String,
) -> Result<ExecutionList, ApiError> {
    saying::list(&tab, worker, super::cursor(&cursor)?).await
}

/// One execution.
///
/// # Errors
/// No such execution, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "execution", input = GetUrl, output = Json)]
pub async fn read_execution(id: String) -> Result<ExecutionSheet, ApiError> {
    saying::sheet(&id).await
}

/// Fails an execution, or cancels it where `word` is `cancelled`.
///
/// # Errors
/// No such execution, one that is over, no reason, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "executions/end", output = Json)]
pub async fn end_execution(
    id: String,
    word: String,
    #[server(default)] reason: String,
) -> Result<(), ApiError> {
    saying::end(&id, &word, &reason).await
}

#[cfg(feature = "ssr")]
pub(super) mod saying;
