//! What pages cost that show workers and executions, over HTTP, rendered by the server.

use std::sync::Arc;

use dlo_server::events::Hub;
use dlo_server::http::{self, Beginning, Front};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::Outcome;
use crate::stage::Stage;
use crate::table::{Times, Wanted, head, line};

/// What people open.
const PAGES: [&str; 10] = [
    "/",
    "/workers",
    "/workers?state=stale",
    "/workers/worker-4711",
    "/workers/worker-4710",
    "/executions",
    "/executions?tab=stuck",
    "/executions?tab=failed",
    "/executions?worker=worker-4710",
    "/executions/execution-470001",
];

/// Prints the part.
#[expect(
    clippy::disallowed_methods,
    reason = "a benchmark has no lifecycle; the end waits for the task"
)]
pub async fn measure(stage: &Stage, when: &str, rounds: usize) -> Outcome<()> {
    head("Pages", &format!("{when}, in ms"));
    let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
    let address = format!("http://{}", listener.local_addr()?);
    let site = tempfile::tempdir()?;
    let stop = CancellationToken::new();
    let front = Front {
        desk: Arc::new(stage.desk()),
        pool: stage.pool.clone(),
        hub: Hub::default(),
        beginning: watch::channel(Beginning::Done).1,
        figures: None,
        site_root: site.path().to_owned(),
        limits: http::Limits::default(),
        stop: stop.clone(),
    };
    let serving = tokio::spawn(http::serve(listener, front));
    let client = dlo_server::tls::client().build()?;
    for page in PAGES {
        let mut times = Times::default();
        let mut bytes = 0;
        for _ in 0..rounds {
            let asked = client.get(format!("{address}{page}")).send();
            let read = async { asked.await?.error_for_status()?.bytes().await };
            bytes = times.of(read).await?.len();
        }
        let figures = format!("p50 {:.1}, {} KB", times.percentile(50), bytes / 1_000);
        line(page, &figures, times.percentile(95), 100.0, Wanted::AtMost);
    }
    stop.cancel();
    serving.await??;
    Ok(())
}
