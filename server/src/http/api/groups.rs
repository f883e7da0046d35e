//! Groups: letters that failed alike.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use dlo_domain::breakdown::Breakdown;
use dlo_domain::group::{
    Group, GroupEdit, GroupState, GroupSummary, MergeGroups, SplitGroup, SplitOff,
};
use dlo_domain::ids::GroupId;
use dlo_domain::page::Page;

use super::created::created;
use super::input::{Id, JsonBody, Query};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// Groups, those with the most and worst letters that wait first.
#[utoipa::path(
    get, path = "/api/v1/groups", tag = "groups",
    params(
        ("state" = Option<GroupState>, Query, description = "Groups in this state only"),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items of a page, 1 to 500; 50 when left out"),
    ),
    responses(
        (status = 200, body = Page<GroupSummary>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<GroupSummary>>, Problem> {
    let query = Query::of(&uri, &["state", "cursor", "limit"])?;
    let state = query.parsed::<GroupState>("state")?;
    let page = front.desk.groups(state, query.cursor()?, query.limit()?);
    Ok(Json(page.await?))
}

/// One group; the address of a group that was merged answers with the one that it went into.
#[utoipa::path(
    get, path = "/api/v1/groups/{id}", tag = "groups",
    params(("id" = GroupId, Path)),
    responses(
        (status = 200, body = Group),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(id): Id<GroupId>,
) -> Result<Json<Group>, Problem> {
    Ok(Json(front.desk.group(id).await?))
}

/// What the newest letters of a group have in common that other letters have not: by queue, by
/// worker, and by every header whose values divide them, with shares and lift.
#[utoipa::path(
    get, path = "/api/v1/groups/{id}/breakdown", tag = "groups",
    params(("id" = GroupId, Path)),
    responses(
        (status = 200, body = Breakdown),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn breakdown(
    State(front): State<Front>,
    Id(id): Id<GroupId>,
) -> Result<Json<Breakdown>, Problem> {
    Ok(Json(front.desk.group_breakdown(id).await?))
}

/// Changes where a group stands, its owner, ticket and tags, or adds a note.
#[utoipa::path(
    patch, path = "/api/v1/groups/{id}", tag = "groups",
    params(("id" = GroupId, Path)),
    request_body = GroupEdit,
    responses(
        (status = 200, body = Group),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn edit(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<GroupId>,
    JsonBody(edit): JsonBody<GroupEdit>,
) -> Result<Json<Group>, Problem> {
    Ok(Json(front.desk.edit_group(&actor, id, &edit).await?))
}

/// Makes groups part of another, for good; answers with that one.
#[utoipa::path(
    post, path = "/api/v1/groups/merge", tag = "groups",
    request_body = MergeGroups,
    responses(
        (status = 200, body = Group),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn merge(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(merge): JsonBody<MergeGroups>,
) -> Result<Json<Group>, Problem> {
    Ok(Json(front.desk.merge_groups(&actor, &merge).await?))
}

/// Moves some signatures of a group into a new group.
#[utoipa::path(
    post, path = "/api/v1/groups/split", tag = "groups",
    request_body = SplitGroup,
    responses(
        (status = 201, body = SplitOff),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "Some are not in the group any more"),
    )
)]
pub(crate) async fn split(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(split): JsonBody<SplitGroup>,
) -> Result<Response, Problem> {
    let group = front.desk.split_group(&actor, &split).await?;
    let address = format!("/api/v1/groups/{group}");
    Ok(created(address, SplitOff { group }))
}
