//! What will happen if I press this?

use dlo_domain::replay::{Replay, Target};
use leptos::html;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;

use super::publishing::Publishing;
use super::replay::LeftOutList;
use super::replay_terms::Terms;
use super::transforming::TransformPanel;
use crate::api::replays::{ReplayForm, ReplayPreview, preview_replay};
use crate::components::{
    ClaimedOf, ClaimedOriginsNote, Decisions, Destinations, ErrorNote, ErrorPanel, MannerForm,
    Waiting, is_edited, target_text,
};
use crate::visible::show_line;
use crate::{links, wording};

/// How letters are chosen, where none are.
#[component]
fn ChooseFirst() -> impl IntoView {
    view! {
        <div class="answer">
            <h1>"Choose the letters first."</h1>
        </div>
        <p class="note-line">
            "Check some in the " <a href=links::LETTERS>"list of letters"</a>
            " or take all that a filter matches there; or go to one of the "
            <a href=links::GROUPS>"groups"</a> " and replay its held letters. "
            "Nothing is published before you have seen what it would do."
        </p>
    }
    .into_any()
}

/// A dry run, and the buttons that make it real.
#[component]
pub(crate) fn NewReplayPage() -> impl IntoView {
    let query = use_query_map();
    let form = Memo::new(move |_| query.with(ReplayForm::read));
    let decisions = Decisions::new();
    // A plan that is not made any more as it was shown is shown anew.
    let outdated = decisions.outdated_plans();
    let preview =
        Resource::new(move || (form.get(), outdated.get()), |(form, _)| preview_replay(form));
    view! {
        <Title text="New replay" />
        <ErrorNote error=Signal::derive(move || decisions.error()) />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match preview.await {
                    Ok(preview) => {
                        view! { <PlanForm preview=Some(preview) form=form.get() decisions /> }
                            .into_any()
                    }
                    Err(_) if form.get().is_empty() => view! { <ChooseFirst /> }.into_any(),
                    Err(error) => {
                        view! {
                            <ErrorPanel error />
                            <PlanForm preview=None form=form.get() decisions />
                        }
                            .into_any()
                    }
                }
            })}
        </Transition>
    }
    .into_any()
}

/// The one form of the page: every button of it sends every field. Without a button of its own, Enter looks
/// again.
#[component]
fn PlanForm(
    preview: Option<ReplayPreview>,
    form: ReplayForm,
    decisions: Decisions,
) -> impl IntoView {
    let element = NodeRef::<html::Form>::new();
    let edited = RwSignal::new(false);
    // What stands in the fields is asked of them: they may be changed before this code runs.
    let look = move || {
        if let Some(form) = element.get_untracked() {
            edited.set(is_edited(&form));
        }
    };
    Effect::new(move |_| look());
    let content = match preview {
        Some(preview) => {
            view! { <Preview preview form=form.clone() decisions edited /> }.into_any()
        }
        None => view! {
            <TransformPanel form=form.clone() />
            <How form=form.clone() />
        }
        .into_any(),
    };
    view! {
        <form
            class="new-replay"
            method="get"
            action=links::NEW_REPLAY
            autocomplete="off"
            node_ref=element
            on:input=move |_| look()
            on:submit=move |event| decisions.carry_out(&event)
        >
            <button type="submit" hidden>
                "Look again"
            </button>
            <Chosen form />
            {content}
        </form>
    }
    .into_any()
}

#[component]
fn Preview(
    preview: ReplayPreview,
    form: ReplayForm,
    decisions: Decisions,
    edited: RwSignal<bool>,
) -> impl IntoView {
    let form = ReplayForm { manner: form.manner.in_terms_of(&preview.replay), ..form };
    let plan = preview.replay.clone();
    view! {
        <Head preview form=form.clone() decisions edited />
        <div class="split">
            <div class="stack">
                <Destinations
                    destinations=plan.destinations.clone()
                    is_of_worker=matches!(plan.target, Target::Worker { .. })
                />
                <ClaimedOriginsNote claimed=plan.claimed_origins.clone() of=ClaimedOf::DryRun />
                <LeftOutList left_out=plan.left_out.clone() />
                <TransformPanel form=form.clone() />
                <Terms preview=plan />
            </div>
            <div class="stack">
                <How form />
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Head(
    preview: ReplayPreview,
    form: ReplayForm,
    decisions: Decisions,
    edited: RwSignal<bool>,
) -> impl IntoView {
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
    let is_unreadable = !form.manner.jq.trim().is_empty() && replay.transform.is_none();
    let publishing = match (total > 0, is_unreadable) {
        (true, false) => view! { <Publishing preview decisions is_edited=edited /> }.into_any(),
        (true, true) => view! {
            <p class="stop-line">
                "The jq program cannot be read: fix it below, or take it away."
            </p>
        }
        .into_any(),
        (false, _) => ().into_any(),
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::REPLAYS>"Replays"</a>
                    </li>
                    <li>"New"</li>
                </ol>
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
        .then(|| view! { <span>"another person has to approve it first"</span> });
    view! {
        <p class="meta">
            {which} {before} {approval} <span>"nothing has been done yet"</span>
        </p>
    }
    .into_any()
}

/// The fields that name the letters.
#[component]
fn Chosen(form: ReplayForm) -> impl IntoView {
    view! {
        {form
            .ids
            .iter()
            .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> })
            .collect_view()}
        <input type="hidden" name="q" value=form.q />
        <input type="hidden" name="scope" value=form.scope />
    }
    .into_any()
}

/// Chooses where to and how; the dry run follows.
#[component]
fn How(form: ReplayForm) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="how-title">
            <header>
                <h2 id="how-title">"Where to, and how carefully"</h2>
            </header>
            <div class="stack padded">
                <MannerForm manner=form.manner />
                <button class="button" type="submit">
                    "Look again"
                </button>
            </div>
        </section>
    }
    .into_any()
}
