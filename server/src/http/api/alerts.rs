//! Alerts, the rules that make them, and silences.

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use axum::response::Response;
use dlo_domain::alert::{
    Alert, AlertDetail, AlertPreview, AlertRule, NewAlertRule, NewMute, NewSilence, Silence,
};
use dlo_domain::ids::{AlertId, AlertRuleId, SilenceId};
use dlo_domain::page::Page;

use super::created::created;
use super::input::{Id, JsonBody, Query};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// What is an alert now, pending ones among it, the worst first; or with `state=over` what was, the last that
/// ended first.
#[utoipa::path(
    get, path = "/api/v1/alerts", tag = "alerts",
    params(
        ("state" = Option<String>, Query, description = "open or over; open when left out"),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before, of what is over"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Items of a page of what is over, 1 to 500; 50 when left out"),
    ),
    responses(
        (status = 200, body = Page<Alert>),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn list(
    State(front): State<Front>,
    uri: Uri,
) -> Result<Json<Page<Alert>>, Problem> {
    let query = Query::of(&uri, &["state", "cursor", "limit"])?;
    let page = match query.value("state") {
        None | Some("open") => front.desk.open_alerts().await?,
        Some("over") => front.desk.past_alerts(query.cursor()?, query.limit()?).await?,
        Some(other) => {
            return Err(Problem::invalid(format!(
                "`{other}` is not a state of a list of alerts: use open or over"
            )));
        }
    };
    Ok(Json(page))
}

/// One alert: how it stands, what happened to it, and who was told.
#[utoipa::path(
    get, path = "/api/v1/alerts/{id}", tag = "alerts",
    params(("id" = AlertId, Path)),
    responses(
        (status = 200, body = AlertDetail),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    Id(id): Id<AlertId>,
) -> Result<Json<AlertDetail>, Problem> {
    Ok(Json(front.desk.alert(id).await?))
}

/// Has nobody told of an alert for a time, also when it ends and begins again; or until its figure is so much
/// above what it is now. A mute for a time is a silence, and can be ended as one.
#[utoipa::path(
    post, path = "/api/v1/alerts/{id}/mute", tag = "alerts",
    params(("id" = AlertId, Path)),
    request_body = NewMute,
    responses(
        (status = 204),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is pending or over, and is to be muted until it is worse"),
    )
)]
pub(crate) async fn mute(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<AlertId>,
    JsonBody(wanted): JsonBody<NewMute>,
) -> Result<StatusCode, Problem> {
    front.desk.mute_alert(&actor, id, &wanted).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Says that somebody looks into an alert: nobody is reminded of it, and its end is told all the same.
#[utoipa::path(
    post, path = "/api/v1/alerts/{id}/acknowledge", tag = "alerts",
    params(("id" = AlertId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "It is pending, over, or acknowledged already"),
    )
)]
pub(crate) async fn acknowledge(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<AlertId>,
) -> Result<StatusCode, Problem> {
    front.desk.acknowledge_alert(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The alert rules, those that every office comes with first.
#[utoipa::path(
    get, path = "/api/v1/alert-rules", tag = "alerts",
    responses((status = 200, body = Page<AlertRule>, description = "All of them in one page"))
)]
pub(crate) async fn rules(State(front): State<Front>) -> Result<Json<Page<AlertRule>>, Problem> {
    Ok(Json(front.desk.alert_rules().await?.into()))
}

/// Adds an alert rule of one's own. What its filter asks for is counted from now on; letters that wait already are
/// looked through in the background.
#[utoipa::path(
    post, path = "/api/v1/alert-rules", tag = "alerts",
    request_body = NewAlertRule,
    responses(
        (status = 201, body = AlertRule),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "No more can be added"),
    )
)]
pub(crate) async fn add_rule(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewAlertRule>,
) -> Result<Response, Problem> {
    let rule = front.desk.add_alert_rule(&actor, &wanted).await?;
    Ok(created(format!("/api/v1/alert-rules/{}", rule.id), rule))
}

/// Takes an alert rule of one's own away; its alerts that are open are over with it.
#[utoipa::path(
    delete, path = "/api/v1/alert-rules/{id}", tag = "alerts",
    params(("id" = AlertRuleId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "Every office has it"),
    )
)]
pub(crate) async fn remove_rule(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<AlertRuleId>,
) -> Result<StatusCode, Problem> {
    front.desk.remove_alert_rule(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a rule would have told of the last seven days. Nothing is kept of it.
#[utoipa::path(
    post, path = "/api/v1/alert-rules/preview", tag = "alerts",
    params(("rule" = Option<AlertRuleId>, Query, description = "The rule that this would be in the place of: how often it fired is told beside it")),
    request_body = NewAlertRule,
    responses(
        (status = 200, body = AlertPreview),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
        (status = 503, body = ProblemBody, content_type = "application/problem+json", description = "Counting took too long"),
    )
)]
pub(crate) async fn preview_rule(
    State(front): State<Front>,
    uri: Uri,
    JsonBody(wanted): JsonBody<NewAlertRule>,
) -> Result<Json<AlertPreview>, Problem> {
    let query = Query::of(&uri, &["rule"])?;
    let kept = query.value("rule").map(str::parse).transpose();
    let kept =
        kept.map_err(|_| Problem::invalid("`rule` is the id of an alert rule".to_owned()))?;
    Ok(Json(front.desk.preview_alert_rule(&wanted, kept).await?))
}

/// Puts another in the place of an alert rule. One that every office comes with keeps what it watches.
#[utoipa::path(
    put, path = "/api/v1/alert-rules/{id}", tag = "alerts",
    params(("id" = AlertRuleId, Path)),
    request_body = NewAlertRule,
    responses(
        (status = 200, body = AlertRule),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn change_rule(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<AlertRuleId>,
    JsonBody(wanted): JsonBody<NewAlertRule>,
) -> Result<Json<AlertRule>, Problem> {
    Ok(Json(front.desk.change_alert_rule(&actor, id, &wanted).await?))
}

/// The silences that hold, those that end first in front.
#[utoipa::path(
    get, path = "/api/v1/silences", tag = "alerts",
    responses((status = 200, body = Page<Silence>, description = "All of them in one page"))
)]
pub(crate) async fn silences(State(front): State<Front>) -> Result<Json<Page<Silence>>, Problem> {
    Ok(Json(front.desk.silences().await?.into()))
}

/// Tells nobody of some alerts for a time. They are evaluated and listed as ever; one that is still an alert
/// when the silence ends is told then.
#[utoipa::path(
    post, path = "/api/v1/silences", tag = "alerts",
    request_body = NewSilence,
    responses(
        (status = 201, body = Silence),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "What it names is not there"),
    )
)]
pub(crate) async fn silence(
    State(front): State<Front>,
    Caller(actor): Caller,
    JsonBody(wanted): JsonBody<NewSilence>,
) -> Result<Response, Problem> {
    let silence = front.desk.add_silence(&actor, &wanted).await?;
    Ok(created(format!("/api/v1/silences/{}", silence.id), silence))
}

/// Ends a silence now.
#[utoipa::path(
    delete, path = "/api/v1/silences/{id}", tag = "alerts",
    params(("id" = SilenceId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "It holds no more"),
    )
)]
pub(crate) async fn end_silence(
    State(front): State<Front>,
    Caller(actor): Caller,
    Id(id): Id<SilenceId>,
) -> Result<StatusCode, Problem> {
    front.desk.end_silence(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}
