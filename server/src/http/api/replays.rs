//! Replays: planned, and looked at while they run.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::{IntoResponse, Response};
use dlo_domain::ids::ReplayId;
use dlo_domain::page::Page;
use dlo_domain::replay::{Control, LetterSearch, Makers, NewReplay, Outcome, Replay, ReplayItem};

use super::created::created;
use super::discards::check;
use super::input::{Id, JsonBody, Query};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// Replays, newest first.
#[utoipa::path(
    get, path = "/api/v1/replays", tag = "replays",
    params(
        ("by" = Option<String>, Query, description = "Whose: people, policies, handler (the dead-letter handler), all, or policy:{id} for one retry policy's; all when left out"),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items of a page, 1 to 500; 50 when left out"),
    ),
    responses(
        (status = 200, body = Page<Replay>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<Replay>>, Problem> {
    let query = Query::of(&uri, &["by", "cursor", "limit"])?;
    let by = query.parsed::<Makers>("by")?.unwrap_or_default();
    let page = front.desk.replays(by, query.cursor()?, query.limit()?).await?;
    Ok(Json(page))
}

/// Plans a replay; its letters are fixed at this moment. With `dry_run` it tells what it would do, what speaks
/// against it, and the token of its plan: sent back as `plan`, the replay is made of that plan or not at all.
#[utoipa::path(
    post, path = "/api/v1/replays", tag = "replays",
    request_body = NewReplay,
    responses(
        (status = 201, body = Replay, description = "Planned; it begins at once"),
        (status = 200, body = Replay, description = "What it would do (`dry_run`)"),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such group"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is not the plan that `plan` names, and the detail says what is different; or more letters would go than `expected_letters` says. Nothing was made"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json", description = "The jq program cannot be read, with `position` and `length`; or `edit` and `transform` cannot be carried out"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewReplay>,
) -> Result<Response, Problem> {
    check(&wanted.selection)?;
    let replay = front.desk.plan_replay(&actor, &wanted).await?;
    let Some(id) = replay.id else {
        return Ok(Json(replay).into_response());
    };
    Ok(created(format!("/api/v1/replays/{id}"), replay))
}

/// Publishes nothing more until it is resumed. What is on its way is still written down.
#[utoipa::path(
    post, path = "/api/v1/replays/{id}/pause", tag = "replays",
    params(("id" = ReplayId, Path)),
    responses(
        (status = 200, body = Replay),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is over, or paused already"),
    )
)]
pub(crate) async fn pause(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ReplayId>,
) -> Result<Json<Replay>, Problem> {
    let control = Control::Pause;
    Ok(Json(front.desk.control_replay(&actor, id, control, false).await?))
}

/// Goes on with a replay that was paused or stopped by itself; one that is put off begins now. A
/// canary begins with its first step again.
#[utoipa::path(
    post, path = "/api/v1/replays/{id}/resume", tag = "replays",
    params(
        ("id" = ReplayId, Path),
        ("again" = Option<bool>, Query, description = "Takes up once more the letters of this replay that died again, were refused or unroutable, and are held still; those that died again at the loop cap are left, and their items say so. False when left out; a replay in order begins with those that did not get through in any case"),
    ),
    responses(
        (status = 200, body = Replay),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is not paused"),
    )
)]
pub(crate) async fn resume(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ReplayId>,
    uri: Uri,
) -> Result<Json<Replay>, Problem> {
    let query = Query::of(&uri, &["again"])?;
    let again = query.parsed::<bool>("again")?.unwrap_or(false);
    let control = Control::Resume;
    Ok(Json(front.desk.control_replay(&actor, id, control, again).await?))
}

/// Ends a replay before its end: letters that were not published are held again, and refused in this
/// replay. What is published cannot be called back.
#[utoipa::path(
    post, path = "/api/v1/replays/{id}/cancel", tag = "replays",
    params(("id" = ReplayId, Path)),
    responses(
        (status = 200, body = Replay, description = "Cancelled; letters are given back in the background"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is over"),
    )
)]
pub(crate) async fn cancel(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ReplayId>,
) -> Result<Json<Replay>, Problem> {
    let control = Control::Cancel;
    Ok(Json(front.desk.control_replay(&actor, id, control, false).await?))
}

/// Looks for the letters of a replay whose publish is unknown, in the queues that they were sent to. Every message of
/// such a queue is taken into hand and given back: from then on it is marked as redelivered, and a quorum queue counts
/// a delivery of it. Letters that are there are confirmed; the others stay unknown, since somebody may have taken
/// them. A queue that has consumers, more than 10,000 messages, a maximum length or a delivery limit is not searched.
#[utoipa::path(
    post, path = "/api/v1/replays/{id}/search", tag = "replays",
    params(
        ("id" = ReplayId, Path),
        ("dry_run" = Option<bool>, Query, description = "Tells where it would look, and touches nothing; false when left out"),
    ),
    responses(
        (status = 200, body = LetterSearch),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn search(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ReplayId>,
    uri: Uri,
) -> Result<Json<LetterSearch>, Problem> {
    let query = Query::of(&uri, &["dry_run"])?;
    let dry_run = query.parsed::<bool>("dry_run")?.unwrap_or(false);
    Ok(Json(front.desk.search_unknown(&actor, id, dry_run).await?))
}

/// One replay.
#[utoipa::path(
    get, path = "/api/v1/replays/{id}", tag = "replays",
    params(("id" = ReplayId, Path)),
    responses(
        (status = 200, body = Replay),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(id): Id<ReplayId>,
) -> Result<Json<Replay>, Problem> {
    Ok(Json(front.desk.replay(id).await?))
}

/// The letters of a replay, in the order of publishing.
#[utoipa::path(
    get, path = "/api/v1/replays/{id}/items", tag = "replays",
    params(
        ("id" = ReplayId, Path),
        ("outcome" = Option<String>, Query, description = "pending, confirmed, unroutable, refused, unknown, died_again, processed or settled"),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items of a page, 1 to 500; 50 when left out"),
    ),
    responses(
        (status = 200, body = Page<ReplayItem>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn items(
    State(front): State<Front>,
    Id(id): Id<ReplayId>,
    uri: Uri,
) -> Result<Json<Page<ReplayItem>>, Problem> {
    let query = Query::of(&uri, &["outcome", "cursor", "limit"])?;
    let outcome = query.parsed::<Outcome>("outcome")?;
    let page = front.desk.replay_items(id, outcome, query.cursor()?, query.limit()?).await?;
    Ok(Json(page))
}
