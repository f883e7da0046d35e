//! What is served over HTTP: pages, the API, live events, health and figures. It asks the desk for
//! everything; the only SQL behind it are the tokens and the question whether Postgres answers.

pub mod api;
mod bearer;
mod download;
mod guard;
mod health;
mod islands;
mod limits;
mod live;
mod markers;
mod observe;
mod pages;
mod patient;
mod problem;
mod route;
mod router;
mod serving;
mod site;
mod tasks;
mod uploads;

use std::convert::Infallible;
use std::path::PathBuf;
use std::sync::Arc;

use dlo_app::desk::TriageDesk;
use metrics_exporter_prometheus::PrometheusHandle;
use sqlx::PgPool;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::events::Hub;

pub use health::Beginning;
pub use limits::Limits;
pub use problem::Problem;
pub use route::RouteKind;
pub use router::{Listed, listed, router};

/// What serving needs.
#[derive(Clone)]
pub struct Front {
    /// Answers everything that is asked.
    pub desk: Arc<dyn TriageDesk>,
    /// For tokens and health.
    pub pool: PgPool,
    /// Live events.
    pub hub: Hub,
    /// How far the office has come since it was started.
    pub beginning: watch::Receiver<Beginning>,
    /// The figures; absent where nothing counts.
    pub figures: Option<PrometheusHandle>,
    /// The directory of the site's files.
    pub site_root: PathBuf,
    /// How much is done for whoever asks.
    pub limits: Limits,
    /// Ends live streams, which would go on for ever.
    pub stop: CancellationToken,
}

/// Serves until it is stopped, and ends what it had begun to answer.
///
/// # Errors
/// Never: where the system gives no connection, it is asked again.
pub async fn serve(listener: TcpListener, front: Front) -> Result<(), Infallible> {
    serving::serve(listener, router(&front), front.limits, front.stop).await;
    Ok(())
}
