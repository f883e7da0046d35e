//! What a replay would do, and the fields that say so.

use dlo_domain::changing::TransformPreview;
use dlo_domain::replay::{Canary, Replay, Target};
use leptos::prelude::*;

use super::destinations::Destinations;
use super::form::ReplayForm;
use super::how::How;
use super::publishing::Publishing;
use super::terms::Terms;
use super::transform::TransformPanel;
use crate::error::ApiError;
use crate::pages::claimed_origins::{ClaimedOf, ClaimedOriginsNote};
use crate::pages::head::{above, crumbs, here};
use crate::pages::left_out::LeftOutList;
use crate::pages::target_text::target_text;
use crate::visible::show_line;
use crate::{links, wording};

/// What a replay would do.
pub(super) struct ReplayPreview {
    /// What a dry run told.
    pub(super) replay: Replay,
    /// The plan of the same replay with the usual canary; empty if it has a canary of its own.
    pub(super) canary_plan: String,
}

impl From<Replay> for ReplayPreview {
    fn from(replay: Replay) -> Self {
        let plan = replay.plan.as_ref().and_then(|token| token.read().ok());
        let careful = plan.filter(|_| replay.canary.is_none());
        let careful = careful.map(|plan| plan.with_canary(&Canary::default()).token().0);
        Self { canary_plan: careful.unwrap_or_default(), replay }
    }
}

/// What a replay would do, and the fields that say so.
#[component]
pub(super) fn Preview(
    /// What a dry run told.
    preview: ReplayPreview,
    /// What would be sent.
    tried: Result<Option<TransformPreview>, ApiError>,
    /// What the form holds.
    form: ReplayForm,
) -> impl IntoView {
    let form = ReplayForm { fields: form.fields.in_terms_of(&preview.replay), ..form };
    let plan = preview.replay.clone();
    view! {
        <Head preview form=form.clone() />
        <div class="split">
            <div class="stack">
                <Destinations
                    destinations=plan.destinations.clone()
                    is_of_worker=matches!(plan.target, Target::Worker { .. })
                />
                <ClaimedOriginsNote claimed=plan.claimed_origins.clone() of=ClaimedOf::DryRun />
                <LeftOutList left_out=plan.left_out.clone() />
                <TransformPanel jq=form.fields.jq.clone() tried />
                <Terms preview=plan />
            </div>
            <div class="stack">
                <How fields=form.fields />
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Head(preview: ReplayPreview, form: ReplayForm) -> impl IntoView {
    let replay = preview.replay.clone();
    let total = replay.total;
    let heading = if total == 0 {
        "None of these letters can be replayed now.".to_owned()
    } else {
        let letters = wording::counted(total, "letter");
        let target = target_text(&replay.target, total);
        format!("This would publish {letters} again, to {target}.")
    };
    // Then this is what would go without it.
    let is_unreadable = !form.fields.jq.trim().is_empty() && replay.transform.is_none();
    let publishing = match (total > 0, is_unreadable) {
        (true, false) => view! { <Publishing preview /> }.into_any(),
        (true, true) => view! {
            <p class="stop-line">
                "The jq program cannot be read: fix it below, or remove it."
            </p>
        }
        .into_any(),
        (false, _) => ().into_any(),
    };
    view! {
        <div class="answer">
            <div>
                {crumbs([above("Replays", links::REPLAYS), here("New")])}
                <h1>{heading}</h1>
                <Facts preview=replay form />
            </div>
            {publishing}
        </div>
    }
    .into_any()
}

/// Which letters, and what is to be known of them.
#[component]
fn Facts(preview: Replay, form: ReplayForm) -> impl IntoView {
    let which = (form.scope == "matching" && !form.q.is_empty())
        .then(|| view! { <span>"all that match " <code>{show_line(&form.q)}</code></span> });
    let before = preview.replayed_before.filter(|before| *before > 0);
    let before = before.map(|before| {
        let they = if before == preview.total { "all" } else { "of them" };
        let before = wording::count(before);
        view! { <span>{before} " " {they} " replayed before"</span> }
    });
    let approval = preview
        .approval
        .is_some()
        .then(|| view! { <span>"another person must approve it first"</span> });
    view! {
        <p class="meta">
            {which} {before} {approval} <span>"nothing has been done yet"</span>
        </p>
    }
    .into_any()
}
