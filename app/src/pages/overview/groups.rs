//! The groups of the first page, the worst first.

use chrono::{DateTime, Utc};
use dlo_domain::overview::WorstGroup;
use dlo_domain::severity::Severity;
use leptos::prelude::*;

use crate::components::{Ago, SeverityMark};
use crate::pages::group_badge::GroupBadge;
use crate::pages::hours::Sparkline;
use crate::pages::template::TemplateLine;
use crate::visible::show_name;
use crate::{links, wording};

/// Groups with what waits of each, how it goes, and since when.
#[component]
pub(super) fn WorstGroups(
    /// The groups.
    groups: Vec<WorstGroup>,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    view! {
        <table class="ledger groups">
            <thead>
                <tr>
                    <th class="far">"severity"</th>
                    <th>"what died the same way"</th>
                    <th class="num">"waiting"</th>
                    <th class="far">"last 24 hours"</th>
                    <th class="far">"first seen"</th>
                    <th class="far">"state"</th>
                    <th class="far">"owner"</th>
                </tr>
            </thead>
            <tbody>{groups.into_iter().map(|group| row(group, now)).collect_view()}</tbody>
        </table>
    }
    .into_any()
}

fn row(group: WorstGroup, now: DateTime<Utc>) -> impl IntoView {
    let WorstGroup { summary, first_seen_at, is_new } = group;
    let waiting = links::letters_within(&links::of_group(summary.id), links::WAITING);
    let severity = summary.severity;
    let mark = move || severity.map(|severity| view! { <SeverityMark severity /> });
    let flag = move || is_new.then(|| view! { <span class="flag">"new"</span> });
    let owner = summary.owner.clone();
    view! {
        <tr data-state=summary.state.as_str() data-severity=severity.map(Severity::as_str)>
            <td class="fit far">{mark()}</td>
            <td class="main">
                <a href=links::group(summary.id)>
                    <TemplateLine template=summary.title />
                </a>
                <div class="sub">
                    {mark()} <GroupBadge state=summary.state />
                    <span>"since " <Ago at=first_seen_at now spoken=true /></span> {flag()}
                    {summary.owner.map(|owner| show_name(&owner))}
                </div>
            </td>
            <td class="fit num">
                <a href=waiting>{wording::count(summary.waiting)}</a>
            </td>
            <td class="fit far">
                <Sparkline hours=summary.by_hour />
            </td>
            <td class="fit far second">
                <Ago at=first_seen_at now /> " " {flag()}
            </td>
            <td class="fit far">
                <GroupBadge state=summary.state />
            </td>
            <td class="fit far second">{show_name(owner.as_deref().unwrap_or("—"))}</td>
        </tr>
    }
    .into_any()
}
