//! The list of groups, the worst first.

use chrono::{DateTime, Utc};
use dlo_domain::group::GroupSummary;
use dlo_domain::ids::GroupId;
use leptos::prelude::*;

use super::merging::MergeInto;
use crate::components::{Ago, SeverityMark};
use crate::pages::group_badge::GroupBadge;
use crate::pages::hours::Sparkline;
use crate::pages::template::TemplateLine;
use crate::visible::show_name;
use crate::{links, wording};

/// Groups with what waits in each, and how it goes.
#[component]
pub(super) fn GroupTable(
    /// The groups.
    groups: Vec<GroupSummary>,
    /// When they were read.
    now: DateTime<Utc>,
    /// The group that is merged into one of them.
    merging: Option<GroupId>,
) -> impl IntoView {
    let merge = merging.map(|_| {
        view! {
            <th>
                <span class="visually-hidden">"merge"</span>
            </th>
        }
    });
    let rows = groups.into_iter().map(|group| row(group, now, merging)).collect_view();
    view! {
        <table class="ledger groups">
            <thead>
                <tr>
                    <th class="far">"severity"</th>
                    <th>"group"</th>
                    <th class="far">"state"</th>
                    <th class="num">"waiting"</th>
                    <th class="num mid">"letters"</th>
                    <th class="far">"last 24 hours"</th>
                    <th class="num far">"last"</th>
                    <th class="mid">"owner"</th>
                    {merge}
                </tr>
            </thead>
            <tbody>{rows}</tbody>
        </table>
    }
    .into_any()
}

fn row(group: GroupSummary, now: DateTime<Utc>, merging: Option<GroupId>) -> impl IntoView {
    let owner = group.owner.clone();
    let last = group.last_arrived_at;
    let merge = merging.map(|merging| {
        let title = group.title.clone();
        view! {
            <td class="fit">
                <MergeInto group=group.id title merging />
            </td>
        }
    });
    let tags = group
        .tags
        .into_iter()
        .map(|tag| view! { <span class="tag">{show_name(&tag)}</span> })
        .collect_view();
    view! {
        <tr data-state=group.state.as_str()>
            <td class="fit far">{group.severity.map(|severity| view! { <SeverityMark severity /> })}</td>
            <td class="main">
                <a href=links::group(group.id)>
                    <TemplateLine template=group.title />
                </a>
                {tags}
                <div class="sub">
                    {group.severity.map(|severity| view! { <SeverityMark severity /> })}
                    <GroupBadge state=group.state />
                    {last.map(|at| view! { <span>"last " <Ago at now spoken=true /></span> })}
                    {group.owner.map(|owner| show_name(&owner))}
                </div>
            </td>
            <td class="fit far">
                <GroupBadge state=group.state />
            </td>
            <td class="fit num">{wording::count(group.waiting)}</td>
            <td class="fit num mid second">{wording::count(group.letters)}</td>
            <td class="fit far">
                <Sparkline hours=group.by_hour />
            </td>
            <td class="fit num far second">{last.map(|at| view! { <Ago at now /> })}</td>
            <td class="fit mid second">{owner.map(|owner| show_name(&owner))}</td>
            {merge}
        </tr>
    }
    .into_any()
}
