//! Channels: where people are told of alerts.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use dlo_domain::channel::{Channel, ChannelTest, NewChannel};
use dlo_domain::ids::ChannelId;
use dlo_domain::page::Page;

use super::created::created;
use super::input::{Id, JsonBody};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// The channels, with what waits for them and what they answered last. Of an address the last four characters are
/// told.
#[utoipa::path(
    get, path = "/api/v1/channels", tag = "alerts",
    responses((status = 200, body = Page<Channel>, description = "All of them in one page"))
)]
pub(crate) async fn list(State(front): State<Front>) -> Result<Json<Page<Channel>>, Problem> {
    Ok(Json(front.desk.channels().await?.into()))
}

/// Adds a channel. It is told of what happens from now on.
#[utoipa::path(
    post, path = "/api/v1/channels", tag = "alerts",
    request_body = NewChannel,
    responses(
        (status = 201, body = Channel),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "Another has its name, or there are too many"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewChannel>,
) -> Result<Response, Problem> {
    let channel = front.desk.add_channel(&actor, &wanted).await?;
    Ok(created(format!("/api/v1/channels/{}", channel.id), channel))
}

/// Puts another in the place of a channel. Its address stays where none is given. What waits for it is posted at
/// once; if it is switched off, it is let go.
#[utoipa::path(
    put, path = "/api/v1/channels/{id}", tag = "alerts",
    params(("id" = ChannelId, Path)),
    request_body = NewChannel,
    responses(
        (status = 200, body = Channel),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "Another has its name"),
    )
)]
pub(crate) async fn change(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ChannelId>,
    JsonBody(wanted): JsonBody<NewChannel>,
) -> Result<Json<Channel>, Problem> {
    Ok(Json(front.desk.change_channel(&actor, id, &wanted).await?))
}

/// Removes a channel, with what waits for it.
#[utoipa::path(
    delete, path = "/api/v1/channels/{id}", tag = "alerts",
    params(("id" = ChannelId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn remove(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ChannelId>,
) -> Result<StatusCode, Problem> {
    front.desk.remove_channel(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Posts a message that says that it is a test, and tells what was answered.
#[utoipa::path(
    post, path = "/api/v1/channels/{id}/test", tag = "alerts",
    params(("id" = ChannelId, Path)),
    responses(
        (status = 200, body = ChannelTest),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn test(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<ChannelId>,
) -> Result<Json<ChannelTest>, Problem> {
    Ok(Json(front.desk.test_channel(&actor, id).await?))
}
