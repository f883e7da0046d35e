//! Rules: how bad letters are, and which of them are one failure.

use axum::Json;
use axum::extract::{FromRequestParts, Path, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use dlo_domain::filter::LetterFilter;
use dlo_domain::ids::RuleId;
use dlo_domain::page::Page;
use dlo_domain::rule::{JudgingAgain, NewRule, Rule, RuleBook, RuleKind, RulePreview};
use serde::{Deserialize, Serialize};

use super::created::created;
use super::input::{JsonBody, id_from};
use crate::http::Front;
use crate::http::bearer::Caller;
use crate::http::problem::{Problem, ProblemBody};

/// The kind in the path, such as in `/api/v1/rules/severity`.
pub(crate) struct Kind(RuleKind);

/// The kind and the id in the path.
pub(crate) struct One(RuleKind, RuleId);

impl<S: Send + Sync> FromRequestParts<S> for Kind {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let text = Path::<String>::from_request_parts(parts, state).await;
        let Path(text) = text.map_err(|why| Problem::invalid(why.body_text()))?;
        kind_from(&text).map(Self)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for One {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let texts = Path::<(String, String)>::from_request_parts(parts, state).await;
        let Path((kind, id)) = texts.map_err(|why| Problem::invalid(why.body_text()))?;
        Ok(Self(kind_from(&kind)?, id_from(&id)?))
    }
}

fn kind_from(text: &str) -> Result<RuleKind, Problem> {
    let mut known = RuleKind::ALL.into_iter();
    known.find(|kind| kind.as_str() == text).ok_or_else(|| {
        Problem::new(
            StatusCode::NOT_FOUND,
            format!("there are no rules of the kind `{text}`: there are severity and grouping"),
        )
    })
}

/// Rules of one kind, in the order of asking.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct RuleList {
    #[serde(flatten)]
    page: Page<Rule>,
    /// Grows with every change of any rule.
    revision: i64,
    /// Stored letters are being judged again; absent when that is done.
    #[serde(skip_serializing_if = "Option::is_none")]
    judging_again: Option<JudgingAgain>,
}

impl RuleList {
    fn of(book: RuleBook, kind: RuleKind) -> Self {
        let items = match kind {
            RuleKind::Severity => book.severity,
            RuleKind::Grouping => book.grouping,
        };
        Self { revision: book.revision, judging_again: book.judging_again, page: items.into() }
    }
}

/// The rules of a kind, in the order of asking.
#[utoipa::path(
    get, path = "/api/v1/rules/{kind}", tag = "rules",
    params(("kind" = RuleKind, Path)),
    responses(
        (status = 200, body = RuleList, description = "All of them in one page"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such kind"),
    )
)]
pub(crate) async fn list(
    State(front): State<Front>,
    Kind(kind): Kind,
) -> Result<Json<RuleList>, Problem> {
    Ok(Json(RuleList::of(front.desk.rules().await?, kind)))
}

/// Adds a rule behind the others of its kind, and has stored letters judged again.
#[utoipa::path(
    post, path = "/api/v1/rules/{kind}", tag = "rules",
    params(("kind" = RuleKind, Path)),
    request_body = NewRule,
    responses(
        (status = 201, body = Rule),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such kind"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "There are too many"),
    )
)]
pub(crate) async fn create(
    State(front): State<Front>,
    Caller(actor): Caller,
    Kind(kind): Kind,
    JsonBody(wanted): JsonBody<NewRule>,
) -> Result<Response, Problem> {
    check(&wanted, kind)?;
    let rule = front.desk.add_rule(&actor, &wanted).await?;
    let address = format!("/api/v1/rules/{}/{}", kind.as_str(), rule.id);
    Ok(created(address, rule))
}

/// What the desk would refuse as well, with the place of what is wrong.
fn check(wanted: &NewRule, kind: RuleKind) -> Result<(), Problem> {
    LetterFilter::parse(&wanted.filter).map_err(|fault| Problem::unreadable_filter(&fault))?;
    let theirs = wanted.verdict.kind();
    if theirs == kind {
        return Ok(());
    }
    Err(Problem::invalid(format!(
        "the verdict is one of a {} rule: send it to /api/v1/rules/{}",
        theirs.as_str(),
        theirs.as_str()
    )))
}

/// The new order of a kind's rules.
#[derive(Debug, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Order {
    /// The ids of all rules of the kind, each once, the first to be asked first.
    order: Vec<RuleId>,
}

/// Orders the rules of a kind anew.
#[utoipa::path(
    put, path = "/api/v1/rules/{kind}", tag = "rules",
    params(("kind" = RuleKind, Path)),
    request_body = Order,
    responses(
        (status = 200, body = RuleList),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json", description = "There is no such kind"),
        (status = 409, body = ProblemBody, content_type = "application/problem+json", description = "These are not all rules of the kind, each once"),
    )
)]
pub(crate) async fn order(
    State(front): State<Front>,
    Caller(actor): Caller,
    Kind(kind): Kind,
    JsonBody(Order { order }): JsonBody<Order>,
) -> Result<Json<RuleList>, Problem> {
    let book = front.desk.order_rules(&actor, kind, &order).await?;
    Ok(Json(RuleList::of(book, kind)))
}

/// One rule.
#[utoipa::path(
    get, path = "/api/v1/rules/{kind}/{id}", tag = "rules",
    params(("kind" = RuleKind, Path), ("id" = RuleId, Path)),
    responses(
        (status = 200, body = Rule),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn one(
    State(front): State<Front>,
    One(kind, id): One,
) -> Result<Json<Rule>, Problem> {
    find(&front, kind, id).await.map(Json)
}

async fn find(front: &Front, kind: RuleKind, id: RuleId) -> Result<Rule, Problem> {
    let list = RuleList::of(front.desk.rules().await?, kind);
    let found = list.page.items.into_iter().find(|rule| rule.id == id);
    found.ok_or_else(|| {
        Problem::new(
            StatusCode::NOT_FOUND,
            format!("there is no {} rule {id}: it may have been removed", kind.as_str()),
        )
    })
}

/// Puts another in the place of a rule, and has stored letters judged again.
#[utoipa::path(
    put, path = "/api/v1/rules/{kind}/{id}", tag = "rules",
    params(("kind" = RuleKind, Path), ("id" = RuleId, Path)),
    request_body = NewRule,
    responses(
        (status = 200, body = Rule),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn change(
    State(front): State<Front>,
    Caller(actor): Caller,
    One(kind, id): One,
    JsonBody(wanted): JsonBody<NewRule>,
) -> Result<Json<Rule>, Problem> {
    find(&front, kind, id).await?;
    check(&wanted, kind)?;
    Ok(Json(front.desk.change_rule(&actor, id, &wanted).await?))
}

/// Removes a rule, and has stored letters judged again by those that stay.
#[utoipa::path(
    delete, path = "/api/v1/rules/{kind}/{id}", tag = "rules",
    params(("kind" = RuleKind, Path), ("id" = RuleId, Path)),
    responses(
        (status = 204),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn remove(
    State(front): State<Front>,
    Caller(actor): Caller,
    One(kind, id): One,
) -> Result<StatusCode, Problem> {
    find(&front, kind, id).await?;
    front.desk.remove_rule(&actor, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// What a rule would have done with the letters of the last 7 days. Changes nothing.
#[utoipa::path(
    post, path = "/api/v1/rules/preview", tag = "rules",
    request_body = NewRule,
    responses(
        (status = 200, body = RulePreview),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn preview(
    State(front): State<Front>,
    JsonBody(wanted): JsonBody<NewRule>,
) -> Result<Json<RulePreview>, Problem> {
    check(&wanted, wanted.verdict.kind())?;
    Ok(Json(front.desk.preview_rule(&wanted).await?))
}
