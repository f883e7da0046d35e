//! The buttons that publish the plan on the screen, and its warnings.

use dlo_domain::replay::{Canary, Replay};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::StartReplay;
use super::view::ReplayPreview;
use crate::pages::out_of_date::OutOfDate;
use crate::pages::replay_warnings::ReplayWarnings;
use crate::pages::target_text::target_text;
use crate::wording;

/// The buttons, as the plan allows them. Each carries the plan that it publishes: when the form says something
/// else by then, nothing is published.
#[component]
pub(super) fn Publishing(
    /// What a dry run told.
    preview: ReplayPreview,
) -> impl IntoView {
    let ReplayPreview { replay: preview, canary_plan } = preview;
    let is_warned = !preview.warnings.is_empty();
    let is_blocked = preview.is_bound_to_fail();
    let usual = Canary::default();
    let careful = (is_warned && !is_blocked && preview.total > 1 && !canary_plan.is_empty())
        .then_some(canary_plan);
    let label = match (&careful, is_warned && !is_blocked) {
        (Some(_), _) => format!("{}, all at once", publish_label(&preview)),
        (None, true) if preview.canary.is_none() => {
            format!("{} all the same", publish_label(&preview))
        }
        (None, _) => publish_label(&preview),
    };
    // With a warning, the careful way is the first.
    let is_first = !is_warned || preview.canary.is_some() || is_blocked;
    let plan = preview.plan.clone().map(|plan| plan.0);
    let careful = careful.map(|plan| {
        let label = careful_label(&preview, &usual);
        view! {
            <PublishButton name="canary_plan" plan label is_first=true is_blocked=false />
        }
    });
    view! {
        <div class="publish">
            <ReplayWarnings warnings=preview.warnings takes_offers=true />
            <OutOfDate />
            <div class="actions">
                {careful}
                <PublishButton name="plan" plan=plan.unwrap_or_default() label is_first is_blocked />
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn PublishButton(
    name: &'static str,
    plan: String,
    label: String,
    is_first: bool,
    is_blocked: bool,
) -> impl IntoView {
    let class = if is_first { "button primary" } else { "button" };
    view! {
        <button
            class=class
            type="submit"
            name=name
            value=plan
            formmethod="post"
            formaction=StartReplay::PATH
            disabled=is_blocked
            data-planned=(!is_blocked).then_some("")
        >
            {label}
        </button>
    }
    .into_any()
}

/// What is published, how much of it, where to, and when.
fn publish_label(preview: &Replay) -> String {
    let mut letters = wording::counted(preview.total, "letter");
    if preview.transform.is_some() {
        letters.push_str(", changed by jq,");
    }
    let target = target_text(&preview.target, preview.total);
    let how = match (&preview.canary, preview.start_at) {
        (_, Some(at)) => format!(" at {}", wording::absolute(at)),
        (Some(canary), None) => format!(", beginning with {}", first_step(canary)),
        (None, None) => String::new(),
    };
    format!("Replay {letters} to {target}{how}")
}

fn careful_label(preview: &Replay, canary: &Canary) -> String {
    let first = i64::from(first_step(canary));
    let target = target_text(&preview.target, preview.total);
    let start = preview.start_at.map(wording::absolute);
    let when = start.map_or_else(String::new, |start| format!(" at {start}"));
    format!(
        "Replay {} first, then the other {}, to {target}{when}",
        wording::counted(first, "letter"),
        wording::count(preview.total - first),
    )
}

fn first_step(canary: &Canary) -> u32 {
    canary.steps.first().copied().unwrap_or(1)
}
