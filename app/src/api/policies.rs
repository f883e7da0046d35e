//! Retry policies: the list, the form of one, and what is done with them. What is shown is put into
//! words here, so that the browser has nothing to reckon with.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use dlo_domain::letter::LetterSummary;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

mod draft;

pub use draft::PolicyDraft;

/// The policies in the order of asking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyList {
    /// In a sentence.
    pub heading: String,
    /// The policies.
    pub rows: Vec<PolicyRow>,
}

/// A policy as the list shows it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyRow {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// Which letters.
    pub filter: String,
    /// What it does with them.
    pub verdict: String,
    /// How it goes.
    pub goes: String,
    /// What somebody should look at: its breaker stopped it.
    pub warning: String,
    /// Whether it is asked.
    pub enabled: bool,
}

/// The form of a policy.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyForm {
    /// When it was made.
    pub now: DateTime<Utc>,
    /// What stands in it.
    pub draft: PolicyDraft,
    /// What is wrong with it.
    pub error: String,
    /// What it would do, when that was asked for.
    pub preview: Option<PolicySeen>,
    /// What it did and would have done, of one that is there.
    pub report: Option<PolicyTold>,
    /// What it was, of one that was removed: there is no form any more.
    pub gone: Option<PolicyGone>,
}

/// A policy that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PolicyGone {
    /// Who removed it, and when.
    pub says: String,
    /// Which letters it was asked of; empty for all.
    pub filter: String,
    /// What it did with them.
    pub verdict: String,
    /// The form of a new one that says the same.
    pub again: String,
}

/// What a policy would have done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicySeen {
    /// In a sentence.
    pub says: String,
    /// Tries by day: the day, the letters that arrived, the tries at most.
    pub days: Vec<(String, String, String)>,
    /// Some of the letters.
    pub samples: Vec<LetterSummary>,
}

/// What a policy did.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicyTold {
    /// In a sentence.
    pub goes: String,
    /// What somebody should look at.
    pub warning: String,
    /// Tries that could not be published: the letter's page, and what came of it.
    pub failed: Vec<(String, String)>,
    /// What it would have done in shadow mode; empty when nothing.
    pub shadow: String,
    /// Some of those letters.
    pub shadow_samples: Vec<LetterSummary>,
    /// It retries, holds or discards, and is switched on: it can be applied to what is held.
    pub applies: bool,
}

/// All policies.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies", input = GetUrl, output = Json)]
pub async fn list_policies() -> Result<PolicyList, ApiError> {
    Ok(saying::list(crate::desk::desk().policies().await?))
}

/// The form of a policy: as it is written so far, or as it is kept. `looks` asks for a preview.
///
/// # Errors
/// No such policy, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policy", input = GetUrl, output = Json)]
pub async fn read_policy(
    #[server(flatten)] draft: PolicyDraft,
    #[server(default)] is_written: String,
    #[server(default)] looks: String,
) -> Result<PolicyForm, ApiError> {
    book::form(draft, !is_written.is_empty(), !looks.is_empty()).await
}

/// Keeps a policy: a new one, or in the place of the one of this id.
///
/// # Errors
/// A policy that will not do, no such policy, too many, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/save", output = Json)]
pub async fn save_policy(#[server(flatten)] draft: PolicyDraft) -> Result<(), ApiError> {
    book::save(draft).await
}

/// Has a policy asked from now on, or asked no more.
///
/// # Errors
/// No such policy, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/enable", output = Json)]
pub async fn enable_policy(id: String, enabled: bool) -> Result<(), ApiError> {
    book::enable(&id, enabled).await
}

/// Has a policy asked one place earlier, or later: `to` is `up` or `down`.
///
/// # Errors
/// No such policy, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/move", output = Json)]
pub async fn move_policy(id: String, to: String) -> Result<(), ApiError> {
    book::step(&id, to == "up").await
}

/// Removes a policy.
///
/// # Errors
/// No such policy, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/remove", output = Json)]
pub async fn remove_policy(id: String) -> Result<(), ApiError> {
    book::remove(&id).await
}

/// Has the policies asked of the held letters that this one matches.
///
/// # Errors
/// No such policy, one that is off, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "policies/apply", output = Json)]
pub async fn apply_policy(id: String) -> Result<(), ApiError> {
    book::apply(&id).await
}

/// Takes a letter away from its policy.
///
/// # Errors
/// No such letter, one that is not scheduled, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "hold", output = Json)]
pub async fn hold_letter(id: String) -> Result<(), ApiError> {
    book::hold(&id).await
}

#[cfg(feature = "ssr")]
mod book;
#[cfg(feature = "ssr")]
mod reading;
#[cfg(feature = "ssr")]
mod saying;
