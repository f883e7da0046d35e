//! Rules: how bad letters are, and which of them are one failure.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use dlo_domain::rule::Rule;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

mod draft;

pub use draft::RuleDraft;

/// All rules in the order of asking, and when they were read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RuleLists {
    /// When they were read.
    pub now: DateTime<Utc>,
    /// Those that say how bad letters are.
    pub severity: Vec<Rule>,
    /// Those that say which letters are one failure.
    pub grouping: Vec<Rule>,
}

/// What a rule would have done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// When it was looked at.
    pub now: DateTime<Utc>,
    /// In a sentence.
    pub says: String,
    /// The page of the letters that match.
    pub href: String,
    /// Some of them, newest first.
    pub samples: Vec<LetterSummary>,
}

/// All rules.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules", input = GetUrl, output = Json)]
pub async fn list_rules() -> Result<RuleLists, ApiError> {
    let book = crate::desk::desk().rules().await?;
    Ok(RuleLists { now: crate::request::now(), severity: book.severity, grouping: book.grouping })
}

/// How far judging again has come, as a sentence; empty when it is done.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/judging", input = GetUrl, output = Json)]
pub async fn read_judging() -> Result<String, ApiError> {
    let book = crate::desk::desk().rules().await?;
    Ok(reading::progress(book.judging_again))
}

/// A rule as its form shows it.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rule", input = GetUrl, output = Json)]
pub async fn read_rule(id: String) -> Result<RuleDraft, ApiError> {
    book::find(&id).await.map(reading::draft_of)
}

/// A rule of this sort that asks for what the letters of a group have in common.
///
/// # Errors
/// No such group, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rule/of-group", input = GetUrl, output = Json)]
pub async fn begin_rule(group: String, sort: String) -> Result<RuleDraft, ApiError> {
    of_group::begin(&group, &sort).await
}

/// What a rule would do. Changes nothing.
///
/// # Errors
/// A rule that will not do, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/preview", input = GetUrl, output = Json)]
pub async fn preview_rule(
    sort: String,
    #[server(default)] name: String,
    #[server(default)] filter: String,
    #[server(default)] verdict: String,
) -> Result<Preview, ApiError> {
    let rule = reading::rule_of(&RuleDraft {
        sort,
        name,
        filter,
        verdict,
        enabled: true,
        ..RuleDraft::default()
    })?;
    let rule = reading::checked(&rule)?;
    let found = crate::desk::desk().preview_rule(&rule).await?;
    Ok(reading::preview_of(&rule, found, crate::request::now()))
}

/// Writes a rule into the book: a new one, or in the place of the one of this id.
///
/// # Errors
/// A rule that will not do, no such rule, too many, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/save", output = Json)]
pub async fn save_rule(
    #[server(default)] id: String,
    sort: String,
    #[server(default)] name: String,
    #[server(default)] filter: String,
    #[server(default)] verdict: String,
    #[server(default)] enabled: String,
) -> Result<(), ApiError> {
    book::save(RuleDraft { id, sort, name, filter, verdict, enabled: enabled != "false" }).await
}

/// Has a rule asked from now on, or asked no more.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/enable", output = Json)]
pub async fn enable_rule(id: String, enabled: bool) -> Result<(), ApiError> {
    book::enable(&id, enabled).await
}

/// Has a rule asked one place earlier, or later: `to` is `up` or `down`.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/move", output = Json)]
pub async fn move_rule(id: String, to: String) -> Result<(), ApiError> {
    book::step(&id, to == "up").await
}

/// Removes a rule.
///
/// # Errors
/// No such rule, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "rules/remove", output = Json)]
pub async fn remove_rule(id: String) -> Result<(), ApiError> {
    let operator = dlo_domain::audit::Actor::local_operator();
    let desk = crate::desk::desk();
    desk.remove_rule(&operator, super::id(&id, "rule")?).await?;
    crate::request::go_on_to("/rules?notice=rule-removed");
    Ok(())
}

#[cfg(feature = "ssr")]
mod book;
#[cfg(feature = "ssr")]
mod of_group;
#[cfg(feature = "ssr")]
mod reading;
