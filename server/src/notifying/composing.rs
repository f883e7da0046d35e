//! What a message says of an alert beside its figure: the last error, what is behind it, and where to act.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{AlertChange, AlertSubject, BuiltIn, Signal};
use dlo_domain::ids::AlertId;
use dlo_domain::notice::{Button, Fact, Notice, Surroundings};
use dlo_domain::reading::cut;
use dlo_domain::severity::Severity;
use sqlx::PgConnection;
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::alerts::behind::{self, LastLetter};

/// Bytes of an error that are told: a phone shows no more.
const MOST_ERROR: usize = 600;

/// Where an office is found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Links {
    /// The address of its pages, without a slash at its end.
    pub base: String,
}

impl Links {
    /// Where all of it is shown.
    #[must_use]
    pub fn list(&self) -> String {
        self.to(dlo_app::links::ALERTS)
    }

    fn to(&self, path: &str) -> String {
        format!("{}{path}", self.base)
    }
}

/// Adds what is known beside the figure, and where something can be done.
///
/// # Errors
/// When Postgres does not do it.
pub(super) async fn complete(
    conn: &mut PgConnection,
    links: &Links,
    notice: &mut Notice,
) -> Result<(), StoreError> {
    if let Some(group) = notice.subject.group {
        // A replay begins with a canary unless somebody wants it otherwise.
        if notice.change != AlertChange::Resolved {
            let replay = links.to(&dlo_app::links::replay_of_group(group));
            notice.buttons.push(button("Plan a canary replay", replay));
        }
        notice.buttons.push(button("Open group", links.to(&dlo_app::links::group(group))));
    }
    if notice.subject.source.is_some() {
        notice.buttons.push(button("Open sources", links.to("/sources")));
    }
    if let Some(source) = notice.subject.source
        && notice.change != AlertChange::Resolved
    {
        notice.facts.extend(fact("what it says", behind::condition_of(conn, source).await?));
    }
    if notice.change != AlertChange::Resolved {
        let about = (&notice.signal, &notice.subject, notice.figure);
        let around = around(conn, about, notice.at).await?;
        notice.facts.extend(around);
    }
    match notice.signal {
        Signal::ActiveWorkers => notice.buttons.push(button("Open workers", links.to("/workers"))),
        Signal::ExecutionTimeouts | Signal::StuckExecutions { .. } => {
            notice.buttons.push(button("Open executions", links.to("/executions")));
        }
        Signal::ChannelFailing => {
            notice.buttons.push(button("Open channels", links.to(dlo_app::links::CHANNELS)));
        }
        Signal::QueueWithoutConsumer => {
            notice.buttons.push(button("Open queues", links.to("/queues")));
        }
        _ => {}
    }
    if notice.change == AlertChange::Resolved {
        notice.buttons.push(button("Open alert", links.to(&dlo_app::links::alert(notice.alert))));
    } else {
        let asked = |what| links.to(&dlo_app::links::asked_of_alert(notice.alert, what));
        let asks = [button("Acknowledge", asked("acknowledge")), button("Mute 4 h", asked("mute"))];
        notice.buttons.extend(asks);
    }
    Ok(())
}

/// What is known of the letters that it is about, and around the queue that they die in.
///
/// # Errors
/// When Postgres does not do it.
pub async fn around(
    conn: &mut PgConnection,
    (signal, subject, figure): (&Signal, &AlertSubject, i64),
    now: DateTime<Utc>,
) -> Result<Vec<Fact>, StoreError> {
    let (mut facts, mut known) = (Vec::new(), Surroundings::default());
    if let Some(last) = last_letter(conn, signal, subject).await? {
        facts.extend(fact("last error", last.error));
        facts.extend(fact("queue", last.queue.clone()));
        if let Some(queue) = &last.queue {
            known = behind::surroundings(conn, (&last.broker, &last.vhost, queue), now).await?;
        }
        known.last_died_at = Some(last.arrived_at);
        known.waiting = figure;
        if *signal == Signal::RetriesExhausted {
            facts.extend(fact("died", Some(format!("{} times", last.arrivals))));
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
    facts.extend(known.facts(now));
    Ok(facts)
}

/// The newest of the letters that it is about.
async fn last_letter(
    conn: &mut PgConnection,
    signal: &Signal,
    subject: &AlertSubject,
) -> Result<Option<LastLetter>, StoreError> {
    if let Some(group) = subject.group {
        return behind::last_of_group(conn, group).await;
    }
    let of_policy = subject.key.split_once(' ').filter(|_| *signal == Signal::RetriesExhausted);
    match of_policy.map(|(policy, severity)| (policy.parse(), severity)) {
        Some((Ok(policy), severity)) => behind::last_exhausted(conn, policy, severity).await,
        _ => Ok(None),
    }
}

fn button(label: &'static str, url: String) -> Button {
    Button { label, url }
}

fn fact(label: &'static str, text: Option<String>) -> Option<Fact> {
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(Fact { label, text: cut(text.trim(), MOST_ERROR) })
}

/// An alert that is none.
pub(super) fn example(now: DateTime<Utc>) -> Notice {
    Notice {
        alert: AlertId(Uuid::nil()),
        change: AlertChange::Fired,
        at: now,
        rule_name: "This is a test".to_owned(),
        built_in: Some(BuiltIn::NewGroup),
        signal: Signal::NewGroup,
        limit: 0,
        severity: Severity::Low,
        subject: AlertSubject {
            name: "an example, nothing is wrong".to_owned(),
            ..AlertSubject::default()
        },
        figure: 1,
        since: now - TimeDelta::minutes(1),
        facts: vec![Fact {
            label: "last error",
            text: "none: somebody tests this channel".to_owned(),
        }],
        buttons: Vec::new(),
    }
}
