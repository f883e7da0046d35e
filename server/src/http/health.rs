//! Health and figures: for supervisors, load balancers and Prometheus.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dlo_domain::source::{Source, SourceCondition};
use serde::Serialize;

use super::Front;

/// How far an office has come since it was started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Beginning {
    /// What it waits for, as a sentence.
    Waiting(String),
    /// The database is migrated and the services run.
    Done,
}

#[derive(Serialize)]
struct Readiness {
    ready: bool,
    /// Why it is not ready.
    reasons: Vec<String>,
    /// Sources that are not well. They do not make an office unready: its pages must stay
    /// reachable to show what is wrong with them.
    sources: Vec<SourceTrouble>,
}

#[derive(Serialize)]
struct SourceTrouble {
    source: String,
    condition: SourceCondition,
    detail: Option<String>,
}

/// The process is up.
pub(super) async fn healthz() -> &'static str {
    "ok\n"
}

/// Whether it can do its work, and if not, why.
pub(super) async fn readyz(State(front): State<Front>) -> Response {
    let mut reasons = Vec::new();
    if let Beginning::Waiting(reason) = &*front.beginning.borrow() {
        reasons.push(reason.clone());
    }
    if reasons.is_empty() && !answers(&front).await {
        reasons.push("the database does not answer".to_owned());
    }
    let sources = match reasons.as_slice() {
        [] => front.desk.sources().await.unwrap_or_default(),
        _ => Vec::new(),
    };
    let readiness = Readiness {
        ready: reasons.is_empty(),
        reasons,
        sources: sources.into_iter().filter_map(trouble).collect(),
    };
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(readiness)).into_response()
}

async fn answers(front: &Front) -> bool {
    let asked = tokio::time::timeout(front.limits.database, crate::store::ping(&front.pool)).await;
    matches!(asked, Ok(Ok(())))
}

fn trouble(source: Source) -> Option<SourceTrouble> {
    (!source.condition.is_well()).then_some(SourceTrouble {
        source: source.name,
        condition: source.condition,
        detail: source.condition_detail,
    })
}

/// Figures in Prometheus' text form.
pub(super) async fn metrics(State(front): State<Front>) -> Response {
    match front.figures {
        Some(figures) => {
            metrics_process::Collector::default().collect();
            let kind = (header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8");
            ([kind], figures.render()).into_response()
        }
        None => StatusCode::NOT_FOUND.into_response(),
    }
}
