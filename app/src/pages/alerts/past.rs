//! What was wrong, and for how long?

use dlo_domain::alert::{Alert, lasting};
use dlo_domain::page::{Page, Total};
use leptos::prelude::*;
use leptos_meta::Title;

use super::parts::Tabs;
use crate::components::{Ago, Pager, SeverityMark};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::frame::shown;
use crate::query::Query;
use crate::request::now;
use crate::visible::{show_line, show_name};
use crate::wording::{how_many, sentence};
use crate::{api, links};

/// Alerts of one page.
const ROWS: u32 = 50;

/// The alerts that are over.
#[component]
pub(crate) fn PastAlertsPage() -> impl IntoView {
    let query = Query::of_request();
    let cursor = query.get("cursor").unwrap_or_default();
    let desk = desk();
    let read = async move {
        let after = api::cursor(&cursor)?;
        Ok::<_, ApiError>(desk.past_alerts(after, ROWS).await?)
    };
    view! {
        <Title text="Past alerts" />
        {shown(read, move |past| view! { <Past past query /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Past(past: Page<Alert>, query: Query) -> impl IntoView {
    let total = Total { count: past.estimated_total, is_least: past.total_is_least };
    let heading = match past.estimated_total {
        0 => "No alert has ended: none has fired yet, or all still fire.".to_owned(),
        _ => format!("{} ended, the most recent first.", how_many(total, "alert")),
    };
    let next = past.next_cursor;
    let rows = past.items.into_iter().map(|alert| view! { <Row alert /> }).collect_view();
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
            </div>
        </div>
        <Tabs here=links::PAST_ALERTS />
        <section class="section" aria-label="Past alerts">
            <table class="ledger">
                <thead>
                    <tr>
                        <th>"severity"</th>
                        <th>"its worst figure"</th>
                        <th class="mid">"rule"</th>
                        <th class="mid">"looked into by"</th>
                        <th class="num far">"lasted"</th>
                        <th class="num">"over"</th>
                    </tr>
                </thead>
                <tbody>{rows}</tbody>
            </table>
            <Pager path=links::PAST_ALERTS.to_owned() query next label="alerts" />
        </section>
    }
    .into_any()
}

#[component]
fn Row(alert: Alert) -> impl IntoView {
    let now = now();
    let lasted = alert.resolved_at.map(|end| lasting((end - alert.since).num_seconds()));
    view! {
        <tr>
            <td class="fit">
                <SeverityMark severity=alert.severity />
            </td>
            <td class="main">
                <a href=links::alert(alert.id)>{sentence(&alert.says)}</a>
            </td>
            <td class="mid">{show_line(&alert.rule_name)}</td>
            <td class="mid">{alert.acknowledged_by.map(|by| show_name(&by))}</td>
            <td class="num far">{lasted}</td>
            <td class="num">{alert.resolved_at.map(|at| view! { <Ago at now spoken=true /> })}</td>
        </tr>
    }
    .into_any()
}
