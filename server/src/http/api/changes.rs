//! Changing what is sent: a jq program tried on letters, what was sent, and a second person's word.

use axum::Json;
use axum::extract::{Path, State};
use dlo_domain::changing::{SentBody, TransformPreview, TryTransform, Verdict};
use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Replay;

use super::discards::check;
use super::input::{Id, JsonBody, id_from};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// What would be sent of letters: by a jq program, with what is inside of envelopes, with headers left out or set.
/// Counts over the first 1,000 that can be replayed, and the differences of the first 20, of their bodies and of their
/// properties and headers. Changes nothing.
#[utoipa::path(
    post, path = "/api/v1/replays/preview", tag = "replays",
    request_body = TryTransform,
    responses(
        (status = 200, body = TransformPreview),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such group"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json", description = "The program cannot be read; `position` and `length` tell where"),
    )
)]
pub(crate) async fn preview(
    State(front): State<Front>,
    JsonBody(asked): JsonBody<TryTransform>,
) -> Result<Json<TransformPreview>, Problem> {
    check(&asked.selection)?;
    Ok(Json(front.desk.try_transform(&asked).await?))
}

/// Lets a replay go that waits for a second person; its maker cannot.
#[utoipa::path(
    post, path = "/api/v1/replays/{id}/approve", tag = "replays",
    params(("id" = ReplayId, Path)),
    responses(
        (status = 200, body = Replay),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It does not wait for approval, or the caller is who asked for it"),
    )
)]
pub(crate) async fn approve(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ReplayId>,
) -> Result<Json<Replay>, Problem> {
    Ok(Json(front.desk.approve_replay(&actor, id).await?))
}

/// Gives a replay up that waits for a second person; its letters are held again. Its maker cannot.
#[utoipa::path(
    post, path = "/api/v1/replays/{id}/reject", tag = "replays",
    params(("id" = ReplayId, Path)),
    request_body = Verdict,
    responses(
        (status = 200, body = Replay),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It does not wait for approval, or the caller is who asked for it"),
    )
)]
pub(crate) async fn reject(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ReplayId>,
    JsonBody(verdict): JsonBody<Verdict>,
) -> Result<Json<Replay>, Problem> {
    let rejected = front.desk.reject_replay(&actor, id, &verdict.reason).await?;
    Ok(Json(rejected))
}

/// What a replay sent in place of a letter's body.
#[utoipa::path(
    get, path = "/api/v1/letters/{id}/sent/{replay}", tag = "letters",
    params(("id" = LetterId, Path), ("replay" = ReplayId, Path)),
    responses(
        (status = 200, body = SentBody),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "No such letter or replay, or it was sent as it arrived"),
    )
)]
pub(crate) async fn sent(
    State(front): State<Front>,
    Path((letter, replay)): Path<(String, String)>,
) -> Result<Json<SentBody>, Problem> {
    let (letter, replay) = (id_from(&letter)?, id_from(&replay)?);
    Ok(Json(front.desk.sent_body(letter, replay).await?))
}
