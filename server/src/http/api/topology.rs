//! Topology: the queues of brokers, where their dead letters go, and what can be lost.

use axum::Json;
use axum::extract::rejection::PathRejection;
use axum::extract::{Path, State};
use axum::http::{StatusCode, Uri};
use dlo_app::desk::QueueName;
use dlo_domain::ids::FindingId;
use dlo_domain::page::Page;
use dlo_domain::topology::{
    BrokerTopology, DeadLetteringPlan, FindingEdit, FindingScope, KeptFinding, NewDeadLettering,
    QueuePage, QueueQuery, QueueReport, Wish,
};
use serde::Deserialize;

use super::input::{Id, JsonBody, JsonBodyIfAny, Query};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// Every broker, the vhosts that were read of it, and what is not known.
#[utoipa::path(
    get, path = "/api/v1/topology", tag = "topology",
    responses((status = 200, body = Page<BrokerTopology>, description = "All of them in one page"))
)]
pub(crate) async fn brokers(
    State(front): State<Front>,
) -> Result<Json<Page<BrokerTopology>>, Problem> {
    Ok(Json(front.desk.brokers().await?.into()))
}

/// Has all brokers read again within seconds, whichever office does it.
#[utoipa::path(
    post, path = "/api/v1/topology/check", tag = "topology",
    responses((status = 202, description = "They will be read"))
)]
pub(crate) async fn check(State(front): State<Front>) -> Result<StatusCode, Problem> {
    front.desk.check_topology().await?;
    Ok(StatusCode::ACCEPTED)
}

/// What can lose messages, the worst first, at most 1,000: what is lost, and how to fix it.
#[utoipa::path(
    get, path = "/api/v1/topology/findings", tag = "topology",
    params(("scope" = Option<FindingScope>, Query, description = "`open` (what nobody muted), `present`, or `all` (also what is gone); `open` when left out")),
    responses(
        (status = 200, body = Page<KeptFinding>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn findings(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<KeptFinding>>, Problem> {
    let query = Query::of(&uri, &["scope"])?;
    let scope = query.parsed::<FindingScope>("scope")?.unwrap_or_default();
    Ok(Json(front.desk.findings(scope).await?.into()))
}

/// One finding, also one that is gone.
#[utoipa::path(
    get, path = "/api/v1/topology/findings/{id}", tag = "topology",
    params(("id" = FindingId, Path)),
    responses(
        (status = 200, body = KeptFinding),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn finding(
    State(front): State<Front>,
    Id(id): Id<FindingId>,
) -> Result<Json<KeptFinding>, Problem> {
    Ok(Json(front.desk.finding(id).await?))
}

/// Takes note of a finding, or mutes it for some hours.
#[utoipa::path(
    patch, path = "/api/v1/topology/findings/{id}", tag = "topology",
    params(("id" = FindingId, Path)),
    request_body = FindingEdit,
    responses(
        (status = 200, body = KeptFinding),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn edit(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<FindingId>,
    JsonBody(wanted): JsonBody<FindingEdit>,
) -> Result<Json<KeptFinding>, Problem> {
    Ok(Json(front.desk.edit_finding(&actor, id, wanted).await?))
}

/// Queues as they were last read: how full they are, what applies to them, and where their dead
/// letters go. By broker, vhost and name.
#[utoipa::path(
    get, path = "/api/v1/queues", tag = "topology",
    params(
        ("broker" = Option<String>, Query, description = "Of this broker only"),
        ("vhost" = Option<String>, Query, description = "Of this vhost only"),
        ("name" = Option<String>, Query, description = "Whose name contains this"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items of a page, 1 to 500; 50 when left out"),
    ),
    responses(
        (status = 200, body = QueuePage),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn queues(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<QueuePage>, Problem> {
    let query = Query::of(&uri, &["broker", "vhost", "name", "cursor", "limit"])?;
    let text = |name| query.value(name).map(str::to_owned);
    let asked = QueueQuery {
        broker: text("broker"),
        vhost: text("vhost"),
        name: text("name"),
        after: query.parsed("cursor")?,
        limit: usize::try_from(query.limit()?).unwrap_or(usize::MAX),
    };
    Ok(Json(front.desk.queues(&asked).await?))
}

/// One queue.
#[utoipa::path(
    get, path = "/api/v1/queues/{vhost}/{name}", tag = "topology",
    params(
        ("vhost" = String, Path, description = "`%2F` for the vhost `/`"),
        ("name" = String, Path),
        ("broker" = Option<String>, Query, description = "`main` when left out"),
    ),
    responses(
        (status = 200, body = QueueReport),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn queue(
    State(front): State<Front>,
    texts: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
) -> Result<Json<QueueReport>, Problem> {
    let queue = queue_name(texts, &Query::of(&uri, &["broker"])?)?;
    let found = front.desk.queue(&queue.broker, &queue.vhost, &queue.name);
    Ok(Json(found.await?))
}

/// Dead-lettering of a queue, as it is to be.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct WantedDeadLettering {
    /// The queue that dead letters go to, in the same vhost. It must be there.
    dead_letter_queue: String,
    /// How often a message may come back to the queue before it dies: RabbitMQ counts returns, so it is
    /// delivered at most once more than that. Only a quorum queue counts. Left out, as it is; `null`, as it is
    /// without what was set here.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 0, maximum = 10_000)]
    max_deliveries: Wish<i64>,
    /// How long letters stay in the dead-letter queue, in seconds. Left out, as it is; `null`, as it is
    /// without what was set here, for every queue that dead-letters there.
    #[serde(default)]
    #[schema(value_type = Option<i64>, minimum = 1, maximum = 315_360_000)]
    retention_seconds: Wish<i64>,
    /// Keep each letter until the dead-letter queue has confirmed it; only a quorum queue can. Left out,
    /// as it is; `false` or `null`, as it is without what was set here.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    at_least_once: Wish<bool>,
    /// Tell what would be done, and do nothing.
    #[serde(default)]
    dry_run: bool,
    /// The `plan` of a dry run: when it would be another by now, nothing is done. Left out, whatever is
    /// planned at that moment is done, unless something stands against it.
    #[serde(default)]
    plan: Option<String>,
}

/// Gives a queue a dead-letter queue, a limit of deliveries and a retention by policy: ours repeats
/// the one that applies, and outranks it for this queue alone. Nothing is declared again.
#[utoipa::path(
    put, path = "/api/v1/queues/{vhost}/{name}/dead-lettering", tag = "topology",
    params(
        ("vhost" = String, Path, description = "`%2F` for the vhost `/`"),
        ("name" = String, Path),
        ("broker" = Option<String>, Query, description = "`main` when left out"),
    ),
    request_body = WantedDeadLettering,
    responses(
        (status = 200, body = DeadLetteringPlan, description = "What was done; of a dry run, what would be, and what stands against it"),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "The plan would be another by now"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json", description = "It cannot be done: a chain, an argument that no policy overrides, …"),
    )
)]
pub(crate) async fn set_dead_lettering(
    State(front): State<Front>,
    Caller(actor): Caller,
    texts: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
    JsonBody(body): JsonBody<WantedDeadLettering>,
) -> Result<Json<DeadLetteringPlan>, Problem> {
    let queue = queue_name(texts, &Query::of(&uri, &["broker"])?)?;
    let wanted = NewDeadLettering {
        dead_letter_queue: body.dead_letter_queue,
        max_deliveries: body.max_deliveries,
        retention_seconds: body.retention_seconds,
        at_least_once: body.at_least_once,
    };
    let done = if body.dry_run {
        front.desk.preview_dead_lettering(&queue, &wanted).await
    } else {
        let plan = body.plan.as_deref();
        let desk = &front.desk;
        desk.set_dead_lettering(&actor, &queue, &wanted, plan).await
    };
    Ok(Json(done?))
}

/// Takes away what was set of a queue here: the policy below applies again. The retention of its
/// dead-letter queue that was set with it goes too, unless others use it: `stays` says so.
#[utoipa::path(
    delete, path = "/api/v1/queues/{vhost}/{name}/dead-lettering", tag = "topology",
    params(
        ("vhost" = String, Path, description = "`%2F` for the vhost `/`"),
        ("name" = String, Path),
        ("broker" = Option<String>, Query, description = "`main` when left out"),
        ("dry_run" = Option<bool>, Query, description = "Tell what would be done, and do nothing"),
    ),
    responses(
        (status = 200, body = DeadLetteringPlan),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such broker or vhost"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "Somebody else sets dead-lettering in this vhost"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json", description = "Nothing was set here"),
    )
)]
pub(crate) async fn unset_dead_lettering(
    State(front): State<Front>,
    Caller(actor): Caller,
    texts: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
) -> Result<Json<DeadLetteringPlan>, Problem> {
    let query = Query::of(&uri, &["broker", "dry_run"])?;
    let queue = queue_name(texts, &query)?;
    let is_dry = query.parsed("dry_run")?.unwrap_or(false);
    let done = front.desk.unset_dead_lettering(&actor, &queue, is_dry);
    Ok(Json(done.await?))
}

/// How a limit of deliveries is lifted.
#[derive(Debug, Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct LiftedLimit {
    /// Tell what would be done, and do nothing.
    #[serde(default)]
    dry_run: bool,
    /// The `plan` of a dry run: when it would be another by now, nothing is done.
    #[serde(default)]
    plan: Option<String>,
}

/// Lifts the limit of deliveries of a quorum queue that letters are taken from: a policy of ours repeats the one
/// that applies, and sets `delivery-limit` to -1. RabbitMQ takes that since 4.3; elsewhere, and where an argument
/// or an operator sets the limit, `refusals` and `migration` of a dry run say what to do.
#[utoipa::path(
    post, path = "/api/v1/queues/{vhost}/{name}/lift-delivery-limit", tag = "topology",
    params(
        ("vhost" = String, Path, description = "`%2F` for the vhost `/`"),
        ("name" = String, Path),
        ("broker" = Option<String>, Query, description = "`main` when left out"),
    ),
    request_body = Option<LiftedLimit>,
    responses(
        (status = 200, body = DeadLetteringPlan, description = "What was done; of a dry run, what would be, and what stands against it"),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "The plan would be another by now"),
        (status = 422, body = ProblemBody, content_type = "application/problem+json", description = "No policy lifts it"),
    )
)]
pub(crate) async fn lift_delivery_limit(
    State(front): State<Front>,
    Caller(actor): Caller,
    texts: Result<Path<(String, String)>, PathRejection>,
    uri: Uri,
    JsonBodyIfAny(body): JsonBodyIfAny<LiftedLimit>,
) -> Result<Json<DeadLetteringPlan>, Problem> {
    let queue = queue_name(texts, &Query::of(&uri, &["broker"])?)?;
    let plan = body.plan.as_deref();
    let desk = &front.desk;
    let done = desk.lift_delivery_limit(&actor, &queue, plan, body.dry_run);
    Ok(Json(done.await?))
}

fn queue_name(
    texts: Result<Path<(String, String)>, PathRejection>,
    query: &Query,
) -> Result<QueueName, Problem> {
    let Path((vhost, name)) = texts.map_err(|why| Problem::invalid(why.body_text()))?;
    if vhost.contains('\0') || name.contains('\0') {
        return Err(Problem::invalid(
            "the path holds a NUL character: no vhost and no queue is called so",
        ));
    }
    Ok(QueueName { broker: query.value("broker").unwrap_or("main").to_owned(), vhost, name })
}
