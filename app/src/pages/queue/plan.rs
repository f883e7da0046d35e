//! Dead-lettering read from its form, looked at, set, and taken back.

use dlo_domain::audit::Actor;
use dlo_domain::topology::{
    DeadLetteringPlan, NewDeadLettering, PolicyChange, SettingChange, Wish, duration,
};

use super::draft::DeadLetteringDraft;
use crate::desk::{DeskError, QueueName, desk};
use crate::error::ApiError;
use crate::request::{go_on_to, is_plain_form};
use crate::wording;

/// What would be done.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PlanSeen {
    /// In a sentence.
    pub(super) says: String,
    /// What is sent with it, so that nothing else is done; empty when nothing can be done.
    pub(super) plan: String,
    /// What it does.
    pub(super) action: PlanAction,
    /// The policies.
    pub(super) policies: Vec<PolicySeen>,
    /// What stays as it is, and why.
    pub(super) stays: Vec<String>,
    /// What stands against it.
    pub(super) refusals: Vec<String>,
    /// How to get there all the same, step by step, each with its commands.
    pub(super) steps: Vec<(String, Vec<String>)>,
}

/// What a plan does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PlanAction {
    /// It sets dead-lettering.
    Set,
    /// It takes away what was set.
    TakeBack,
    /// It lifts the limit of deliveries.
    Lift,
}

/// A policy that would be set or taken away.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PolicySeen {
    /// In a sentence.
    pub(super) says: String,
    /// By key: what applies now, and what would.
    pub(super) lines: Vec<(String, String, String)>,
}

fn name_of(draft: &DeadLetteringDraft) -> QueueName {
    QueueName {
        broker: draft.broker.clone(),
        vhost: draft.vhost.clone(),
        name: draft.queue.clone(),
    }
}

/// What the form asks for.
fn wanted_of(draft: &DeadLetteringDraft) -> Result<NewDeadLettering, ApiError> {
    if draft.to.is_empty() {
        return Err(ApiError::invalid("Name the queue that dead letters are to go to."));
    }
    let (deliveries, retention) = (draft.deliveries.trim(), draft.retention.trim());
    let max_deliveries = wish(deliveries, |text| {
        text.parse().map_err(|_| {
            ApiError::invalid(format!("`{text}` is not a number of times: write one as `5`."))
        })
    })?;
    let retention_seconds = wish(retention, |text| {
        crate::api::seconds(text).map(i64::from).ok_or_else(|| {
            ApiError::invalid(format!(
                "`{text}` is not a length of time: write one as `12h` or \
                `7d`."
            ))
        })
    })?;
    Ok(NewDeadLettering {
        dead_letter_queue: draft.to.clone(),
        max_deliveries,
        retention_seconds,
        // A box that is not ticked is not sent.
        at_least_once: Wish::Set(draft.at_least_once == "on"),
    })
}

/// A field: empty leaves it as it is, and `none` takes away what was set here.
fn wish<T>(text: &str, read: impl Fn(&str) -> Result<T, ApiError>) -> Result<Wish<T>, ApiError> {
    match text {
        "" => Ok(Wish::AsItIs),
        "none" => Ok(Wish::Away),
        text => read(text).map(Wish::Set),
    }
}

/// What the form would do.
pub(super) async fn look(draft: &DeadLetteringDraft) -> Result<PlanSeen, ApiError> {
    let wanted = wanted_of(draft)?;
    let (desk, name) = (desk(), name_of(draft));
    let plan = desk.preview_dead_lettering(&name, &wanted).await?;
    Ok(seen(plan, PlanAction::Set))
}

/// What taking it back would do.
pub(super) async fn look_at_removal(draft: &DeadLetteringDraft) -> Result<PlanSeen, ApiError> {
    let (operator, name) = (Actor::local_operator(), name_of(draft));
    let plan = desk().unset_dead_lettering(&operator, &name, true).await?;
    Ok(seen(plan, PlanAction::TakeBack))
}

/// What lifting the limit of deliveries would do.
pub(super) async fn look_at_lift(draft: &DeadLetteringDraft) -> Result<PlanSeen, ApiError> {
    let (operator, name) = (Actor::local_operator(), name_of(draft));
    let plan = desk().lift_delivery_limit(&operator, &name, None, true).await?;
    Ok(seen(plan, PlanAction::Lift))
}

/// Lifts it, and goes to the queue's page.
pub(super) async fn lift(draft: DeadLetteringDraft, plan: &str) -> Result<(), ApiError> {
    let (operator, name) = (Actor::local_operator(), name_of(&draft));
    let done = desk().lift_delivery_limit(&operator, &name, Some(plan), false).await;
    go_on(&draft, done.map(drop), "lift", "", "limit-lifted")
}

/// Sets it, and goes back to the queue's page.
pub(super) async fn set(draft: DeadLetteringDraft, plan: &str) -> Result<(), ApiError> {
    let wanted = wanted_of(&draft)?;
    let (operator, name) = (Actor::local_operator(), name_of(&draft));
    let done = desk().set_dead_lettering(&operator, &name, &wanted, Some(plan)).await;
    go_on(&draft, done.map(drop), "plan", "set", "dead-lettering")
}

/// Takes it back, and goes to the queue's page.
pub(super) async fn take_back(draft: DeadLetteringDraft, plan: &str) -> Result<(), ApiError> {
    let (operator, name) = (Actor::local_operator(), name_of(&draft));
    let done = match desk().unset_dead_lettering(&operator, &name, true).await {
        Ok(now) if now.plan != plan => Err(DeskError::Conflict(
            "something else changed at the broker meanwhile, so nothing was removed: check again"
                .to_owned(),
        )),
        Ok(_) => desk().unset_dead_lettering(&operator, &name, false).await.map(drop),
        Err(fault) => Err(fault),
    };
    go_on(&draft, done, "removal", "", "dead-lettering-gone")
}

/// A plain form comes back with all that was typed, and its page says what became of it. The address
/// says that in a word of ours: it is anybody's to write.
fn go_on(
    draft: &DeadLetteringDraft,
    done: Result<(), DeskError>,
    look_again: &str,
    look: &str,
    notice: &str,
) -> Result<(), ApiError> {
    let fault = match &done {
        Ok(()) => {
            go_on_to(&draft.done(look, notice));
            return Ok(());
        }
        Err(DeskError::Conflict(_)) => "stale",
        Err(DeskError::Unfit { .. }) => "refused",
        Err(DeskError::Unavailable(_)) => "away",
        Err(DeskError::NotFound(_) | DeskError::Invalid(_) | DeskError::Internal(_)) => "",
    };
    if !fault.is_empty() && is_plain_form() {
        go_on_to(&draft.address(look_again, fault));
        return Ok(());
    }
    done.map_err(ApiError::from)
}

/// What a word of the address means.
pub(super) fn said(fault: &str) -> &'static str {
    match fault {
        "stale" => {
            "Something else changed at the broker meanwhile, so nothing was done. Below is what \
             would be done now."
        }
        "refused" => {
            "The broker refused it. Below is the state now, with what was done. To set policies, \
             the user of DLO_MANAGEMENT_URL needs the tag `policymaker` and a permission on the vhost."
        }
        "away" => {
            "The broker did not answer, so it is not known whether all of it was done. Below is \
             the state as far as the broker answers now; doing it again does no harm."
        }
        _ => "",
    }
}

fn seen(plan: DeadLetteringPlan, action: PlanAction) -> PlanSeen {
    let lines = plan.changes.iter().flat_map(|change| &change.lines);
    let differing = lines.filter(|line| line.before != line.after).count();
    let can_be_done = plan.refusals.is_empty();
    let policies = match plan.changes.len() {
        1 => "1 policy".to_owned(),
        many => format!("{many} policies"),
    };
    let says = if !can_be_done {
        "This cannot be done; nothing was changed.".to_owned()
    } else if action == PlanAction::Lift {
        format!(
            "{policies} would be set, and letters may come back as often as they like. No queue is declared \
             again, and no message is touched."
        )
    } else if action == PlanAction::TakeBack {
        let ours = match plan.changes.len() {
            1 => "Our policy is taken away, and what applied without it applies again.",
            _ => "Our policies are taken away, and what applied without them applies again.",
        };
        format!("{ours} Letters stay where they are.")
    } else if differing == 0 {
        "All of this applies already.".to_owned()
    } else {
        format!("{policies} would be set. No queue is declared again, and no message is touched.")
    };
    PlanSeen {
        says,
        plan: if can_be_done { plan.plan.clone() } else { String::new() },
        action,
        policies: plan.changes.iter().map(policy).collect(),
        stays: plan.stays,
        refusals: plan.refusals.iter().map(|why| wording::sentence(why)).collect(),
        steps: plan.migration.into_iter().map(|step| (step.says, step.commands)).collect(),
    }
}

fn policy(change: &PolicyChange) -> PolicySeen {
    let PolicyChange { queue, name, pattern, priority, .. } = change;
    let says = match (&change.definition, &change.base) {
        (Some(_), Some(base)) => format!(
            "The policy {name} of {queue} alone ({pattern}, priority {priority}) repeats the policy \
             {base}, and outranks it."
        ),
        (Some(_), None) => format!(
            "The policy {name} of {queue} alone ({pattern}, priority {priority}). No other applies."
        ),
        (None, Some(base)) => {
            format!("The policy {name} of {queue} is taken away; {base} applies again.")
        }
        (None, None) => format!("The policy {name} of {queue} is taken away; none applies then."),
    };
    let lines = change.lines.iter();
    PolicySeen {
        says,
        lines: lines
            .map(|SettingChange { key, before, after }| {
                let text = |value| value_text(key, value);
                (key.clone(), text(before.as_ref()), text(after.as_ref()))
            })
            .collect(),
    }
}

/// A value as people read it: times are set in milliseconds.
fn value_text(key: &str, value: Option<&serde_json::Value>) -> String {
    let Some(value) = value else {
        return "–".to_owned();
    };
    match (key, value.as_i64()) {
        ("message-ttl" | "expires", Some(millis)) => duration(millis),
        _ => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{DeadLetteringDraft, NewDeadLettering, Wish, wanted_of};
    use crate::error::ApiError;

    fn written(to: &str, deliveries: &str, retention: &str) -> DeadLetteringDraft {
        DeadLetteringDraft {
            to: to.to_owned(),
            deliveries: deliveries.to_owned(),
            retention: retention.to_owned(),
            ..DeadLetteringDraft::default()
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        for (draft, said) in [
            (written("", "5", "1h"), "Name the queue"),
            (written("dead", "five", ""), "`five` is not a number"),
            (written("dead", "", "soon"), "`soon` is not a length"),
            (written("dead", "", "0s"), "`0s` is not a length"),
            (written("dead", "", "99999999d"), "is not a length"),
        ] {
            match wanted_of(&draft) {
                Err(ApiError::Invalid { reason }) => assert!(reason.contains(said), "{reason}"),
                other => panic!("{draft:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn what_is_left_out_stays_as_it_is() {
        let wanted = wanted_of(&written("dead", "", "")).expect("readable");
        assert_eq!((wanted.max_deliveries, wanted.retention_seconds), (Wish::AsItIs, Wish::AsItIs));
        let wanted = wanted_of(&written("dead", "none", " none ")).expect("readable");
        assert_eq!((wanted.max_deliveries, wanted.retention_seconds), (Wish::Away, Wish::Away));
        let wanted = wanted_of(&written("a dead one", " 0 ", " 7d ")).expect("readable");
        assert_eq!(
            wanted,
            NewDeadLettering {
                dead_letter_queue: "a dead one".to_owned(),
                max_deliveries: Wish::Set(0),
                retention_seconds: Wish::Set(604_800),
                at_least_once: Wish::Set(false),
            }
        );
    }
}
