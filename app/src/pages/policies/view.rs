//! What the page of a retry policy shows.

use chrono::{DateTime, Utc};
use dlo_domain::ids::PolicyId;
use dlo_domain::letter::LetterSummary;

use super::draft::PolicyDraft;
use super::{reading, words};
use crate::desk::{DeskError, desk};
use crate::error::ApiError;
use crate::request::{answer_with, now};
use crate::wording;

/// The form of a policy.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PolicyForm {
    /// When it was made.
    pub(super) now: DateTime<Utc>,
    /// What stands in it.
    pub(super) draft: PolicyDraft,
    /// What is wrong with it.
    pub(super) error: String,
    /// What it would do, when that was asked for.
    pub(super) preview: Option<PolicySeen>,
    /// What it did and would have done, of one that is there.
    pub(super) report: Option<PolicyTold>,
    /// What the policy was, if it is removed; `None` if it is there and has a form.
    pub(super) gone: Option<PolicyGone>,
}

/// A policy that was removed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PolicyGone {
    /// Who removed it, and when.
    pub(super) says: String,
    /// Which letters it was asked of; empty for all.
    pub(super) filter: String,
    /// What it did with them.
    pub(super) verdict: String,
    /// The form of a new one that says the same.
    pub(super) again: String,
}

/// What a policy would have done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PolicySeen {
    /// In a sentence.
    pub(super) says: String,
    /// Tries by day: the day, the letters that arrived, the tries at most.
    pub(super) days: Vec<(String, String, String)>,
    /// Some of the letters.
    pub(super) samples: Vec<LetterSummary>,
}

/// What a policy did.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PolicyTold {
    /// In a sentence.
    pub(super) goes: String,
    /// What somebody should look at.
    pub(super) warning: String,
    /// Letters of which a try could not be published.
    pub(super) failed: Vec<FailedLetter>,
    /// What it would have done in shadow mode; empty when nothing.
    pub(super) shadow: String,
    /// Some of those letters.
    pub(super) shadow_samples: Vec<LetterSummary>,
    /// It retries, holds or discards, and is switched on: it can be applied to what is held.
    pub(super) applies: bool,
}

/// Reads the id of a policy; one that cannot be read names nothing.
pub(super) fn policy_id(text: &str) -> Result<PolicyId, ApiError> {
    crate::api::id(text, "retry policy")
}

/// The form of a policy: as it is written so far, or as it is kept. `looks` asks for a preview.
///
/// # Errors
/// No such policy, or a desk that does not answer.
pub(super) async fn form(
    written: PolicyDraft,
    is_written: bool,
    looks: bool,
) -> Result<PolicyForm, ApiError> {
    let id = written.id.clone();
    let report = if id.is_empty() { None } else { Some(desk().policy(policy_id(&id)?).await?) };
    let draft = match &report {
        // What is written of one that was removed cannot be kept: its page tells what it was.
        Some(report) if report.removed.is_some() => reading::draft_of(id, &report.policy.policy),
        _ if is_written => written,
        Some(report) => reading::draft_of(id, &report.policy.policy),
        None => reading::draft_of_new(),
    };
    let is_there = report.as_ref().is_none_or(|report| report.removed.is_none());
    let seen = if looks && is_there { look(&draft).await } else { Ok(None) };
    let (preview, error) = match seen {
        Ok(preview) => (preview, String::new()),
        // The form stands, and says what is wrong with it: that is an answer as good as any.
        Err(ApiError::Invalid { reason } | ApiError::Unavailable { reason }) => {
            answer_with(200);
            (None, reason)
        }
        Err(fault) => return Err(fault),
    };
    Ok(PolicyForm {
        now: now(),
        draft,
        error: wording::sentence(&error),
        preview,
        gone: report.as_ref().and_then(words::gone),
        report: report.map(words::told),
    })
}

async fn look(draft: &PolicyDraft) -> Result<Option<PolicySeen>, ApiError> {
    let policy = reading::policy_of(draft)?;
    let id = (!draft.id.is_empty()).then(|| policy_id(&draft.id)).transpose()?;
    let checked = policy.checked();
    let policy = checked.map_err(|fault| ApiError::invalid(fault.to_string()))?;
    let seen = desk().preview_policy(id, &policy).await;
    match seen {
        Ok(seen) => Ok(Some(words::seen(&policy, seen))),
        Err(DeskError::Invalid(reason)) => Err(ApiError::invalid(reason)),
        Err(DeskError::Unavailable(reason)) => Err(ApiError::Unavailable { reason }),
        Err(fault) => Err(fault.into()),
    }
}

/// A letter that a policy could not replay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FailedLetter {
    /// Its page.
    pub(super) href: String,
    /// What came of it, when and why.
    pub(super) says: String,
}
