//! The office as a whole: the figures of the first page, and what is not well.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use dlo_domain::alert::Firing;
use dlo_domain::office::Trouble;
use dlo_domain::overview::Overview;
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

#[cfg(feature = "ssr")]
mod saying;

/// The figures of the first page over a span of `1h`, `24h` or `7d`.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "overview", input = GetUrl, output = Json)]
pub async fn read_overview(#[server(default)] span: String) -> Result<Overview, ApiError> {
    let span = dlo_domain::overview::Span::from_word(&span);
    Ok(crate::desk::desk().overview(span).await?)
}

/// One thing that may be why letters die.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CauseRow {
    /// How many; empty when all is well.
    pub count: String,
    /// What, or that there is none.
    pub says: String,
    /// Their list.
    pub href: String,
    /// How bad they are, worst first, each with its words.
    pub severities: Vec<(Severity, String)>,
}

/// What is not well with workers, executions and queues, each in a row of its own.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "causes", input = GetUrl, output = Json)]
pub async fn read_causes() -> Result<Vec<CauseRow>, ApiError> {
    let causes = crate::desk::desk().causes().await?;
    Ok(saying::causes(&causes))
}

/// The address under which this office was asked, such as `http://127.0.0.1:8484`.
///
/// # Errors
/// A request that is none.
#[server(prefix = "/ui", endpoint = "address", input = GetUrl, output = Json)]
pub async fn read_address() -> Result<String, ApiError> {
    crate::request::address().await
}

/// What is not well, and when that was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Troubles {
    /// When it was asked.
    pub now: DateTime<Utc>,
    /// What is not well; empty when all is.
    pub troubles: Vec<Trouble>,
    /// The alerts that fire; absent where that cannot be read.
    pub firing: Option<Firing>,
}

/// What is not well, and what fires.
///
/// # Errors
/// None by itself; the way there may fail.
#[server(prefix = "/ui", endpoint = "troubles", input = GetUrl, output = Json)]
pub async fn read_troubles() -> Result<Troubles, ApiError> {
    let desk = crate::desk::desk();
    Ok(Troubles {
        troubles: desk.troubles().await,
        firing: desk.firing().await.ok(),
        now: crate::request::now(),
    })
}
