//! What a page reads, side by side. The page itself is written in order, each part once those before it are there: a
//! read that began only then would wait for all of them.

use futures_util::FutureExt as _;
use leptos::prelude::use_context;
use leptos::task;

use crate::desk::Desk;

/// Begins a read at once. It is given up when what is returned is dropped.
pub(crate) fn begun<T: Send + 'static>(
    read: impl Future<Output = T> + Send + 'static,
) -> impl Future<Output = T> + Send + 'static {
    let (reading, outcome) = read.remote_handle();
    // Leptos lists the paths of all pages once, without a desk, and shows nothing then: nothing needs to be read.
    if use_context::<Desk>().is_some() {
        task::spawn(reading);
    }
    outcome
}

#[cfg(test)]
mod tests {
    use leptos::prelude::Owner;

    use super::begun;

    #[test]
    fn nothing_is_read_where_there_is_no_desk() {
        Owner::new().with(|| drop(begun(async { panic!("it was read") })));
    }
}
