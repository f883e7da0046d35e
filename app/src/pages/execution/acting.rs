//! Ending an execution by hand.

use dlo_domain::audit::Actor;
use dlo_domain::execution::ExecutionState;
use leptos::prelude::*;

use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::request::go_on_to;

/// Fails an execution, or cancels it where `word` is `cancelled`.
///
/// # Errors
/// No such execution, one that is over, no reason, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "executions/end")]
pub(crate) async fn end_execution(
    id: String,
    word: String,
    #[server(default)] reason: String,
) -> Result<(), ApiError> {
    let state = match &*word {
        "failed" => ExecutionState::Failed,
        "cancelled" => ExecutionState::Cancelled,
        _ => {
            let why = "An execution is failed or cancelled here, and nothing else.";
            return Err(ApiError::invalid(why));
        }
    };
    let operator = Actor::local_operator();
    desk().end_execution(&operator, &id, state, &reason).await?;
    go_on_to(&links::execution(&id));
    Ok(())
}
