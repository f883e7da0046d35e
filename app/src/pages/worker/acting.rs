//! Having a worker drained.

use dlo_domain::audit::Actor;
use leptos::prelude::*;

use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::request::go_on_to;

/// Has a worker drained, or takes it back into work.
///
/// # Errors
/// No such worker, one that has stopped or is not draining, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "workers/drain")]
pub(crate) async fn drain_worker(name: String, drains: bool) -> Result<(), ApiError> {
    desk().drain_worker(&Actor::local_operator(), &name, drains).await?;
    go_on_to(&links::told(&links::worker(&name), if drains { "drains" } else { "active" }));
    Ok(())
}
