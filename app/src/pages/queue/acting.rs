//! What people do with the dead-lettering of a queue: one form each.

use leptos::prelude::*;

use super::draft::DeadLetteringDraft;
use super::plan;
use crate::error::ApiError;

/// Sets dead-lettering of a queue as it was looked at: `plan` is what its preview told.
///
/// # Errors
/// Something changed meanwhile, or stands against it; or a desk or a broker that does not answer.
#[server(prefix = "/ui", endpoint = "queue/dead-lettering")]
pub(crate) async fn set_dead_lettering(
    #[server(flatten)] draft: DeadLetteringDraft,
    #[server(default)] plan: String,
) -> Result<(), ApiError> {
    plan::set(draft, &plan).await
}

/// Takes away what was set of a queue, as it was looked at.
///
/// # Errors
/// Something changed meanwhile, nothing was set here; or a desk or a broker that does not answer.
#[server(prefix = "/ui", endpoint = "queue/take-back")]
pub(crate) async fn take_back_dead_lettering(
    #[server(flatten)] draft: DeadLetteringDraft,
    #[server(default)] plan: String,
) -> Result<(), ApiError> {
    plan::take_back(draft, &plan).await
}

/// Lifts the limit of deliveries of a queue, as it was looked at.
///
/// # Errors
/// Something changed meanwhile, no policy lifts it; or a desk or a broker that does not answer.
#[server(prefix = "/ui", endpoint = "queue/lift-limit")]
pub(crate) async fn lift_delivery_limit(
    #[server(flatten)] draft: DeadLetteringDraft,
    #[server(default)] plan: String,
) -> Result<(), ApiError> {
    plan::lift(draft, &plan).await
}
