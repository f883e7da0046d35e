//! Sets dead-lettering of a queue by policy. The broker is asked anew each time: what was read last may
//! be half a minute old. One at a time does it in a vhost, from the question to the last policy: two that
//! are sound by themselves may be a chain together.

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_app::desk::{DeskError, QueueName};
use dlo_domain::audit::Actor;
use dlo_domain::topology::{
    DeadLetteringPlan, NewDeadLettering, PolicyChange, QueueReport, UnreadChange, Vhost, plan,
    plan_lift, plan_removal, read_now,
};
use sqlx::{PgConnection, Postgres, Transaction};

use super::super::{PgDesk, changing};
use crate::broker::{Management, ManagementError};
use crate::store::audit::{self, Note};
use crate::store::topology::{self as kept, Place, set_here};
use crate::store::{StoreError, shared_time};

/// How often somebody asks again who waits for whoever sets dead-lettering in the same vhost.
const PAUSE: Duration = Duration::from_millis(100);

pub(super) async fn preview(
    desk: &PgDesk,
    queue: &QueueName,
    wanted: &NewDeadLettering,
) -> Result<DeadLetteringPlan, DeskError> {
    let (_, vhost) = ask(desk, queue).await?;
    Ok(plan((&vhost, &queue.vhost), &queue.name, wanted))
}

pub(super) async fn set(
    desk: &PgDesk,
    actor: &Actor,
    queue: &QueueName,
    wanted: &NewDeadLettering,
    seen: Option<&str>,
) -> Result<DeadLetteringPlan, DeskError> {
    let _alone = alone(desk, queue).await?;
    let (management, vhost) = ask(desk, queue).await?;
    let planned = plan((&vhost, &queue.vhost), &queue.name, wanted);
    check_seen(&planned, seen)?;
    carry_out(desk, actor, queue, &management, planned).await
}

/// Refuses a plan that is another than what was looked at.
fn check_seen(planned: &DeadLetteringPlan, seen: Option<&str>) -> Result<(), DeskError> {
    if seen.is_some_and(|seen| seen != planned.plan) {
        return Err(DeskError::Conflict(
            "something else changed at the broker meanwhile, so nothing was set: check again"
                .to_owned(),
        ));
    }
    Ok(())
}

pub(super) async fn lift(
    desk: &PgDesk,
    actor: &Actor,
    queue: &QueueName,
    seen: Option<&str>,
    is_dry: bool,
) -> Result<DeadLetteringPlan, DeskError> {
    if is_dry {
        let (_, vhost) = ask(desk, queue).await?;
        return Ok(plan_lift((&vhost, &queue.vhost), &queue.name));
    }
    let _alone = alone(desk, queue).await?;
    let (management, vhost) = ask(desk, queue).await?;
    let planned = plan_lift((&vhost, &queue.vhost), &queue.name);
    check_seen(&planned, seen)?;
    carry_out(desk, actor, queue, &management, planned).await
}

pub(super) async fn unset(
    desk: &PgDesk,
    actor: &Actor,
    queue: &QueueName,
    is_dry: bool,
) -> Result<DeadLetteringPlan, DeskError> {
    if is_dry {
        let (_, vhost) = ask(desk, queue).await?;
        return Ok(plan_removal(&vhost, &queue.name));
    }
    let _alone = alone(desk, queue).await?;
    let (management, vhost) = ask(desk, queue).await?;
    let planned = plan_removal(&vhost, &queue.name);
    carry_out(desk, actor, queue, &management, planned).await
}

/// Nobody else sets anything in this vhost before what is handed out is dropped. It is asked for again and
/// again rather than waited for in Postgres, so that those who wait hold no connection.
async fn alone(
    desk: &PgDesk,
    queue: &QueueName,
) -> Result<Transaction<'static, Postgres>, DeskError> {
    let place = Place { broker: &queue.broker, vhost: &queue.vhost };
    // No broker has such a vhost, and Postgres cannot be asked to hold its place.
    if place.broker.contains('\0') || place.vhost.contains('\0') {
        return Err(super::no_queue(&queue.vhost, &queue.name));
    }
    let waiting = async {
        loop {
            let mut transaction = desk.begin().await?;
            if set_here::alone(&mut transaction, place).await? {
                return Ok(transaction);
            }
            drop(transaction);
            tokio::time::sleep(PAUSE).await;
        }
    };
    tokio::time::timeout(desk.patience.turn, waiting).await.unwrap_or_else(|_| {
        Err(DeskError::Conflict(
            "somebody else is changing dead-lettering in this vhost, so nothing was done: try again"
                .to_owned(),
        ))
    })
}

async fn ask(desk: &PgDesk, queue: &QueueName) -> Result<(Management, Vhost), DeskError> {
    let management = desk.brokers.management(&queue.broker).map_err(of_broker)?;
    let overview = management.overview().await.map_err(of_broker)?;
    let answers = management.survey(&queue.vhost, &overview).await;
    let answers = answers.map_err(of_broker)?;
    Ok((management, read_now(&answers)))
}

/// The policies first, then the audit line: what was done at a broker is never taken back by a
/// database that is away, and is said all the same.
async fn carry_out(
    desk: &PgDesk,
    actor: &Actor,
    queue: &QueueName,
    management: &Management,
    mut planned: DeadLetteringPlan,
) -> Result<DeadLetteringPlan, DeskError> {
    if !planned.refusals.is_empty() {
        let mut why = planned.refusals.join("; ");
        if !planned.migration.is_empty() {
            let steps: Vec<&str> = planned.migration.iter().map(|step| &*step.says).collect();
            why = format!("{why}. {}", steps.join(" "));
        }
        return Err(DeskError::Unfit { why, place: None });
    }
    // The retention of the dead-letter queue before letters come to it.
    for change in planned.changes.iter().rev() {
        let done = match change.policy() {
            Some(policy) => management.put_policy(&queue.vhost, &policy).await,
            None => management.delete_policy(&queue.vhost, &change.name).await,
        };
        done.map_err(of_broker)?;
        note(desk, actor, queue, change).await?;
    }
    planned.applied = true;
    Ok(planned)
}

/// A queue with what was changed of it here, where the broker was not read since.
pub(super) async fn after_change(
    conn: &mut PgConnection,
    mut queue: QueueReport,
    read_at: DateTime<Utc>,
) -> Result<QueueReport, StoreError> {
    let place = Place { broker: &queue.broker, vhost: &queue.vhost };
    if let Some(last) = set_here::last_change(conn, place, &queue.name).await? {
        queue.note_change(UnreadChange { at: last.at, read_at, is_set: last.is_set });
    }
    Ok(queue)
}

async fn note(
    desk: &PgDesk,
    actor: &Actor,
    queue: &QueueName,
    change: &PolicyChange,
) -> Result<(), DeskError> {
    let what = match &change.definition {
        Some(definition) => serde_json::to_string(definition).unwrap_or_default(),
        None => set_here::TAKEN_AWAY.to_owned(),
    };
    let place = Place { broker: &queue.broker, vhost: &queue.vhost };
    let about = set_here::about(place, &change.queue, &change.name);
    let detail = format!("{about}{what}");
    changing!(desk, conn => {
        let note = Note {
            // By the clock that tells when brokers are read.
            at: shared_time(conn, &*desk.clock).await?,
            actor,
            action: "queue.dead_lettering",
            detail: Some(&detail),
            replay: None,
        };
        audit::write_office(conn, note).await?;
        Ok(kept::ask_again(conn).await?)
    })
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
fn of_broker(why: ManagementError) -> DeskError {
    match why {
        ManagementError::NotConfigured => DeskError::Invalid(why.to_string()),
        ManagementError::Missing => DeskError::NotFound(why.to_string()),
        ManagementError::Refused(status) => DeskError::Unfit {
            why: format!(
                "the broker refuses ({status}): to set policies the user of DLO_MANAGEMENT_URL \
                 needs the tag `policymaker`, and a permission on the vhost"
            ),
            place: None,
        },
        ManagementError::Http(_) | ManagementError::TooLarge | ManagementError::Unexpected(_) => {
            DeskError::Unavailable(why.to_string())
        }
    }
}
