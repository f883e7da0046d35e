//! Sources: the queues that are watched.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use dlo_domain::delivery_limit::NewAcceptedLoss;
use dlo_domain::ids::SourceId;
use dlo_domain::page::Page;
use dlo_domain::source::{NewSource, Source};
use dlo_domain::topology::{Discover, Discovery};

use super::created::created;
use super::input::{Id, JsonBody, JsonBodyIfAny};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// Every source, and how it is.
#[utoipa::path(
    get, path = "/api/v1/sources", tag = "sources",
    responses((status = 200, body = Page<Source>, description = "All of them in one page"))
)]
pub(crate) async fn list(State(front): State<Front>) -> Result<Json<Page<Source>>, Problem> {
    Ok(Json(front.desk.sources().await?.into()))
}

/// One source.
#[utoipa::path(
    get, path = "/api/v1/sources/{id}", tag = "sources",
    params(("id" = SourceId, Path)),
    responses(
        (status = 200, body = Source),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(id): Id<SourceId>,
) -> Result<Json<Source>, Problem> {
    let sources = front.desk.sources().await?;
    let found = sources.into_iter().find(|source| source.id == id);
    found.map(Json).ok_or_else(|| {
        Problem::new(
            StatusCode::NOT_FOUND,
            format!("there is no source {id}: it may have been removed"),
        )
    })
}

fn check(wanted: &NewSource) -> Result<(), Problem> {
    wanted.check().map_err(|faults| {
        let told: Vec<_> = faults.iter().map(ToString::to_string).collect();
        Problem::invalid(told.join("; "))
    })
}

/// Watches one more queue.
#[utoipa::path(
    post, path = "/api/v1/sources", tag = "sources",
    request_body = NewSource,
    responses(
        (status = 201, body = Source),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is watched already"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewSource>,
) -> Result<Response, Problem> {
    check(&wanted)?;
    let source = front.desk.add_source(&actor, &wanted).await?;
    Ok(created(format!("/api/v1/sources/{}", source.id), source))
}

/// Dead-letter queues that are no sources yet: by arguments, policies and bindings, and by their
/// names. Changes nothing. The `source` of each is what `POST /api/v1/sources` takes. They come from
/// what was last read of the brokers; `unread` says what could not be read, so that nothing found
/// there is not taken for nothing there.
#[utoipa::path(
    post, path = "/api/v1/sources/discover", tag = "sources",
    request_body = Option<Discover>,
    responses(
        (status = 200, body = Discovery, description = "At most 200 in one page; `estimated_total` counts all"),
        (status = 400, body = ProblemBody, content_type = "application/problem+json", description = "It cannot be read, or there is no such broker"),
    )
)]
pub(crate) async fn discover(
    State(front): State<Front>,
    JsonBodyIfAny(asked): JsonBodyIfAny<Discover>,
) -> Result<Json<Discovery>, Problem> {
    Ok(Json(front.desk.discover(&asked).await?))
}

/// Gives a source another name, mode and header names; what is left out is as in a new one.
/// Broker, vhost and queue are those that it has. Intake takes the change over by itself.
#[utoipa::path(
    put, path = "/api/v1/sources/{id}", tag = "sources",
    params(("id" = SourceId, Path)),
    request_body = NewSource,
    responses(
        (status = 200, body = Source),
        (status = 400, body = ProblemBody, content_type = "application/problem+json", description = "It cannot be read, or names another queue"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "The configuration names it"),
    )
)]
pub(crate) async fn change(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<SourceId>,
    JsonBody(wanted): JsonBody<NewSource>,
) -> Result<Json<Source>, Problem> {
    check(&wanted)?;
    Ok(Json(front.desk.change_source(&actor, id, &wanted).await?))
}

/// Stops watching a queue; its letters stay.
#[utoipa::path(
    delete, path = "/api/v1/sources/{id}", tag = "sources",
    params(("id" = SourceId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "The configuration names it"),
    )
)]
pub(crate) async fn remove(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<SourceId>,
) -> Result<StatusCode, Problem> {
    front.desk.remove_source(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Accepts a loss for a source whose queue drops letters that come back too often, so that they are taken all
/// the same. No more letters than that are in hand at any time, whatever the limit becomes, until the acceptance is
/// withdrawn. To lift the limit is better: `POST /api/v1/queues/{vhost}/{name}/lift-delivery-limit`.
#[utoipa::path(
    put, path = "/api/v1/sources/{id}/accepted-loss", tag = "sources",
    params(("id" = SourceId, Path)),
    request_body = NewAcceptedLoss,
    responses(
        (status = 200, body = Source),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "The queue has another limit by now, or none"),
    )
)]
pub(crate) async fn accept_loss(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<SourceId>,
    JsonBody(loss): JsonBody<NewAcceptedLoss>,
) -> Result<Json<Source>, Problem> {
    Ok(Json(front.desk.accept_loss(&actor, id, &loss).await?))
}

/// Withdraws what was accepted: nothing more is taken while the queue drops letters.
#[utoipa::path(
    delete, path = "/api/v1/sources/{id}/accepted-loss", tag = "sources",
    params(("id" = SourceId, Path)),
    responses(
        (status = 200, body = Source),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn withdraw_loss(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<SourceId>,
) -> Result<Json<Source>, Problem> {
    Ok(Json(front.desk.withdraw_loss(&actor, id).await?))
}
