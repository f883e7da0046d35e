//! What is this alert about, what happened to it, and what can be done?

use chrono::{DateTime, Utc};
use dlo_domain::alert::{
    Alert, AlertDetail, AlertEvent, AlertEventKind, AlertFact, AlertState, AlertTold, Silence,
    lasting,
};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::acting::{AcknowledgeAlert, EndSilence, MuteAlert};
use super::parts::{AlertBadge, can_grow, standing, subject_link};
use crate::components::{Ago, SeverityMark};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::fields::{TIMES, choice};
use crate::pages::frame::shown;
use crate::pages::head::{above, crumbs, here};
use crate::pages::outcome::Outcome;
use crate::query::Query;
use crate::request::now;
use crate::visible::{show_line, show_lines, show_name};
use crate::wording::sentence;
use crate::{api, links};

/// One alert. `?do=acknowledge` and `?do=mute`, where the buttons of a message lead, ask once.
#[component]
pub(crate) fn AlertPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let asked = Query::of_request().get("do").unwrap_or_default();
    let desk = desk();
    let read = async move { Ok::<_, ApiError>(desk.alert(api::id(&id, "alert")?).await?) };
    view! {
        <Title text="Alert" />
        <Outcome />
        {shown(read, move |detail| view! { <Detail detail asked /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Detail(detail: AlertDetail, asked: String) -> impl IntoView {
    let now = now();
    let AlertDetail { alert, facts, events, told, silences } = detail;
    let asks = match &*asked {
        "acknowledge" => Some(acknowledge(&alert)),
        "mute" => Some(mute(&alert)),
        _ => None,
    };
    let actions = asks.is_none().then(|| actions(&alert));
    view! {
        <div class="answer">
            <div>
                {crumbs([above("Alerts", links::ALERTS), here(show_line(&alert.rule_name))])}
                <h1>{sentence(&alert.says)}</h1>
                <p class="meta">
                    <SeverityMark severity=alert.severity />
                    <AlertBadge state=alert.state />
                    {standing(&alert, now)}
                    {alert
                        .resolved_at
                        .map(|end| format!("it lasted {}", lasting((end - alert.since).num_seconds())))}
                    <a href=links::alert_rule(alert.rule)>"Open its rule"</a>
                </p>
            </div>
            {actions}
        </div>
        {asks}
        {(!facts.is_empty()).then(|| known(facts))}
        {(!silences.is_empty()).then(|| silenced(silences, now))}
        <Course events now />
        <Told told now />
    }
    .into_any()
}

/// What is known around it.
fn known(facts: Vec<AlertFact>) -> AnyView {
    let rows = facts.into_iter().map(|fact| {
        view! {
            <dt>{fact.label}</dt>
            <dd>{show_lines(&fact.text)}</dd>
        }
    });
    view! {
        <section class="section" aria-labelledby="known-title">
            <header>
                <h2 id="known-title">"What is known"</h2>
            </header>
            <dl class="known">{rows.collect_view()}</dl>
        </section>
    }
    .into_any()
}

fn actions(alert: &Alert) -> AnyView {
    let id = alert.id;
    let is_told = matches!(alert.state, AlertState::Firing | AlertState::Acknowledged);
    let first = (alert.state == AlertState::Firing).then(|| acknowledge_form(alert));
    let subject = subject_link(alert).map(|(href, text)| {
        view! {
            <a class="button" href=href>
                {text}
            </a>
        }
    });
    let replay = alert.subject.group.filter(|_| is_told).map(|group| {
        view! {
            <a class="button" href=links::replay_of_group(group)>
                "Plan a canary replay"
            </a>
        }
    });
    let mute = is_told.then(|| {
        view! {
            <a class="button" href=links::asked_of_alert(id, "mute")>
                "Mute…"
            </a>
        }
    });
    view! { <div class="actions">{first} {replay} {mute} {subject}</div> }.into_any()
}

fn acknowledge_form(alert: &Alert) -> AnyView {
    view! {
        <form method="post" action=AcknowledgeAlert::PATH>
            <input type="hidden" name="id" value=alert.id.to_string() />
            <button class="button primary" type="submit">
                "Acknowledge"
            </button>
        </form>
    }
    .into_any()
}

/// What an acknowledgement does, and the button that does it.
fn acknowledge(alert: &Alert) -> AnyView {
    let content = match alert.state {
        AlertState::Firing => view! {
            <p>
                "Stops the reminders. You are still notified when it ends or gets worse."
            </p>
            <div class="actions">{acknowledge_form(alert)} {not_now(alert)}</div>
        }
        .into_any(),
        AlertState::Acknowledged => {
            view! { <p>"Already acknowledged. There is nothing to do."</p> }.into_any()
        }
        AlertState::Pending | AlertState::Resolved => {
            view! { <p>"It is not firing: there is nothing to acknowledge."</p> }.into_any()
        }
    };
    view! {
        <section class="section asks" aria-labelledby="asks-title">
            <header>
                <h2 id="asks-title">"Acknowledge this alert?"</h2>
            </header>
            {content}
        </section>
    }
    .into_any()
}

fn not_now(alert: &Alert) -> AnyView {
    view! {
        <a class="button plain" href=links::alert(alert.id)>
            "Not now"
        </a>
    }
    .into_any()
}

/// What a mute does, and the buttons that do it.
fn mute(alert: &Alert) -> AnyView {
    let id = alert.id.to_string();
    let whom = if alert.subject.group.is_some() { "this group" } else { "this" };
    let says = format!(
        "No notifications about {whom} until then, even if it ends and fires again. It stays in \
         the list; if it still fires afterwards, it is sent then."
    );
    let is_told = matches!(alert.state, AlertState::Firing | AlertState::Acknowledged);
    let until_more = (is_told && can_grow(alert)).then(|| until_more(alert));
    view! {
        <section class="section asks" aria-labelledby="asks-title">
            <header>
                <h2 id="asks-title">"Mute this alert?"</h2>
            </header>
            <p>{says}</p>
            <form method="post" action=MuteAlert::PATH class="with-reason">
                <input type="hidden" name="id" value=id />
                {choice("time", "for", &TIMES[..5], "4h")}
                <button class="button primary" type="submit">
                    "Mute"
                </button>
                {not_now(alert)}
            </form>
            {until_more}
        </section>
    }
    .into_any()
}

fn until_more(alert: &Alert) -> AnyView {
    view! {
        <p>{format!("Or until it gets worse: it is {} now.", alert.figure)}</p>
        <form method="post" action=MuteAlert::PATH class="with-reason">
            <input type="hidden" name="id" value=alert.id.to_string() />
            <label class="choice">
                <span>"until so many more"</span>
                <input type="text" inputmode="numeric" name="more" value="100" required pattern="[0-9]+" />
            </label>
            <button class="button" type="submit">
                "Mute until then"
            </button>
        </form>
    }
    .into_any()
}

fn silenced(silences: Vec<Silence>, now: DateTime<Utc>) -> AnyView {
    let rows = silences.into_iter().map(|silence| {
        let left = lasting((silence.until - now).num_seconds());
        view! {
            <li>
                <span>{format!("{left} more")}</span>
                <span>
                    <b>{show_name(&silence.by)}</b>
                    <small class="written">{show_lines(&silence.reason)}</small>
                </span>
                <form method="post" action=EndSilence::PATH>
                    <input type="hidden" name="id" value=silence.id.to_string() />
                    <button class="button" type="submit">
                        "End it"
                    </button>
                </form>
            </li>
        }
    });
    view! {
        <section class="section" aria-labelledby="silences-title">
            <header>
                <h2 id="silences-title">"Nobody is told"</h2>
            </header>
            <ul class="log">{rows.collect_view()}</ul>
        </section>
    }
    .into_any()
}

fn happened(what: AlertEventKind) -> &'static str {
    match what {
        AlertEventKind::Fired => "It fired",
        AlertEventKind::Worsened => "It became worse",
        AlertEventKind::Repeated => "Sent again",
        AlertEventKind::ToldLate => "Sent late, after a mute or silence",
        AlertEventKind::Resolved => "It was over",
        AlertEventKind::Unwatched => "Its rule was removed or switched off: no longer watched",
        AlertEventKind::Acknowledged => " looks into it",
        AlertEventKind::Muted => " muted it",
    }
}

#[component]
fn Course(events: Vec<AlertEvent>, now: DateTime<Utc>) -> impl IntoView {
    let rows = events.into_iter().rev().map(|event| {
        view! {
            <li>
                <Ago at=event.at now />
                <span>
                    {event.by.map(|by| view! { <b>{show_name(&by)}</b> })} {happened(event.what)}
                    <small class="quiet">{format!("{}, at {}", event.severity, event.figure)}</small>
                </span>
            </li>
        }
    });
    let rows = rows.collect_view();
    view! {
        <section class="section" aria-labelledby="course-title">
            <header>
                <h2 id="course-title">"What happened"</h2>
                <span class="note">"the last first"</span>
            </header>
            <ul class="log">{rows}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn Told(told: Vec<AlertTold>, now: DateTime<Utc>) -> impl IntoView {
    let content = if told.is_empty() {
        view! { <p class="note-line">"No channel was notified."</p> }.into_any()
    } else {
        let rows = told.into_iter().rev().map(|one| {
            let came = match one.sent_at {
                Some(at) => view! { "took it " <Ago at now spoken=true /> }.into_any(),
                None => view! { "has not accepted it yet" }.into_any(),
            };
            view! {
                <li>
                    <Ago at=one.at now />
                    <span>
                        {happened(AlertEventKind::of_change(one.change))}
                        <small class="quiet">
                            <b>{show_name(&one.channel_name)}</b> " " {came}
                        </small>
                    </span>
                </li>
            }
        });
        view! { <ul class="log">{rows.collect_view()}</ul> }.into_any()
    };
    view! {
        <section class="section" aria-labelledby="told-title">
            <header>
                <h2 id="told-title">"Who was told"</h2>
            </header>
            {content}
        </section>
    }
    .into_any()
}
