//! What is wrong now, and who looks into it?

use chrono::{DateTime, Utc};
use dlo_domain::alert::{Alert, AlertState};
use dlo_domain::page::Page;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::acting::AcknowledgeAlert;
use super::parts::{AlertBadge, Tabs, standing, subject_link};
use crate::components::SeverityMark;
use crate::desk::desk;
use crate::pages::frame::shown;
use crate::pages::outcome::Outcome;
use crate::request::now;
use crate::wording::{count, counted, sentence};
use crate::{links, visible};

/// The alerts that are open.
#[component]
pub(crate) fn AlertsPage() -> impl IntoView {
    let desk = desk();
    view! {
        <Title text="Alerts" />
        <Outcome />
        {shown(async move { desk.open_alerts().await }, |open| view! { <Open open /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Open(open: Page<Alert>) -> impl IntoView {
    let now = now();
    let left_out = open.estimated_total - i64::try_from(open.items.len()).unwrap_or(i64::MAX);
    let (pending, told): (Vec<Alert>, Vec<Alert>) =
        open.items.into_iter().partition(|alert| alert.state == AlertState::Pending);
    view! {
        <div class="answer">
            <div>
                <h1>{heading(&told)}</h1>
                <p class="second">
                    "Rules are evaluated every second. " <a href=links::CHANNELS>"Channels"</a>
                    " are told of what fires, once, and of its end."
                </p>
            </div>
        </div>
        <Tabs here=links::ALERTS />
        {(!told.is_empty()).then(|| list("fires-title", "What fires", told, now))}
        {(!pending.is_empty()).then(|| list("soon-title", "Not for long enough yet", pending, now))}
        {(left_out > 0)
            .then(|| view! { <p class="note-line">{format!("… and {} more.", count(left_out))}</p> })}
    }
    .into_any()
}

/// What is the matter, in a sentence.
fn heading(told: &[Alert]) -> String {
    let firing: Vec<&Alert> =
        told.iter().filter(|alert| alert.state == AlertState::Firing).collect();
    match (&firing[..], told.len()) {
        ([], 0) => "All is well: nothing is over its limit.".to_owned(),
        ([], 1) => "One alert is open, and it is acknowledged.".to_owned(),
        ([], many) => format!("{many} alerts are open, and all are acknowledged."),
        ([only], _) => sentence(&only.says),
        ([worst, ..], _) => {
            let number = i64::try_from(firing.len()).unwrap_or(i64::MAX);
            format!("{} firing. The worst: {}.", counted(number, "alert"), worst.says)
        }
    }
}

fn list(id: &'static str, title: &'static str, alerts: Vec<Alert>, now: DateTime<Utc>) -> AnyView {
    let rows = alerts.into_iter().map(|alert| view! { <Row alert now /> }).collect_view();
    view! {
        <section class="section" aria-labelledby=id>
            <header>
                <h2 id=id>{title}</h2>
            </header>
            <ul class="alerts">{rows}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn Row(alert: Alert, now: DateTime<Utc>) -> impl IntoView {
    let id = alert.id;
    let subject = subject_link(&alert);
    let is_firing = alert.state == AlertState::Firing;
    let is_open = alert.state != AlertState::Pending;
    view! {
        <li>
            <SeverityMark severity=alert.severity />
            <div class="say">
                <h3>
                    <a href=links::alert(id)>{sentence(&alert.says)}</a>
                </h3>
                <p class="meta">
                    <AlertBadge state=alert.state />
                    <span>{visible::show_line(&alert.rule_name)}</span>
                    {standing(&alert, now)}
                </p>
            </div>
            <div class="actions">
                {is_firing
                    .then(|| {
                        view! {
                            <form method="post" action=AcknowledgeAlert::PATH>
                                <input type="hidden" name="id" value=id.to_string() />
                                <button class="button" type="submit">
                                    "Acknowledge"
                                </button>
                            </form>
                        }
                    })}
                {is_open
                    .then(|| {
                        view! {
                            <a class="button" href=links::asked_of_alert(id, "mute")>
                                "Mute…"
                            </a>
                        }
                    })}
                {subject
                    .map(|(href, text)| {
                        view! {
                            <a class="button" href=href>
                                {text}
                            </a>
                        }
                    })}
            </div>
        </li>
    }
    .into_any()
}
