//! The tasks that pages are rendered with: each belongs to the span of its request, so that what a page asks
//! Postgres is logged with the request that it was asked for.

use any_spawner::{CustomExecutor, Executor, PinnedFuture, PinnedLocalFuture};
use tracing::Instrument as _;

/// Tokio's tasks, within the span that begins them.
struct SpannedTasks;

impl CustomExecutor for SpannedTasks {
    #[expect(
        clippy::disallowed_methods,
        reason = "Leptos owns these tasks: they end with their page"
    )]
    fn spawn(&self, task: PinnedFuture<()>) {
        tokio::spawn(task.in_current_span());
    }

    fn spawn_local(&self, task: PinnedLocalFuture<()>) {
        tokio::task::spawn_local(task.in_current_span());
    }

    fn poll_local(&self) {}
}

/// Renders pages with such tasks. Leptos takes tokio's own if it is asked for anything before this.
pub(super) fn begin() {
    // Somebody else has begun them: pages are the same, and less is known of their queries.
    if Executor::init_custom_executor(SpannedTasks).is_err() {
        tracing::debug!("pages are rendered with other tasks");
    }
}
