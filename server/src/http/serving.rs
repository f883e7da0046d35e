//! Accepts connections and serves them, each with limits on its time: axum's own `serve` has none.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::limits::Limits;
use super::patient::Patient;

/// How long to wait when the system gives no connection, for want of files or memory.
const PAUSE: Duration = Duration::from_secs(1);

/// A connection, and the place that it takes among all.
struct Accepted {
    stream: TcpStream,
    place: OwnedSemaphorePermit,
}

/// Serves until it is stopped, and ends what it had begun to answer.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stop: CancellationToken,
) {
    let places = Arc::new(Semaphore::new(limits.connections));
    let ending = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        let Accepted { stream, place } = tokio::select! {
            () = stop.cancelled() => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener, &places) => accepted,
        };
        let io = TokioIo::new(Patient::new(stream, limits.stalled));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(limits.head)
            .serve_connection(io, TowerToHyperService::new(router.clone()));
        let connection = ending.watch(connection);
        connections.spawn(async move {
            // How a connection ends is the client's affair; what was answered is logged elsewhere.
            let _ = connection.await;
            drop(place);
        });
    }
    drop(listener);
    ending.shutdown().await;
}

/// The next connection, once there is a place for it.
async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> Accepted {
    let place = places.clone().acquire_owned().await;
    let place = place.expect("the places are never closed");
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return Accepted { stream, place },
            Err(why) if is_of_the_client(&why) => {}
            Err(why) => {
                tracing::error!(%why, "no connection can be accepted; trying again");
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_the_client(why: &io::Error) -> bool {
    matches!(
        why.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}
