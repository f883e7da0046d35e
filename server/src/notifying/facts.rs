//! What is known beside the figure of an alert: how fast letters die, the last error, what they have in common, the
//! likely cause, what worked before, and whether a replay looks safe.

use std::time::Duration;

use chrono::{DateTime, Utc};
use dlo_domain::alert::{AlertSubject, Signal};
use dlo_domain::ids::AlertRuleId;
use dlo_domain::notice::{Fact, Surroundings};
use dlo_domain::reading::cut;
use sqlx::{PgConnection, PgPool};

use crate::breakdown::{self, Comparisons};
use crate::store::StoreError;
use crate::store::alerts::behind::{self, LastLetter};
use crate::store::alerts::pace;
use crate::store::letter_list::limit_time;

/// Bytes of an error that are told: a phone shows no more.
const MOST_ERROR: usize = 600;

/// How long each question may take.
const WITHIN: Duration = Duration::from_secs(2);

/// An alert that something is to be known around.
#[derive(Debug, Clone, Copy)]
pub struct About<'a> {
    /// Its rule.
    pub rule: AlertRuleId,
    /// What the rule watches.
    pub signal: &'a Signal,
    /// What the alert is about.
    pub subject: &'a AlertSubject,
    /// Its figure.
    pub figure: i64,
}

/// What is known, the most important first. What cannot be found out, or not soon, is left out: it must not keep
/// the alert from being told.
///
/// # Errors
/// Returns an error if the database is away.
pub async fn around(
    pool: &PgPool,
    comparisons: &Comparisons,
    about: About<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<Fact>, StoreError> {
    let mut transaction = pool.begin().await?;
    limit_time(&mut transaction, WITHIN).await?;
    match known(&mut transaction, comparisons, about, now).await {
        Err(why) if !why.is_outage() => {
            tracing::warn!(rule = %about.rule, %why, "an alert is told without what is around it");
            Ok(Vec::new())
        }
        known => known,
    }
}

async fn known(
    conn: &mut PgConnection,
    comparisons: &Comparisons,
    about: About<'_>,
    now: DateTime<Utc>,
) -> Result<Vec<Fact>, StoreError> {
    let About { signal, subject, .. } = about;
    let mut facts = Vec::new();
    if let Some(source) = subject.source {
        facts.extend(fact("what it says", behind::condition_of(conn, source).await?));
    }
    facts.extend(fact("how fast", pace(conn, about, now).await?));
    let last = last_letter(conn, about).await?;
    if let Some(last) = &last {
        facts.extend(fact("last error", last.error.clone()));
        facts.extend(fact("queue", last.queue.clone()));
        if *signal == Signal::RetriesExhausted {
            facts.extend(fact("died", Some(format!("{} times", last.arrivals))));
        }
    }
    if let Some(group) = subject.group {
        let found = breakdown::of_group(conn, comparisons, group, now).await?;
        facts.extend(fact("stands out", found.and_then(|found| found.points_at())));
    }
    facts.extend(surroundings(conn, about, last, now).await?.facts(now));
    Ok(facts)
}

/// What is known around the queue that its letters die in.
async fn surroundings(
    conn: &mut PgConnection,
    about: About<'_>,
    last: Option<LastLetter>,
    now: DateTime<Utc>,
) -> Result<Surroundings, StoreError> {
    let About { signal, subject, figure, .. } = about;
    let mut known = Surroundings::default();
    if let Some(last) = last {
        if let Some(queue) = &last.queue {
            known = behind::surroundings(conn, (&last.broker, &last.vhost, queue), now).await?;
        }
        // How many wait is not known of letters that are counted as they arrive.
        if signal.filter().is_none() {
            known.last_died_at = Some(last.arrived_at);
            known.waiting = figure;
        }
    } else if let (Some(broker), Some(vhost), Some(queue)) =
        (&subject.broker, &subject.vhost, &subject.queue)
    {
        let around = behind::surroundings(conn, (broker, vhost, queue), now).await?;
        known.silent = around.silent;
    } else if *signal == Signal::ActiveWorkers {
        known.silent = behind::silent_workers(conn).await?;
    }
    if let Some(group) = subject.group {
        known.worked = behind::worked_for(conn, group).await?;
    }
    Ok(known)
}

/// The newest of the letters that it is about; of those that wait too long the oldest.
async fn last_letter(
    conn: &mut PgConnection,
    about: About<'_>,
) -> Result<Option<LastLetter>, StoreError> {
    let About { rule, signal, subject, .. } = about;
    if let Some(group) = subject.group {
        return behind::last_of_group(conn, group).await;
    }
    let letter = match signal {
        Signal::DeadLetters { .. } => behind::last_counted(conn, rule).await?,
        Signal::OldestLetter { .. } => behind::oldest_waiting(conn, rule).await?,
        Signal::RetriesExhausted => {
            let of_policy = subject.key.split_once(' ');
            return match of_policy.map(|(policy, severity)| (policy.parse(), severity)) {
                Some((Ok(policy), severity)) => {
                    behind::last_exhausted(conn, policy, severity).await
                }
                _ => Ok(None),
            };
        }
        _ => None,
    };
    match letter {
        Some(letter) => behind::letter(conn, letter).await,
        None => Ok(None),
    }
}

/// How fast its letters die, where they are counted.
async fn pace(
    conn: &mut PgConnection,
    about: About<'_>,
    now: DateTime<Utc>,
) -> Result<Option<String>, StoreError> {
    let About { rule, signal, subject, .. } = about;
    let pace = match (signal, subject.group) {
        (_, Some(group)) => pace::of_group(conn, group, now).await?,
        (Signal::DeadLetters { filter, .. }, None) if !filter.is_empty() => {
            pace::of_rule(conn, rule, now).await?
        }
        (Signal::DeadLetters { .. }, None) => pace::of_all(conn, now).await?,
        _ => return Ok(None),
    };
    Ok(pace.says())
}

/// A fact, if there is something to tell.
fn fact(label: &'static str, text: Option<String>) -> Option<Fact> {
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(Fact { label, text: cut(text.trim(), MOST_ERROR) })
}
