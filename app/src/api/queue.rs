//! One queue: how it is, and its dead-lettering, looked at before it is set. What is shown is put
//! into words here, so that the browser has nothing to reckon with.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]
#![cfg_attr(
    feature = "ssr",
    expect(
        clippy::unused_async,
        reason = "a server function is asynchronous, also where it has nothing to wait for"
    )
)]

use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use super::Said;
use super::topology::FindingRow;
use crate::codec::Json;
use crate::error::ApiError;

mod draft;

pub use draft::DeadLetteringDraft;

/// One queue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QueueView {
    /// In a sentence.
    pub heading: Said,
    /// Its vhost: the address, and what it is called.
    pub vhost: (String, String),
    /// When it was read, and by whom.
    pub place: String,
    /// What is not known of its vhost, and why.
    pub notes: Vec<String>,
    /// What is known of it.
    pub facts: Vec<(String, Said)>,
    /// What can be lost.
    pub findings: Vec<FindingRow>,
    /// Why it has no form; empty when it has one.
    pub no_form: String,
    /// The form.
    pub form: DeadLetteringForm,
}

/// The form of dead-lettering.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct DeadLetteringForm {
    /// What stands in it.
    pub draft: DeadLetteringDraft,
    /// Why it has no limit of deliveries; empty when it has.
    pub counts_nothing: String,
    /// What is wrong, or was when it was sent.
    pub error: String,
    /// The address that asks what taking it back would do; empty when nothing was set here.
    pub removal: String,
    /// What would be done, when that was asked for.
    pub preview: Option<PlanSeen>,
}

/// What would be done.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PlanSeen {
    /// In a sentence.
    pub says: String,
    /// What is sent with it, so that nothing else is done; empty when nothing can be done.
    pub plan: String,
    /// What it does.
    pub action: PlanAction,
    /// The policies.
    pub policies: Vec<PolicySeen>,
    /// What stays as it is, and why.
    pub stays: Vec<String>,
    /// What stands against it.
    pub refusals: Vec<String>,
    /// How to get there all the same, step by step, each with its commands.
    pub steps: Vec<(String, Vec<String>)>,
}

/// What a plan does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PlanAction {
    /// It sets dead-lettering.
    Set,
    /// It takes away what was set.
    TakeBack,
    /// It lifts the limit of deliveries.
    Lift,
}

/// A policy that would be set or taken away.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PolicySeen {
    /// In a sentence.
    pub says: String,
    /// By key: what applies now, and what would.
    pub lines: Vec<(String, String, String)>,
}

/// One queue, and the form as it is written so far. `look` is `plan` or `removal` for a preview, `set`
/// where it was just set; `fault` says why it was not.
///
/// # Errors
/// No such queue, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "queue", input = GetUrl, output = Json)]
pub async fn read_queue(
    #[server(flatten)] draft: DeadLetteringDraft,
    #[server(default)] look: String,
    #[server(default)] fault: String,
) -> Result<QueueView, ApiError> {
    sheet::of(draft, &look, &fault).await
}

/// Goes to the queue's page with what was written in the address, where it can be looked at, and sent
/// to somebody. Changes nothing.
///
/// # Errors
/// None.
#[server(prefix = "/ui", endpoint = "queue/look", input = GetUrl, output = Json)]
pub async fn look_at_dead_lettering(
    #[server(flatten)] draft: DeadLetteringDraft,
) -> Result<(), ApiError> {
    crate::request::go_on_to(&draft.address("plan", ""));
    Ok(())
}

/// Sets dead-lettering of a queue as it was looked at: `plan` is what its preview told.
///
/// # Errors
/// Something changed meanwhile, or stands against it; or a desk or a broker that does not answer.
#[server(prefix = "/ui", endpoint = "queue/dead-lettering", output = Json)]
pub async fn set_dead_lettering(
    #[server(flatten)] draft: DeadLetteringDraft,
    #[server(default)] plan: String,
) -> Result<(), ApiError> {
    book::set(draft, &plan).await
}

/// Takes away what was set of a queue, as it was looked at.
///
/// # Errors
/// Something changed meanwhile, nothing was set here; or a desk or a broker that does not answer.
#[server(prefix = "/ui", endpoint = "queue/take-back", output = Json)]
pub async fn take_back_dead_lettering(
    #[server(flatten)] draft: DeadLetteringDraft,
    #[server(default)] plan: String,
) -> Result<(), ApiError> {
    book::take_back(draft, &plan).await
}

/// Lifts the limit of deliveries of a queue, as it was looked at.
///
/// # Errors
/// Something changed meanwhile, no policy lifts it; or a desk or a broker that does not answer.
#[server(prefix = "/ui", endpoint = "queue/lift-limit", output = Json)]
pub async fn lift_delivery_limit(
    #[server(flatten)] draft: DeadLetteringDraft,
    #[server(default)] plan: String,
) -> Result<(), ApiError> {
    book::lift(draft, &plan).await
}

#[cfg(feature = "ssr")]
mod book;
#[cfg(feature = "ssr")]
mod facts;
#[cfg(feature = "ssr")]
mod sheet;
