//! What every page does alike: it reads, and shows what it read or why it could not.

use leptos::prelude::*;
use leptos_meta::Meta;

use crate::components::ErrorPanel;
use crate::error::ApiError;
use crate::reads::begun;

/// Has the page asked for again when one of these events comes: the names of `LiveEvent` as it is sent. What
/// every page shows, the banner and the bell, needs no naming.
#[component]
pub(super) fn Watches(
    /// Their names.
    events: &'static [&'static str],
) -> impl IntoView {
    view! { <Meta name="watches" content=events.join(" ") /> }
}

/// Loads the program of the islands: what has one says so, and a page that has none loads nothing.
#[component]
pub(super) fn Islands() -> impl IntoView {
    use_context::<LeptosOptions>()
        .map(|options| view! { <HydrationScripts options islands=true /> })
}

/// What a page shows once it is read. Why it cannot be read is also the status of the answer.
pub(super) fn shown<T, E>(
    read: impl Future<Output = Result<T, E>> + Send + 'static,
    view: impl FnOnce(T) -> AnyView + Send + 'static,
) -> AnyView
where
    T: Send + 'static,
    E: Into<ApiError> + Send + 'static,
{
    let read = begun(read);
    let content = Suspend::new(async move {
        match read.await {
            Ok(read) => view(read),
            Err(error) => view! { <ErrorPanel error=error.into() /> }.into_any(),
        }
    });
    view! { <Suspense>{content}</Suspense> }.into_any()
}
