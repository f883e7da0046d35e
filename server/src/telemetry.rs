//! Logs on stderr, so that stdout belongs to programs; and the counters behind `/metrics`.

use std::io::IsTerminal as _;

use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::config::{LogConfig, LogFormat};

/// Bounds of the buckets of every duration, in seconds.
const SECONDS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

/// Bounds of the buckets of what may take days: from a death until the letter is here.
const LONG_SECONDS: &[f64] =
    &[0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3_600.0, 21_600.0, 86_400.0];

/// Begins to log. A second call changes nothing, so that tests may call it too.
pub fn log_to_stderr(config: &LogConfig) {
    let filter = EnvFilter::new(&config.filter);
    let lines = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(config.format == LogFormat::Json);
    let started = match config.format {
        LogFormat::Text => lines.finish().try_init(),
        LogFormat::Json => lines.json().flatten_event(true).finish().try_init(),
    };
    if let Err(why) = started {
        tracing::debug!(%why, "logging had begun before");
    }
}

/// Begins to count.
///
/// # Errors
/// When something counts already.
pub fn count() -> Result<PrometheusHandle, BuildError> {
    PrometheusBuilder::new()
        .set_buckets_for_metric(Matcher::Suffix("_seconds".to_owned()), SECONDS)?
        .set_buckets_for_metric(Matcher::Full("dlo_intake_lag_seconds".to_owned()), LONG_SECONDS)?
        .set_buckets_for_metric(
            Matcher::Full("dlo_executions_scheduling_seconds".to_owned()),
            LONG_SECONDS,
        )?
        .install_recorder()
}
