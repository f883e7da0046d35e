//! Schemas: what the message types of Protobuf and Avro are.

use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use dlo_domain::ids::TypeRuleId;
use dlo_domain::page::Page;
use dlo_domain::schema::{NewSchema, RegistrySchema, Schema, WholeSchema};
use dlo_domain::type_rule::{NewTypeRule, TypeRule};

use super::created::created;
use super::input::{Id, JsonBody, Query};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// The schemas in use, by their names.
#[utoipa::path(
    get, path = "/api/v1/schemas", tag = "schemas",
    responses((status = 200, body = Page<Schema>, description = "All of them in one page"))
)]
pub(crate) async fn list(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<Schema>>, Problem> {
    Query::of(&uri, &[])?;
    Ok(Json(front.desk.schemas().await?.into()))
}

/// The schemas whose numbers stand before messages, as clients of a schema registry write them: what the registry told of
/// each, where one is configured.
#[utoipa::path(
    get, path = "/api/v1/registry-schemas", tag = "schemas",
    responses((status = 200, body = Page<RegistrySchema>, description = "All of them in one page, the highest number first"))
)]
pub(crate) async fn of_registry(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<RegistrySchema>>, Problem> {
    Query::of(&uri, &[])?;
    Ok(Json(front.desk.registry_schemas().await?.into()))
}

/// Keeps a schema, as the next version of its name. From then on bodies are read by it, and stored letters are read
/// again, newest first. A request has at most 1 MiB: `dlo schemas add` takes larger ones.
#[utoipa::path(
    post, path = "/api/v1/schemas", tag = "schemas",
    request_body = NewSchema,
    responses(
        (status = 201, body = Schema),
        (status = 400, body = ProblemBody, content_type = "application/problem+json", description = "It cannot be used: with the place of the fault. Nothing was kept"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(schema): JsonBody<NewSchema>,
) -> Result<Response, Problem> {
    let kept = front.desk.add_schema(&actor, schema).await?;
    Ok(created(format!("/api/v1/schemas/{}", kept.name), kept))
}

/// One schema with its files: the newest version, or the one that `version` names.
#[utoipa::path(
    get, path = "/api/v1/schemas/{name}", tag = "schemas",
    params(("name" = String, Path), ("version" = Option<i32>, Query, description = "Which version, from 1 on")),
    responses(
        (status = 200, body = WholeSchema),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Path(name): Path<String>,
    uri: Uri,
) -> Result<Json<WholeSchema>, Problem> {
    let version = Query::of(&uri, &["version"])?.parsed("version")?;
    Ok(Json(front.desk.schema(&name, version).await?))
}

/// Has a schema used no longer: letters are read without it. Its versions are kept.
#[utoipa::path(
    delete, path = "/api/v1/schemas/{name}", tag = "schemas",
    params(("name" = String, Path)),
    responses(
        (status = 204, description = "It is used no longer"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn remove(
    State(front): State<Front>,
    Caller(actor): Caller,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    front.desk.remove_schema(&actor, &name).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The rules that say of which message type the bodies are that died in a queue, the one that was added last first.
#[utoipa::path(
    get, path = "/api/v1/type-rules", tag = "schemas",
    responses((status = 200, body = Page<TypeRule>, description = "All of them in one page"))
)]
pub(crate) async fn type_rules(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<TypeRule>>, Problem> {
    Query::of(&uri, &[])?;
    Ok(Json(front.desk.type_rules().await?.into()))
}

/// Adds such a rule; one for the same queue and routing key is changed. From then on bodies are read by it, and stored
/// letters are read again, newest first. Where several match, the one that was added last counts, if the bytes fit it.
#[utoipa::path(
    post, path = "/api/v1/type-rules", tag = "schemas",
    request_body = NewTypeRule,
    responses(
        (status = 201, body = TypeRule),
        (status = 400, body = ProblemBody, content_type = "application/problem+json", description = "It cannot be used, or no schema in use has the type. Nothing was kept"),
    )
)]
pub(crate) async fn add_type_rule(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(rule): JsonBody<NewTypeRule>,
) -> Result<Response, Problem> {
    let kept = front.desk.add_type_rule(&actor, rule).await?;
    Ok(created("/api/v1/type-rules".to_owned(), kept))
}

/// Removes such a rule: letters are read without it.
#[utoipa::path(
    delete, path = "/api/v1/type-rules/{id}", tag = "schemas",
    params(("id" = String, Path)),
    responses(
        (status = 204, description = "It is not there any longer"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn remove_type_rule(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<TypeRuleId>,
) -> Result<StatusCode, Problem> {
    front.desk.remove_type_rule(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
