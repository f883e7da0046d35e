//! Retry policies: the list, its changes, what a policy did, and what it would do.

mod preview;

use std::time::Duration;

use async_trait::async_trait;
use dlo_app::desk::{DeskError, PolicyDesk};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::PolicyId;
use dlo_domain::policy::{
    Applied, MOST_POLICIES, NewPolicy, Policy, PolicyFault, PolicyPreview, PolicyReport,
    PolicyVerdict,
};
use dlo_domain::selection::{Changed, Selection};
use sqlx::PgConnection;

use super::error::in_time;
use super::{PgDesk, changing, decisions};
use crate::clock::new_id;
use crate::store::audit::{self, Note};
use crate::store::filter::Matching;
use crate::store::policies::letting_go::{self, Word};
use crate::store::policies::{self, Kept, inbox};
use crate::store::retries::{figures, shadows};
use crate::store::{StoreError, events, letter_list, rules, shared_time};

/// How long looking for held letters may take.
const APPLY: Duration = Duration::from_mins(1);

const NOT_APPLIED: &str = "looking for held letters that this policy matches took too long, so it \
    was applied to none: narrow its filter, or replay them from the list";

#[async_trait]
impl PolicyDesk for PgDesk {
    async fn policies(&self) -> Result<Vec<Policy>, DeskError> {
        let mut conn = self.connection().await?;
        all(self, &mut conn).await
    }

    async fn policy(&self, id: PolicyId) -> Result<PolicyReport, DeskError> {
        let mut conn = self.connection().await?;
        let kept = policies::ever(&mut conn, id).await?;
        let kept = kept.ok_or_else(|| never_a_policy(id))?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let removed = kept.removed.clone();
        Ok(PolicyReport {
            policy: figures::one_with_figures(&mut conn, kept, now).await?,
            removed,
            failed: figures::failed(&mut conn, id).await?,
            shadow: shadows::results(&mut conn, id, now).await?,
        })
    }

    async fn add_policy(&self, actor: &Actor, policy: &NewPolicy) -> Result<Policy, DeskError> {
        let policy = policy.checked().map_err(of_fault)?;
        let id = PolicyId(new_id(&*self.clock));
        changing!(self, conn => {
            rules::take(conn).await?;
            if policies::all(conn).await?.len() >= MOST_POLICIES {
                return Err(DeskError::Conflict(format!(
                    "there can be at most {MOST_POLICIES} retry policies: remove one first"
                )));
            }
            check_name(conn, None, &policy).await?;
            let at = shared_time(conn, &*self.clock).await?;
            policies::insert(conn, id, &policy, &actor.0, at).await?;
            close(conn, note(self, actor, "policy.add"), &said(&policy)).await?;
            find(self, conn, id).await
        })
    }

    async fn change_policy(
        &self,
        actor: &Actor,
        id: PolicyId,
        policy: &NewPolicy,
    ) -> Result<Policy, DeskError> {
        let policy = policy.checked().map_err(of_fault)?;
        changing!(self, conn => {
            rules::take(conn).await?;
            check_name(conn, Some(id), &policy).await?;
            let at = shared_time(conn, &*self.clock).await?;
            if !policies::change(conn, id, &policy, &actor.0, at).await? {
                return Err(no_policy(id));
            }
            if policy.verdict != PolicyVerdict::Retry {
                let why = format!("the retry policy `{}` does not retry any more", policy.name);
                let_go(conn, actor, id, why).await?;
            }
            close(conn, note(self, actor, "policy.change"), &said(&policy)).await?;
            find(self, conn, id).await
        })
    }

    async fn remove_policy(&self, actor: &Actor, id: PolicyId) -> Result<(), DeskError> {
        changing!(self, conn => {
            rules::take(conn).await?;
            let at = shared_time(conn, &*self.clock).await?;
            let name = policies::remove(conn, id, &actor.0, at).await?.ok_or_else(|| no_policy(id))?;
            let why = format!("the retry policy `{name}` was removed");
            let_go(conn, actor, id, why).await?;
            close(conn, note(self, actor, "policy.remove"), &format!("`{name}`")).await?;
            Ok(())
        })
    }

    async fn order_policies(
        &self,
        actor: &Actor,
        order: &[PolicyId],
    ) -> Result<Vec<Policy>, DeskError> {
        changing!(self, conn => {
            rules::take(conn).await?;
            let kept = policies::all(conn).await?;
            let mut there: Vec<PolicyId> = kept.iter().map(|kept| kept.id).collect();
            let mut wanted = order.to_vec();
            there.sort_unstable();
            wanted.sort_unstable();
            if there != wanted {
                return Err(DeskError::Conflict(format!(
                    "the order must name each of the {} retry policies once: reload, somebody may \
                     have changed them",
                    there.len()
                )));
            }
            policies::order(conn, order).await?;
            close(conn, note(self, actor, "policy.order"), "the retry policies").await?;
            all(self, conn).await
        })
    }

    async fn preview_policy(
        &self,
        id: Option<PolicyId>,
        policy: &NewPolicy,
    ) -> Result<PolicyPreview, DeskError> {
        let policy = policy.checked().map_err(of_fault)?;
        let mut conn = self.begin().await?;
        check_name(&mut conn, id, &policy).await?;
        preview::of(self, &mut conn, id, &policy).await
    }

    async fn apply_policy(&self, actor: &Actor, id: PolicyId) -> Result<Applied, DeskError> {
        changing!(self, conn => {
            let now = shared_time(conn, &*self.clock).await?;
            let kept = one(conn, id).await?;
            if !kept.policy.enabled {
                return Err(DeskError::Conflict(
                    "the policy is switched off: switch it on first"
                        .to_owned(),
                ));
            }
            let filter = kept.policy.condition().map_err(of_fault)?;
            letter_list::limit_time(conn, APPLY).await?;
            let matching = Matching::look_up(conn, &filter, now).await?;
            let letters = inbox::put_held(conn, &matching, now)
                .await
                .map_err(|why| in_time(why, NOT_APPLIED))?;
            let letters = i64::try_from(letters).unwrap_or(i64::MAX);
            let detail = format!("`{}` to {letters} held letters", kept.policy.name);
            close(conn, note(self, actor, "policy.apply"), &detail).await?;
            Ok(Applied { letters })
        })
    }

    async fn hold(&self, actor: &Actor, selection: &Selection) -> Result<Changed, DeskError> {
        decisions::hold(self, actor, selection).await
    }
}

/// Whether no other policy has this name: the audit trail knows policies by it.
async fn check_name(
    conn: &mut PgConnection,
    id: Option<PolicyId>,
    policy: &NewPolicy,
) -> Result<(), DeskError> {
    let name = &policy.name;
    if policies::has_name(conn, name, id).await? {
        return Err(DeskError::Invalid(format!(
            "there is a retry policy `{name}` already, and the audit trail knows policies by their \
             names: give this one another"
        )));
    }
    Ok(())
}

async fn all(desk: &PgDesk, conn: &mut PgConnection) -> Result<Vec<Policy>, DeskError> {
    let kept = policies::all(conn).await?;
    let now = shared_time(conn, &*desk.clock).await?;
    Ok(figures::with_figures(conn, kept, now).await?)
}

async fn one(conn: &mut PgConnection, id: PolicyId) -> Result<Kept, DeskError> {
    let kept = policies::all(conn).await?;
    let found = kept.into_iter().find(|kept| kept.id == id);
    found.ok_or_else(|| no_policy(id))
}

async fn find(desk: &PgDesk, conn: &mut PgConnection, id: PolicyId) -> Result<Policy, DeskError> {
    let kept = one(conn, id).await?;
    let now = shared_time(conn, &*desk.clock).await?;
    Ok(figures::one_with_figures(conn, kept, now).await?)
}

/// Has every letter held that waits for a policy: by the scheduler, in the background.
async fn let_go(
    conn: &mut PgConnection,
    actor: &Actor,
    id: PolicyId,
    why: String,
) -> Result<(), StoreError> {
    let by = actor.clone();
    letting_go::begin(conn, id, &Word { by, why }).await
}

/// Ends a change: notes it and tells of it.
async fn close(conn: &mut PgConnection, note: Note<'_>, detail: &str) -> Result<(), StoreError> {
    let note = Note { detail: Some(detail), ..note };
    audit::write_office(conn, note).await?;
    events::notify(conn, &LiveEvent::Policies).await
}

fn note<'a>(desk: &PgDesk, actor: &'a Actor, action: &'a str) -> Note<'a> {
    Note { at: desk.clock.now(), actor, action, detail: None, replay: None }
}

/// A policy in a line, for the audit trail.
fn said(policy: &NewPolicy) -> String {
    let filter = match policy.filter.as_str() {
        "" => "every letter",
        filter => filter,
    };
    let rest = serde_json::to_string(policy).expect("a policy is words, texts and numbers");
    let verdict = policy.verdict.as_str();
    format!("`{}`: {filter} → {verdict}; {rest}", policy.name)
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
fn of_fault(fault: PolicyFault) -> DeskError {
    DeskError::Invalid(fault.to_string())
}

fn never_a_policy(id: PolicyId) -> DeskError {
    DeskError::NotFound(format!("there is no retry policy {id}, and there was none"))
}

fn no_policy(id: PolicyId) -> DeskError {
    DeskError::NotFound(format!("there is no retry policy {id}: it may have been removed"))
}
