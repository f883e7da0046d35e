//! What do these letters have in common, is it getting worse, and who looks into it?

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dlo_domain::group::{Group, GroupSummary};
use dlo_domain::grouping::{Explanation, Layer};
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use crate::api::groups::{GroupRead, read_group, worst_groups};
use crate::api::timeline::{Drawing, read_timeline};
use crate::components::{
    Ago, BehindPanel, BreakdownTable, Checked, ClaimedOf, ClaimedOriginsNote, Discard, ErrorPanel,
    GroupActions, GroupBadge, GroupEvents, GroupMerge, GroupNote, GroupParticulars, GroupRule,
    GroupSignatures, GroupSlip, GroupStateButtons, HoursChart, Live, Notice, OneAxis, SeverityMark,
    TemplateExplained, Waiting, Which, track_each,
};
use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// One group.
#[component]
pub(crate) fn GroupPage() -> impl IntoView {
    let params = use_params_map();
    let id = Memo::new(move |_| params.with(|params| params.get("id").unwrap_or_default()));
    let actions = GroupActions::new();
    let checked = Checked::new(BTreeSet::new());
    let version = Live::current().groups_version();
    let group = Resource::new(
        move || (id.get(), version.get(), actions.version()),
        |(id, ..)| read_group(id),
    );
    let query = use_query_map();
    let reach = Memo::new(move |_| query.with(|query| query.get("reach").unwrap_or_default()));
    let drawing = Resource::new(
        move || (id.get(), reach.get(), version.get(), actions.version()),
        |(id, reach, ..)| read_timeline("group".to_owned(), id, reach),
    );
    // Not read again as letters arrive: a choice must not change under the pointer.
    let others = Resource::new(move || (id.get(), actions.version()), |_| worst_groups());
    // What was checked on another group's page is checked no more; a split leads to another one.
    Effect::new(move |_| {
        id.track();
        checked.set(BTreeSet::new());
    });
    view! {
        <Title text=move || format!("Group {}", show_line(&wording::short(&id.get()))) />
        <Notice />
        <Transition fallback=Waiting>
            {move || {
                track_each(&[&group, &drawing, &others]);
                Suspend::new(async move {
                    let others = others.await.unwrap_or_default();
                    match (group.await, drawing.await) {
                        (Ok(read), Ok(drawing)) => {
                            view! { <Read read drawing asked=id.get() others actions checked /> }
                                .into_any()
                        }
                        (Err(error), _) | (_, Err(error)) => {
                            view! { <ErrorPanel error /> }.into_any()
                        }
                    }
                })
            }}
        </Transition>
    }
    .into_any()
}

#[component]
fn Read(
    read: GroupRead,
    drawing: Drawing,
    asked: String,
    others: Vec<GroupSummary>,
    actions: GroupActions,
    checked: Checked,
) -> impl IntoView {
    let GroupRead { now, group, breakdown, behind } = read;
    let id = group.summary.id;
    let Group { summary, why, mute, signatures, timeline, claimed_origins } = group;
    let severity = summary.severity.unwrap_or(Severity::Normal);
    let was_merged = asked != id.to_string();
    view! {
        <Head summary=summary.clone() actions now was_merged />
        <TemplateExplained segments=why.template.clone() />
        <GroupSlip summary=summary.clone() mute now />
        <ClaimedOriginsNote claimed=claimed_origins of=ClaimedOf::Group />
        <section class="section" aria-labelledby="hours-title">
            <header>
                <h2 id="hours-title">"Arrivals an hour"</h2>
                <span class="note">"the last 24 hours; the last bar is the hour that runs"</span>
            </header>
            <HoursChart hours=summary.by_hour.clone() severity now />
        </section>
        <OneAxis drawing page=(links::group(id), Vec::new()) />
        <div class="split">
            <div class="stack">
                <section class="section" aria-labelledby="common-title">
                    <header>
                        <h2 id="common-title">"What they have in common"</h2>
                    </header>
                    <BreakdownTable breakdown scope=links::of_group(id) />
                </section>
                <BehindPanel behind scope=links::of_group(id) />
                <Why why />
                <GroupSignatures id signatures actions checked />
            </div>
            <div class="stack">
                <section class="section" aria-labelledby="timeline-title">
                    <header>
                        <h2 id="timeline-title">"What happened"</h2>
                    </header>
                    <GroupEvents events=timeline now />
                    <GroupNote id actions />
                </section>
                <GroupParticulars group=summary actions />
                <GroupMerge id others actions />
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
            <Discard letters=Which::Matching(filter) words=discard back=links::group(group.id) />
        }
    })
}

#[component]
fn Head(
    summary: GroupSummary,
    actions: GroupActions,
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
                <ol class="crumbs">
                    <li>
                        <a href=links::GROUPS>"Groups"</a>
                    </li>
                    <li class="id">{wording::short(&summary.id)}</li>
                </ol>
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
            </div>
            <div class="stack tight">
                <GroupReplay group=summary.clone() />
                <GroupStateButtons group=summary actions />
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
