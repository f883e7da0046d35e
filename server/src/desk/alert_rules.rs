//! Alert rules: their changes, and what one would have told.
//!
//! What a rule counts is said by the judge of letters, so a change of a filter takes the book of rules and begins
//! a new revision of it: later batches of intake see it.

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use dlo_app::desk::DeskError;
use dlo_domain::alert::{
    AlertPreview, AlertRule, AlertRuleFault, MOST_ALERT_RULES, NewAlertRule, Signal, by_hours,
    condition, of_arrivals, of_waiting, would_have_fired,
};
use dlo_domain::audit::Actor;
use dlo_domain::ids::{AlertCounterId, AlertRuleId};
use sqlx::PgConnection;

use super::alerts::{close, note};
use super::error::no_preview;
use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::judging::DAYS;
use crate::store::alerts::history::{self, Minute};
use crate::store::alerts::{matches, rules};
use crate::store::filter::Matching;
use crate::store::judging::{Due, begin};
use crate::store::rules::{revise, take};
use crate::store::{StoreError, letter_list, shared_time};

/// Letters that a preview reads at most.
const MOST_READ: i64 = 200_000;

pub(super) async fn list(desk: &PgDesk) -> Result<Vec<AlertRule>, DeskError> {
    let mut conn = desk.connection().await?;
    let kept = rules::all(&mut conn).await?;
    Ok(kept.into_iter().map(|kept| kept.rule).collect())
}

pub(super) async fn add(
    desk: &PgDesk,
    actor: &Actor,
    rule: &NewAlertRule,
) -> Result<AlertRule, DeskError> {
    let rule = rule.checked().map_err(of_fault)?;
    let id = AlertRuleId(new_id(&*desk.clock));
    changing!(desk, conn => {
        take(conn).await?;
        if rules::all(conn).await?.len() >= MOST_ALERT_RULES {
            return Err(DeskError::Conflict(format!(
                "there can be at most {MOST_ALERT_RULES} alert rules: remove one first"
            )));
        }
        let now = shared_time(conn, &*desk.clock).await?;
        rules::add(conn, id, &rule, (&actor.0, now)).await?;
        count_anew(desk, conn, id, None, scope(&rule), now).await?;
        close(conn, note(desk, actor, "alert_rule.add"), &said(&rule)).await?;
        Ok(AlertRule { id, built_in: None, rule: rule.clone() })
    })
}

pub(super) async fn change(
    desk: &PgDesk,
    actor: &Actor,
    id: AlertRuleId,
    rule: &NewAlertRule,
) -> Result<AlertRule, DeskError> {
    let rule = rule.checked().map_err(of_fault)?;
    changing!(desk, conn => {
        take(conn).await?;
        let before = find(conn, id).await?;
        let built_in = before.built_in;
        if built_in.is_some() && before.rule.signal.kind() != rule.signal.kind() {
            return Err(of_fault(AlertRuleFault::Signal));
        }
        let now = shared_time(conn, &*desk.clock).await?;
        rules::change(conn, id, &rule, (&actor.0, now)).await?;
        count_anew(desk, conn, id, scope(&before.rule), scope(&rule), now).await?;
        close(conn, note(desk, actor, "alert_rule.change"), &said(&rule)).await?;
        Ok(AlertRule { id, built_in, rule: rule.clone() })
    })
}

pub(super) async fn remove(desk: &PgDesk, actor: &Actor, id: AlertRuleId) -> Result<(), DeskError> {
    changing!(desk, conn => {
        take(conn).await?;
        let before = find(conn, id).await?;
        if before.built_in.is_some() {
            return Err(DeskError::Conflict(
                "every office has this rule: it can be switched off, and not removed".to_owned(),
            ));
        }
        let now = shared_time(conn, &*desk.clock).await?;
        rules::remove(conn, id, (&actor.0, now)).await?;
        count_anew(desk, conn, id, scope(&before.rule), None, now).await?;
        close(conn, note(desk, actor, "alert_rule.remove"), &said(&before.rule)).await?;
        Ok(())
    })
}

pub(super) async fn preview(
    desk: &PgDesk,
    rule: &NewAlertRule,
    kept: Option<AlertRuleId>,
) -> Result<AlertPreview, DeskError> {
    let rule = rule.checked().map_err(of_fault)?;
    let mut conn = desk.begin().await?;
    let now = shared_time(&mut conn, &*desk.clock).await?;
    letter_list::limit_time(&mut conn, desk.patience.preview).await?;
    // With the minute that has begun these are whole hours.
    let from = (now - TimeDelta::days(i64::from(DAYS)) + TimeDelta::minutes(1))
        .duration_trunc(TimeDelta::minutes(1))
        .unwrap_or(now);
    let fired = match kept {
        Some(id) => {
            find(&mut conn, id).await?;
            Some(history::fired(&mut conn, id, from).await?)
        }
        None => None,
    };
    let history = past_figures(&mut conn, &rule, (from, now)).await;
    let history = history.map_err(|why| no_preview(why, "rule"))?;
    Ok(match history {
        None => AlertPreview { from, until: now, alerts: None, hours: Vec::new(), fired },
        Some(FigureHistory { from, figures }) => AlertPreview {
            from,
            until: now,
            alerts: Some(would_have_fired(&rule, from, now, &figures)),
            hours: by_hours(rule.signal.limit(rule.limit), &figures),
            fired,
        },
    })
}

/// The figures of each minute from a time on.
struct FigureHistory {
    from: DateTime<Utc>,
    figures: Vec<i64>,
}

/// What a rule's figure was; nothing where no history of it is kept.
async fn past_figures(
    conn: &mut PgConnection,
    rule: &NewAlertRule,
    (from, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<Option<FigureHistory>, StoreError> {
    let filter = condition(&rule.signal).unwrap_or_default();
    let figures = match &rule.signal {
        Signal::DeadLetters { measure, minutes, .. } => {
            let all = history::all_arrivals(conn, from).await?;
            let these = if filter.is_empty() {
                all.clone()
            } else {
                let matching = Matching::look_up(conn, &filter, now).await?;
                history::arrivals(conn, &matching, from, MOST_READ).await?
            };
            let is_cut = !filter.is_empty()
                && these.iter().map(|(_, count)| count).sum::<i64>() >= MOST_READ;
            let first = these.first().map(|(minute, _)| *minute).filter(|_| is_cut);
            let from = first.map_or(from, |minute| minute + TimeDelta::minutes(1));
            let (these, all) = (by_minutes(&these, (from, now)), by_minutes(&all, (from, now)));
            return Ok(Some(FigureHistory {
                from,
                figures: of_arrivals(*measure, *minutes, &these, &all),
            }));
        }
        Signal::ExecutionTimeouts => {
            let timeouts = by_minutes(&history::timeouts(conn, from).await?, (from, now));
            of_arrivals(dlo_domain::alert::Measure::Rate, 1, &timeouts, &timeouts)
        }
        Signal::OldestLetter { .. } => {
            let matching = Matching::look_up(conn, &filter, now).await?;
            let waited = history::waited(conn, &matching, (from, now), MOST_READ).await?;
            of_waiting(from, minutes_between(from, now), waited)
        }
        _ => return Ok(None),
    };
    Ok(Some(FigureHistory { from, figures }))
}

/// One figure for every minute of a time.
fn by_minutes(counted: &[Minute], (from, now): (DateTime<Utc>, DateTime<Utc>)) -> Vec<i64> {
    let mut figures = vec![0; minutes_between(from, now)];
    for (minute, count) in counted {
        let place = usize::try_from((*minute - from).num_minutes());
        if *minute >= from
            && let Some(figure) = place.ok().and_then(|place| figures.get_mut(place))
        {
            *figure += count;
        }
    }
    figures
}

/// How many minutes there are, the one that has begun among them.
fn minutes_between(from: DateTime<Utc>, now: DateTime<Utc>) -> usize {
    usize::try_from((now - from).num_minutes() + 1).unwrap_or_default()
}

/// Which letters are counted or measured for a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Scope<'a> {
    is_waiting: bool,
    filter: &'a str,
}

/// The letters of a rule; `None` for one that has none of its own, or is switched off.
fn scope(rule: &NewAlertRule) -> Option<Scope<'_>> {
    let filter = rule.signal.filter().filter(|_| rule.enabled)?;
    let is_waiting = matches!(rule.signal, Signal::OldestLetter { .. });
    (is_waiting || !filter.is_empty()).then_some(Scope { is_waiting, filter })
}

/// Has letters counted for a rule as it is now, where its letters are others than before.
async fn count_anew(
    desk: &PgDesk,
    conn: &mut PgConnection,
    id: AlertRuleId,
    before: Option<Scope<'_>>,
    after: Option<Scope<'_>>,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    if before == after {
        return Ok(());
    }
    let counter = AlertCounterId(new_id(&*desk.clock));
    matches::reset(conn, id, counter, now).await?;
    revise(conn).await?;
    // Letters that wait already are looked at by the walk that judges them by severity rules, too.
    if after.is_some_and(|scope| scope.is_waiting) {
        begin(conn, Due { severity: true, ..Due::default() }, now).await?;
    }
    Ok(())
}

async fn find(conn: &mut PgConnection, id: AlertRuleId) -> Result<AlertRule, DeskError> {
    let kept = rules::all(conn).await?.into_iter().find(|kept| kept.rule.id == id);
    let kept = kept.ok_or_else(|| DeskError::NotFound(format!("there is no alert rule {id}")))?;
    Ok(kept.rule)
}

fn said(rule: &NewAlertRule) -> String {
    serde_json::to_string(rule).expect("a rule is words, texts and numbers")
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
fn of_fault(fault: AlertRuleFault) -> DeskError {
    DeskError::Invalid(fault.to_string())
}
