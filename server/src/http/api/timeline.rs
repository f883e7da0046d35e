//! Silences, depths and deaths on one axis.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use dlo_domain::timeline::{About, Reach, Timeline};

use super::input::{Query, id_from};
use crate::http::Front;
use crate::http::problem::{Problem, ProblemBody};

/// When workers were silent, how full queues were, and how many letters died, over the same time:
/// of all, of a group (its letters, the queues that they died in, and the workers of those), of a
/// worker (with its queue), or of a queue (with its workers).
#[utoipa::path(
    get, path = "/api/v1/timeline", tag = "overview",
    params(
        ("reach" = Option<Reach>, Query, description = "`6h`, by five minutes, or `24h`, by twenty; `6h` when left out"),
        ("group" = Option<String>, Query, description = "The id of a group"),
        ("worker" = Option<String>, Query, description = "The name of a worker"),
        ("queue" = Option<String>, Query, description = "The name of a queue. At most one of group, worker and queue"),
    ),
    responses(
        (status = 200, body = Timeline),
        (status = 400, body = ProblemBody, content_type = "application/problem+json"),
        (status = 404, body = ProblemBody, content_type = "application/problem+json"),
    )
)]
pub(crate) async fn read(State(front): State<Front>, uri: Uri) -> Result<Json<Timeline>, Problem> {
    let query = Query::of(&uri, &["reach", "group", "worker", "queue"])?;
    let reach = query.parsed::<Reach>("reach")?.unwrap_or_default();
    let about = match ["group", "worker", "queue"].map(|name| query.value(name)) {
        [None, None, None] => About::Everything,
        [Some(id), None, None] => About::Group(id_from(id)?),
        [None, Some(name), None] => About::Worker(name.to_owned()),
        [None, None, Some(name)] => About::Queue(name.to_owned()),
        _ => {
            return Err(Problem::invalid(
                "a timeline is about one thing: give one of `group`, `worker` and `queue`",
            ));
        }
    };
    Ok(Json(front.desk.timeline(&about, reach).await?))
}
