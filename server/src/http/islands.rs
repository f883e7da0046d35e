//! What the islands of a page ask for by themselves, as JSON.

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use chrono::{DateTime, Utc};
use dlo_domain::filter::{KnownValues, LetterFilter};
use dlo_domain::page::Total;

use super::Front;
use super::api::input::Query;
use super::problem::Problem;

/// How many letters that match `filter` arrived after `after`: what a list that was read does not show.
pub(super) async fn arrived(State(front): State<Front>, uri: Uri) -> Result<Json<Total>, Problem> {
    let query = Query::of(&uri, &["filter", "after"])?;
    let filter = LetterFilter::parse(query.value("filter").unwrap_or_default())
        .map_err(|fault| Problem::unreadable_filter(&fault))?;
    let after: Option<DateTime<Utc>> = query.parsed("after")?;
    let after = after.ok_or_else(|| Problem::invalid("`after` says since when: give a time"))?;
    Ok(Json(front.desk.arrived_after(&filter, after).await?))
}

/// The values that letters have now, for the completion of filters.
pub(super) async fn known_values(State(front): State<Front>) -> Result<Json<KnownValues>, Problem> {
    Ok(Json(front.desk.known_values().await?))
}
