//! What do these letters have in common, is it getting worse, and who looks into it?

mod acting;
mod behind;
mod events;
mod forms;
mod reading;
mod rule;
mod samples;
mod signatures;
mod slip;
mod states;

use chrono::{DateTime, Utc};
use dlo_domain::group::{Group, GroupSummary};
use dlo_domain::grouping::{Explanation, Layer, Segment};
use dlo_domain::ids::GroupId;
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::claimed_origins::{ClaimedOf, ClaimedOriginsNote};
use super::frame::{Watches, shown};
use super::outcome::Outcome;
use super::some_letters::{Discard, LetterSet};
use crate::api;
use crate::components::{Ago, SeverityMark};
use crate::desk::{GroupReport, desk};
use crate::error::ApiError;
use crate::pages::breakdown::BreakdownTable;
use crate::pages::group_badge::GroupBadge;
use crate::pages::head::{above, crumbs, here_named};
use crate::pages::hours::HoursChart;
use crate::pages::one_axis::OneAxis;
use crate::pages::template::TemplateExplained;
use crate::pages::timeline;
use crate::query::Query;
use crate::reads::begun;
use crate::request::now;
use crate::visible::{show_line, show_name};
use crate::{links, wording};
use behind::BehindPanel;
use events::GroupEvents;
use forms::{GroupMerge, GroupNote, GroupParticulars};
use rule::GroupRule;
use samples::GroupSamples;
use signatures::GroupSignatures;
use slip::GroupSlip;
use states::GroupStateButtons;

/// What the page shows.
struct GroupView {
    /// The group; the one that the asked one went into, if that was merged.
    group: Group,
    /// What its newest letters tell.
    report: GroupReport,
}

/// One group.
#[component]
pub(crate) fn GroupPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|path| path.get("id").unwrap_or_default());
    let reach = Query::of_request().get("reach").unwrap_or_default();
    let read = async move {
        let id = api::id(&id, "group")?;
        Ok::<_, ApiError>((read(id, reach).await?, id))
    };
    view! {
        <Title text="Group" />
        <Watches events=&["arrived", "changed", "replay"] />
        <Outcome />
        {shown(read, |(view, asked)| view! { <Shown view asked /> }.into_any())}
    }
    .into_any()
}

async fn read(id: GroupId, reach: String) -> Result<GroupView, ApiError> {
    let reach = reach.parse().unwrap_or_default();
    let report = begun(async move { desk().group_report(id, reach).await });
    Ok(GroupView { group: desk().group(id).await?, report: report.await? })
}

#[component]
fn Shown(view: GroupView, asked: GroupId) -> impl IntoView {
    let GroupView { group, report } = view;
    let GroupReport { breakdown, behind, timeline: one_axis, samples } = report;
    let now = now();
    let id = group.summary.id;
    let Group { summary, why, mute, signatures, timeline, claimed_origins } = group;
    let severity = summary.severity.unwrap_or(Severity::Normal);
    let was_merged = asked != id;
    view! {
        <Title text=format!("{} · Group", show_line(&summary.title)) />
        <Head summary=summary.clone() template=why.template.clone() now was_merged />
        <GroupSlip summary=summary.clone() mute now />
        <ClaimedOriginsNote claimed=claimed_origins of=ClaimedOf::Group />
        <section class="section" aria-labelledby="hours-title">
            <header>
                <h2 id="hours-title">"Arrivals an hour"</h2>
                <span class="note">"the last 24 hours; the last bar is the hour that runs"</span>
            </header>
            <HoursChart hours=summary.by_hour.clone() severity now />
        </section>
        <OneAxis drawing=timeline::draw(&one_axis) page=(links::group(id), Vec::new()) />
        <div class="split">
            <div class="stack">
                <section class="section" aria-labelledby="common-title">
                    <header>
                        <h2 id="common-title">"What they have in common"</h2>
                    </header>
                    <BreakdownTable breakdown scope=links::of_group(id) />
                </section>
                <GroupSamples id letters=summary.letters samples now />
                <BehindPanel behind scope=links::of_group(id) />
                <Why why />
                <GroupSignatures id signatures />
            </div>
            <div class="stack">
                <section class="section" aria-labelledby="timeline-title">
                    <header>
                        <h2 id="timeline-title">"What happened"</h2>
                    </header>
                    <GroupEvents events=timeline now />
                    <GroupNote id />
                </section>
                <GroupParticulars group=summary />
                <GroupMerge id />
                <GroupRule id />
            </div>
        </div>
    }
    .into_any()
}

/// The way to a replay of what waits, and to its discard.
#[component]
fn GroupReplay(group: GroupSummary) -> impl IntoView {
    let filter = links::waiting_of_group(group.id);
    let look = links::replay_of_group(group.id);
    (group.waiting > 0).then(|| {
        let letters = wording::counted(group.waiting, "letter");
        let discard = format!("Discard {letters}");
        view! {
            <a class="button primary" data-key="r" href=look>
                "Plan a replay of " {letters} "…"
            </a>
            <Discard letters=LetterSet::Matching(filter) words=discard back=links::group(group.id) />
        }
    })
}

#[component]
fn Head(
    summary: GroupSummary,
    template: Vec<Segment>,
    now: DateTime<Utc>,
    was_merged: bool,
) -> impl IntoView {
    let recent: i64 = summary.by_hour.iter().sum();
    let waiting = match summary.waiting {
        0 => "No letter of this group waits".to_owned(),
        1 => "1 letter waits".to_owned(),
        many => format!("{} letters wait", wording::count(many)),
    };
    let arrivals = match recent {
        0 => "none arrived in the last 24 hours".to_owned(),
        _ => format!("{} in the last 24 hours", wording::counted(recent, "arrival")),
    };
    view! {
        <div class="answer">
            <div>
                {crumbs([above("Groups", links::GROUPS), here_named(show_line(&summary.title))])}
                <h1>{format!("{waiting}; {arrivals}.")}</h1>
                <p class="meta">
                    {summary.severity.map(|severity| view! { <SeverityMark severity /> })}
                    <GroupBadge state=summary.state />
                    <span>"since " <Ago at=summary.state_since now spoken=true /></span>
                    {was_merged
                        .then(|| {
                            view! {
                                <span>"The group of this address was merged into this one."</span>
                            }
                        })}
                </p>
                <TemplateExplained segments=template />
            </div>
            <div class="stack tight">
                <GroupReplay group=summary.clone() />
                <GroupStateButtons group=summary />
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Why(why: Explanation) -> impl IntoView {
    let made_of = match why.layer {
        Layer::Rule => "a rule of this office",
        Layer::Error => "the error",
        Layer::Origin => "queue, reason and type of message: no error is known",
    };
    let entry = |name: &'static str, text: String| {
        (!text.is_empty()).then(|| {
            view! {
                <div class="two">
                    <dt>{name}</dt>
                    <dd class="id">{show_name(&text)}</dd>
                </div>
            }
        })
    };
    view! {
        <section class="section" aria-labelledby="why-title">
            <header>
                <h2 id="why-title">"Why these letters are one group"</h2>
                <span class="note">{format!("version {} of the grouping", why.version.0)}</span>
            </header>
            <dl class="slip">
                <div>
                    <dt>"told by"</dt>
                    <dd>{made_of}</dd>
                </div>
                <div>
                    <dt>"signatures"</dt>
                    <dd>{wording::count(why.signatures)}</dd>
                </div>
                {entry("same in all", why.scope)}
                {why.frame.and_then(|frame| entry("place in the code", frame.place))}
            </dl>
        </section>
    }
    .into_any()
}
