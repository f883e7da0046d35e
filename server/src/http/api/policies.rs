//! Retry policies: which letters are replayed by themselves, and when.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::PolicyId;
use dlo_domain::page::Page;
use dlo_domain::policy::{Applied, NewPolicy, Policy, PolicyPreview, PolicyReport};
use serde::Deserialize;

use super::created::created;
use super::input::{Id, JsonBody};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

fn page(items: Vec<Policy>) -> Json<Page<Policy>> {
    Json(items.into())
}

/// The retry policies in the order of asking, and how each goes.
#[utoipa::path(
    get, path = "/api/v1/retry-policies", tag = "retry policies",
    responses((status = 200, body = Page<Policy>, description = "All of them in one page"))
)]
pub(crate) async fn list(State(front): State<Front>) -> Result<Json<Page<Policy>>, Problem> {
    Ok(page(front.desk.policies().await?))
}

/// Adds a policy behind the others. It is asked of what arrives from now on.
#[utoipa::path(
    post, path = "/api/v1/retry-policies", tag = "retry policies",
    request_body = NewPolicy,
    responses(
        (status = 201, body = Policy),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "There are too many"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewPolicy>,
) -> Result<Response, Problem> {
    check(&wanted)?;
    let policy = front.desk.add_policy(&actor, &wanted).await?;
    Ok(created(format!("/api/v1/retry-policies/{}", policy.id), policy))
}

/// What the desk would refuse as well, with the place of what is wrong.
fn check(wanted: &NewPolicy) -> Result<(), Problem> {
    LetterFilter::parse(&wanted.filter).map_err(|fault| Problem::unreadable_filter(&fault))?;
    Ok(())
}

/// The new order of the retry policies.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PolicyOrder {
    /// The ids of all policies, each once, the first to be asked first.
    order: Vec<PolicyId>,
}

/// Orders the retry policies anew.
#[utoipa::path(
    put, path = "/api/v1/retry-policies", tag = "retry policies",
    request_body = PolicyOrder,
    responses(
        (status = 200, body = Page<Policy>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "These are not all policies, each once"),
    )
)]
pub(crate) async fn order(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(PolicyOrder { order }): JsonBody<PolicyOrder>,
) -> Result<Json<Page<Policy>>, Problem> {
    Ok(page(front.desk.order_policies(&actor, &order).await?))
}

/// One policy, the last of its tries that could not be published, and what it would have done
/// while it only looked. One that was removed is told too, with `removed`.
#[utoipa::path(
    get, path = "/api/v1/retry-policies/{id}", tag = "retry policies",
    params(("id" = PolicyId, Path)),
    responses(
        (status = 200, body = PolicyReport),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(id): Id<PolicyId>,
) -> Result<Json<PolicyReport>, Problem> {
    Ok(Json(front.desk.policy(id).await?))
}

/// Puts another in the place of a policy. Tries that are planned keep their times; letters that
/// wait for a policy that does not retry any more are held.
#[utoipa::path(
    put, path = "/api/v1/retry-policies/{id}", tag = "retry policies",
    params(("id" = PolicyId, Path)),
    request_body = NewPolicy,
    responses(
        (status = 200, body = Policy),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn change(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<PolicyId>,
    JsonBody(wanted): JsonBody<NewPolicy>,
) -> Result<Json<Policy>, Problem> {
    check(&wanted)?;
    Ok(Json(front.desk.change_policy(&actor, id, &wanted).await?))
}

/// Removes a policy. Letters that wait for it are held.
#[utoipa::path(
    delete, path = "/api/v1/retry-policies/{id}", tag = "retry policies",
    params(("id" = PolicyId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn remove(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<PolicyId>,
) -> Result<StatusCode, Problem> {
    front.desk.remove_policy(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A policy that is only looked at.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Previewed {
    /// What it says.
    policy: NewPolicy,
    /// The policy in whose place it would be; left out, it would be behind all of them.
    #[serde(default)]
    instead_of: Option<PolicyId>,
}

/// What a policy would have done with the letters of the last 7 days. Changes nothing.
#[utoipa::path(
    post, path = "/api/v1/retry-policies/preview", tag = "retry policies",
    request_body = Previewed,
    responses(
        (status = 200, body = PolicyPreview),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no policy `instead_of`"),
    )
)]
pub(crate) async fn preview(
    State(front): State<Front>,
    JsonBody(wanted): JsonBody<Previewed>,
) -> Result<Json<PolicyPreview>, Problem> {
    let Previewed { policy, instead_of } = wanted;
    check(&policy)?;
    Ok(Json(front.desk.preview_policy(instead_of, &policy).await?))
}

/// Has the policies asked of the held letters that this one matches, as if they had just arrived.
#[utoipa::path(
    post, path = "/api/v1/retry-policies/{id}/apply", tag = "retry policies",
    params(("id" = PolicyId, Path)),
    responses(
        (status = 200, body = Applied),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is switched off"),
    )
)]
pub(crate) async fn apply(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<PolicyId>,
) -> Result<Json<Applied>, Problem> {
    Ok(Json(front.desk.apply_policy(&actor, id).await?))
}
