//! Parts that the pages about alerts share.

use chrono::{DateTime, Utc};
use dlo_domain::alert::{Alert, AlertState, Unit};
use leptos::prelude::*;

use crate::components::Ago;
use crate::links;
use crate::visible::show_name;

/// The pages about alerts, with the one that is shown marked.
#[component]
pub(in crate::pages) fn Tabs(
    /// The path of the one that is shown.
    here: &'static str,
) -> impl IntoView {
    let tabs = [
        (links::ALERTS, "Open"),
        (links::PAST_ALERTS, "History"),
        (links::ALERT_RULES, "Rules"),
        (links::SILENCES, "Silences"),
        (links::CHANNELS, "Channels"),
    ];
    let tabs = tabs.map(|(href, text)| {
        view! {
            <a href=href aria-current=(href == here).then_some("page")>
                {text}
            </a>
        }
    });
    view! {
        <nav class="tabs" aria-label="Alerts">
            {tabs.collect_view()}
        </nav>
    }
    .into_any()
}

/// Where an alert stands, as a badge.
#[component]
pub(super) fn AlertBadge(
    /// Where.
    state: AlertState,
) -> impl IntoView {
    let class = match state {
        AlertState::Pending => "state scheduled",
        AlertState::Firing => "state dotted open",
        AlertState::Acknowledged => "state dotted investigating",
        AlertState::Resolved => "state dotted resolved",
    };
    view! { <span class=class>{state.as_str()}</span> }.into_any()
}

/// Since when an alert is one, who was told, and who looks into it.
pub(super) fn standing(alert: &Alert, now: DateTime<Utc>) -> AnyView {
    let told = match (alert.state, alert.told_at) {
        (AlertState::Pending, _) => view! { <span>"notifies when it lasts"</span> }.into_any(),
        (_, None) => view! { <span>"not sent yet"</span> }.into_any(),
        (_, Some(at)) => view! { <span>"told " <Ago at now spoken=true /></span> }.into_any(),
    };
    let by = alert.acknowledged_by.clone().zip(alert.acknowledged_at);
    let by = by.map(|(by, at)| {
        view! { <span>{show_name(&by)} " looks into it, " <Ago at now spoken=true /></span> }
    });
    let muted = alert.muted_until_above.map(|above| {
        view! { <span>{format!("muted until above {above}")}</span> }
    });
    view! {
        <span>"since " <Ago at=alert.since now spoken=true /></span>
        {told}
        {by}
        {muted}
    }
    .into_any()
}

/// The page of what an alert is about.
pub(super) fn subject_link(alert: &Alert) -> Option<(String, &'static str)> {
    use dlo_domain::alert::Signal;
    let subject = &alert.subject;
    if let Some(group) = subject.group {
        return Some((links::group(group), "Open group"));
    }
    if let (Some(vhost), Some(queue)) = (&subject.vhost, &subject.queue) {
        let broker = subject.broker.as_deref().unwrap_or(links::ANY_BROKER);
        return Some((links::queue(broker, vhost, queue), "Open queue"));
    }
    Some(match &alert.signal {
        Signal::DeadLetters { .. } | Signal::OldestLetter { .. } => {
            (links::letters_of_signal(&alert.signal), "Open letters")
        }
        Signal::ActiveWorkers => (links::WORKERS.to_owned(), "Open workers"),
        Signal::ExecutionTimeouts | Signal::StuckExecutions { .. } => {
            (links::EXECUTIONS.to_owned(), "Open executions")
        }
        Signal::RetriesExhausted => (links::RETRIES.to_owned(), "Open retry policies"),
        Signal::QueueWithoutConsumer => (links::QUEUES.to_owned(), "Open queues"),
        Signal::ChannelFailing => (links::CHANNELS.to_owned(), "Open channels"),
        Signal::Depth
        | Signal::IntakeStalled
        | Signal::UndecodableHead
        | Signal::SourceTakesNothing
        | Signal::BrokerAway => ("/sources".to_owned(), "Open sources"),
        Signal::NewGroup | Signal::RegressedGroup => return None,
    })
}

/// Whether an alert can be muted until it is worse: a time grows by itself.
pub(super) fn can_grow(alert: &Alert) -> bool {
    alert.signal.unit() != Unit::Seconds
}
