//! Putting letters away, with the reason.

use axum::Json;
use axum::extract::State;
use dlo_domain::filter::LetterFilter;
use dlo_domain::selection::{Changed, Chosen, Selection};
use serde::Deserialize;

use super::input::JsonBody;
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// The most characters of a reason.
const MOST_REASON_CHARS: usize = 500;

/// Which letters are put away, and why.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewDiscard {
    /// Which letters.
    selection: Selection,
    /// Why, for those who look at them later.
    #[schema(min_length = 1, max_length = 500)]
    reason: String,
}

/// Puts letters away. Those in a state that does not allow it are left out, with the reason.
#[utoipa::path(
    post, path = "/api/v1/discards", tag = "decisions",
    request_body = NewDiscard,
    responses(
        (status = 200, body = Changed),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such group"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewDiscard>,
) -> Result<Json<Changed>, Problem> {
    let reason = wanted.reason.trim();
    if reason.is_empty() {
        return Err(Problem::invalid("`reason` is empty: say why"));
    }
    if reason.chars().count() > MOST_REASON_CHARS {
        let why = format!("`reason` has more than {MOST_REASON_CHARS} characters: shorten it");
        return Err(Problem::invalid(why));
    }
    if reason.contains('\0') {
        return Err(Problem::invalid("`reason` holds a NUL character: leave it out"));
    }
    check(&wanted.selection)?;
    Ok(Json(front.desk.discard(&actor, &wanted.selection, reason).await?))
}

/// Refuses a selection that chooses nothing, too much, or everything by accident, and a filter that
/// cannot be read.
pub(super) fn check(selection: &Selection) -> Result<(), Problem> {
    let chosen =
        selection.chosen().map_err(|fault| Problem::invalid(format!("`selection`: {fault}")))?;
    if let Chosen::Matching(text) = chosen {
        LetterFilter::parse(text).map_err(|fault| Problem::unreadable_filter(&fault))?;
    }
    Ok(())
}
