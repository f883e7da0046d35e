//! Where a message about an alert leads.

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::alert::{AlertChange, AlertSubject, BuiltIn, Signal};
use dlo_domain::ids::{AlertId, AlertRuleId};
use dlo_domain::notice::{Button, Fact, Notice};
use dlo_domain::severity::Severity;
use uuid::Uuid;

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

/// Adds where something can be done.
pub(super) fn add_buttons(links: &Links, notice: &mut Notice) {
    if let Some(group) = notice.subject.group {
        // A replay begins with a canary unless somebody wants it otherwise.
        if !notice.change.is_end() {
            let replay = links.to(&dlo_app::links::replay_of_group(group));
            notice.buttons.push(button("Plan a canary replay", replay));
        }
        notice.buttons.push(button("Open group", links.to(&dlo_app::links::group(group))));
    }
    if notice.subject.source.is_some() {
        notice.buttons.push(button("Open sources", links.to("/sources")));
    }
    match &notice.signal {
        signal @ (Signal::DeadLetters { .. } | Signal::OldestLetter { .. }) => {
            let letters = links.to(&dlo_app::links::letters_of_signal(signal));
            notice.buttons.push(button("Open letters", letters));
        }
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
    if notice.change.is_end() {
        notice.buttons.push(button("Open alert", links.to(&dlo_app::links::alert(notice.alert))));
    } else {
        let asked = |what| links.to(&dlo_app::links::asked_of_alert(notice.alert, what));
        let asks = [button("Acknowledge", asked("acknowledge")), button("Mute 4 h", asked("mute"))];
        notice.buttons.extend(asks);
    }
}

fn button(label: &'static str, url: String) -> Button {
    Button { label, url }
}

/// An alert that is none.
pub(super) fn example(now: DateTime<Utc>) -> Notice {
    Notice {
        alert: AlertId(Uuid::nil()),
        rule: AlertRuleId(Uuid::nil()),
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
            text: "none: this is a test of the channel".to_owned(),
        }],
        buttons: Vec::new(),
    }
}
