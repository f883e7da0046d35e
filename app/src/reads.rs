//! What a page reads, side by side. The page itself is written in order, each part once those before it are there: a
//! read that began only then would wait for all of them.

use futures_util::FutureExt as _;
use leptos::task;

/// Begins a read at once. It is given up when what is returned is dropped.
pub(crate) fn begun<T: Send + 'static>(
    read: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = T> + Send + 'static {
    let (reading, outcome) = read.remote_handle();
    task::spawn(reading);
    outcome
}
