//! Saved views: filters with a name.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use dlo_domain::view::View;
use leptos::prelude::*;

use crate::error::ApiError;

/// Saves a filter under a name, in the place of an older one of that name.
///
/// # Errors
/// A name or a filter that will not do, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "views/save")]
pub async fn save_view(
    #[server(default)] name: String,
    #[server(default)] filter: String,
    #[server(default)] shared: bool,
    #[server(default)] back: String,
) -> Result<View, ApiError> {
    let view = dlo_domain::view::NewView { name, filter, shared };
    let me = dlo_domain::audit::Actor::local_operator();
    let saved = crate::desk::desk().save_view(&me, &view).await?;
    let back = crate::request::safe_return(&back, crate::links::LETTERS);
    crate::request::go_on_to(back);
    Ok(saved)
}

/// Removes a view.
///
/// # Errors
/// No such view of one's own, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "views/remove")]
pub async fn remove_view(id: String, #[server(default)] back: String) -> Result<(), ApiError> {
    let id: dlo_domain::ids::ViewId = super::id(&id, "view")?;
    let me = dlo_domain::audit::Actor::local_operator();
    crate::desk::desk().remove_view(&me, id).await?;
    let back = crate::request::safe_return(&back, crate::links::LETTERS);
    crate::request::go_on_to(back);
    Ok(())
}
