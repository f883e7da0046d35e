//! Letters: the list, one, its bytes, what they say, and what its receiver or a person says of it.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use dlo_domain::arrival::Arrival;
use dlo_domain::comparing::ArrivalChanges;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::LetterId;
use dlo_domain::letter::LetterSummary;
use dlo_domain::page::Page;
use dlo_domain::payload::Payload;
use dlo_domain::relations::RelatedLetters;
use serde::Deserialize;

use super::input::{Id, JsonBody, Query, id_from};
use super::letter_answer::LetterAnswer;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};
use crate::http::{Front, download};

const LIST_PARAMETERS: &[&str] = &[
    "q",
    "source",
    "queue",
    "reason",
    "state",
    "severity",
    "error_class",
    "since",
    "until",
    "age",
    "cursor",
    "limit",
];

/// Letters, the last arrived first.
#[utoipa::path(
    get, path = "/api/v1/letters", tag = "letters",
    params(
        ("q" = Option<String>, Query, description = "A filter, such as `queue:orders.* -severity:low age:<1h`: docs/filter.md is the manual. One that cannot be read is answered 400 with its `position` and `length`"),
        ("source" = Option<String>, Query, description = "The source's name"),
        ("queue" = Option<String>, Query, description = "The origin queue; `*` stands for any characters"),
        ("reason" = Option<String>, Query, description = "rejected, expired, maxlen, delivery_limit or unknown"),
        ("state" = Option<String>, Query, description = "held, scheduled, claimed, replayed, unknown, resolved or discarded"),
        ("severity" = Option<String>, Query, description = "critical, high, normal or low"),
        ("error_class" = Option<String>, Query, description = "The exception's class"),
        ("since" = Option<String>, Query, description = "Last arrived at this time or later: RFC 3339, or 15m, 1h, 7d ago"),
        ("until" = Option<String>, Query, description = "Last arrived before this time"),
        ("age" = Option<String>, Query, description = "`<1h` or `>1h` since the last arrival"),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items of a page, 1 to 500; 50 when left out"),
    ),
    responses(
        (status = 200, body = Page<LetterSummary>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<LetterSummary>>, Problem> {
    let query = Query::of(&uri, LIST_PARAMETERS)?;
    let filter = LetterFilter::from_query(query.pairs())
        .map_err(|fault| Problem::unreadable_filter(&fault))?;
    let page = front.desk.letters(&filter, query.cursor()?, query.limit()?).await?;
    Ok(Json(page))
}

/// One letter with what is known of it. Where that is very much it is cut: `omitted`, of the letter and of each
/// arrival, tells how much is left out, and `/letters/{id}/arrivals/{ordinal}` has an arrival whole.
#[utoipa::path(
    get, path = "/api/v1/letters/{id}", tag = "letters",
    params(("id" = LetterId, Path)),
    responses(
        (status = 200, body = LetterAnswer),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(id): Id<LetterId>,
    uri: Uri,
) -> Result<Json<LetterAnswer>, Problem> {
    Query::of(&uri, &[])?;
    let letter = front.desk.letter(id).await?;
    let reports = front.desk.error_reports_of(id).await?;
    Ok(Json(LetterAnswer::new(letter, reports)))
}

/// One arrival of a letter, whole: every header and every entry of its death history.
#[utoipa::path(
    get, path = "/api/v1/letters/{id}/arrivals/{ordinal}", tag = "letters",
    params(
        ("id" = LetterId, Path),
        ("ordinal" = i32, Path, description = "Which arrival, from 1"),
    ),
    responses(
        (status = 200, body = Arrival),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn arrival(
    State(front): State<Front>,
    Path(path): Path<ArrivalPath>,
    uri: Uri,
) -> Result<Json<Arrival>, Problem> {
    Query::of(&uri, &[])?;
    Ok(Json(front.desk.arrival(id_from(&path.id)?, number(&path.ordinal)?).await?))
}

/// The number of an arrival.
fn number(text: &str) -> Result<i32, Problem> {
    text.parse().map_err(|_| Problem::invalid(format!("`{text}` is not the number of an arrival")))
}

/// What differs between an arrival and an earlier one: values whatever they are written in, properties and headers.
#[utoipa::path(
    get, path = "/api/v1/letters/{id}/arrivals/{ordinal}/changes", tag = "letters",
    params(
        ("id" = LetterId, Path),
        ("ordinal" = i32, Path, description = "Which arrival, from 2"),
        ("since" = Option<i32>, Query, description = "An earlier arrival; the one before when left out"),
    ),
    responses(
        (status = 200, body = ArrivalChanges),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn changes(
    State(front): State<Front>,
    Path(path): Path<ArrivalPath>,
    uri: Uri,
) -> Result<Json<ArrivalChanges>, Problem> {
    let query = Query::of(&uri, &["since"])?;
    let since = query.parsed("since")?;
    let (id, ordinal) = (id_from(&path.id)?, number(&path.ordinal)?);
    Ok(Json(front.desk.compare_arrivals(id, ordinal, since).await?))
}

/// The letters that have a correlation id, a trace or a business key in common with a letter: the newest of
/// each, without the letter itself.
#[utoipa::path(
    get, path = "/api/v1/letters/{id}/related", tag = "letters",
    params(("id" = LetterId, Path)),
    responses(
        (status = 200, body = Vec<RelatedLetters>),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn related(
    State(front): State<Front>,
    Path(id): Path<String>,
    uri: Uri,
) -> Result<Json<Vec<RelatedLetters>>, Problem> {
    Query::of(&uri, &[])?;
    Ok(Json(front.desk.related_letters(id_from(&id)?).await?))
}

/// The address of an arrival.
#[derive(Debug, Deserialize)]
pub(crate) struct ArrivalPath {
    id: String,
    ordinal: String,
}

/// The body of an arrival, byte by byte.
#[utoipa::path(
    get, path = "/api/v1/letters/{id}/body", tag = "letters",
    params(
        ("id" = LetterId, Path),
        ("arrival" = Option<i32>, Query, description = "Which arrival, from 1; the last when left out"),
    ),
    responses(
        (status = 200, content_type = "application/octet-stream"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn body(
    state: State<Front>,
    id: Path<String>,
    uri: Uri,
) -> Result<Response, Problem> {
    download::body(state, id, uri).await
}

/// The body of an arrival made readable.
#[utoipa::path(
    get, path = "/api/v1/letters/{id}/decoded", tag = "letters",
    params(
        ("id" = LetterId, Path),
        ("arrival" = Option<i32>, Query, description = "Which arrival, from 1; the last when left out"),
    ),
    responses(
        (status = 200, body = Payload),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn decoded(
    State(front): State<Front>,
    Id(id): Id<LetterId>,
    uri: Uri,
) -> Result<Json<Payload>, Problem> {
    let query = Query::of(&uri, &["arrival"])?;
    Ok(Json(front.desk.payload(id, query.arrival()?, false).await?))
}

/// The receiver of a letter reports success. It may come before the broker's confirm is written down: then
/// the answer waits for that, at most 5 s. A letter whose publish was cut off is known to be published by it.
#[utoipa::path(
    post, path = "/api/v1/letters/{id}/processed", tag = "letters",
    params(("id" = LetterId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn processed(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<LetterId>,
) -> Result<StatusCode, Problem> {
    front.desk.processed(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a person says of a letter whose publish was cut off.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Published {
    /// Whether the message was published after all.
    published: bool,
}

/// Decides on a letter whose publish was cut off: it happened, or it did not.
#[utoipa::path(
    post, path = "/api/v1/letters/{id}/published", tag = "letters",
    params(("id" = LetterId, Path)),
    request_body = Published,
    responses(
        (status = 204),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn published(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<LetterId>,
    JsonBody(said): JsonBody<Published>,
) -> Result<StatusCode, Problem> {
    front.desk.decide_unknown(&actor, id, said.published).await?;
    Ok(StatusCode::NO_CONTENT)
}
