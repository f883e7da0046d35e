//! What will happen if I press this?

use dlo_domain::ids::LetterId;
use dlo_domain::replay::{Replay, Target};
use leptos::form::ActionForm;
use leptos::prelude::*;
use leptos_meta::Title;
use leptos_router::hooks::use_query_map;
use leptos_router::params::ParamsMap;

use super::replay::LeftOutList;
use super::replay_terms::Terms;
use super::transforming::TransformPanel;
use crate::api::replays::{FIELDS, Manner, preview_replay};
use crate::components::{
    ClaimedOf, ClaimedOriginsNote, Decisions, Destinations, ErrorNote, ErrorPanel, MannerForm,
    Waiting, target_text,
};
use crate::{links, wording};

/// What the address asks to have replayed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Asked {
    ids: Vec<LetterId>,
    filter: String,
    scope: String,
    manner: Manner,
}

impl Asked {
    fn of(query: &ParamsMap) -> Self {
        let ids = query.get_all("ids[]").unwrap_or_default();
        Self {
            ids: ids.iter().filter_map(|id| id.parse().ok()).collect(),
            filter: query.get("q").unwrap_or_default(),
            scope: query.get("scope").unwrap_or_default(),
            manner: Manner::read(|name| query.get(name)),
        }
    }
}

impl Asked {
    /// Whether it names no letters.
    fn is_empty(&self) -> bool {
        self.ids.is_empty() && self.scope != "matching"
    }
}

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
            <a href=links::GROUPS>"groups"</a> ", which leads to a replay of those that wait. "
            "Nothing is published before you have seen what it would do."
        </p>
    }
    .into_any()
}

/// A dry run, and the button that makes it real.
#[component]
pub(crate) fn NewReplayPage() -> impl IntoView {
    let query = use_query_map();
    let asked = Memo::new(move |_| query.with(Asked::of));
    let decisions = Decisions::new();
    // A plan that is not made any more as it was shown is shown anew.
    let outdated = decisions.outdated_plans();
    let preview = Resource::new(
        move || (asked.get(), outdated.get()),
        |(asked, _)| preview_replay(asked.ids, asked.filter, asked.scope, asked.manner),
    );
    view! {
        <Title text="New replay" />
        <ErrorNote error=Signal::derive(move || decisions.error()) />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match preview.await {
                    Ok(preview) => {
                        view! { <Preview preview asked=asked.get() decisions /> }.into_any()
                    }
                    Err(_) if asked.get().is_empty() => view! { <ChooseFirst /> }.into_any(),
                    Err(error) => {
                        view! {
                            <ErrorPanel error />
                            <How asked=asked.get() />
                        }
                            .into_any()
                    }
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn Preview(preview: Replay, asked: Asked, decisions: Decisions) -> impl IntoView {
    let manner = asked.manner.with_steps(preview.canary.as_ref());
    let asked = Asked { manner, ..asked };
    view! {
        <Head preview=preview.clone() asked=asked.clone() decisions />
        <div class="split">
            <div class="stack">
                <Destinations
                    destinations=preview.destinations.clone()
                    is_of_worker=matches!(preview.target, Target::Worker { .. })
                />
                <ClaimedOriginsNote claimed=preview.claimed_origins.clone() of=ClaimedOf::DryRun />
                <LeftOutList left_out=preview.left_out.clone() />
                <TransformPanel />
                <Terms preview />
            </div>
            <div class="stack">
                <How asked />
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Head(preview: Replay, asked: Asked, decisions: Decisions) -> impl IntoView {
    let total = preview.total;
    let letters = wording::counted(total, "letter");
    let target = target_text(&preview.target, total);
    // Then this is what would go without it.
    let is_unreadable = !asked.manner.jq.trim().is_empty() && preview.transform.is_none();
    let letters_changed = if asked.manner.jq.trim().is_empty() {
        letters.clone()
    } else {
        format!("{letters}, changed by jq,")
    };
    let button = match (&preview.canary, preview.start_at) {
        (_, Some(at)) => format!(
            "Replay {letters_changed} to {target} at {}",
            wording::absolute(at)
        ),
        (Some(canary), None) => format!(
            "Replay {letters_changed} to {target}, beginning with {}",
            canary.steps.first().copied().unwrap_or(1)
        ),
        (None, None) => format!("Replay {letters_changed} to {target}"),
    };
    let which = (asked.scope == "matching" && !asked.filter.is_empty())
        .then(|| asked.filter.clone())
        .map(|filter| view! { <span>"all that match " <code>{filter}</code></span> });
    let before = preview.replayed_before.filter(|before| *before > 0);
    let before = before.map(|before| {
        let they = if before == total { "all" } else { "of them" };
        let before = wording::count(before);
        view! { <span>{before} " " {they} " replayed before"</span> }
    });
    let approval = preview
        .approval
        .is_some()
        .then(|| view! { <span>"another person has to approve it first"</span> });
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href="/replays">"Replays"</a>
                    </li>
                    <li>"New"</li>
                </ol>
                <h1>
                    {if total == 0 {
                        "None of these letters can be replayed now.".to_owned()
                    } else {
                        format!("This would publish {letters} again, to {target}.")
                    }}
                </h1>
                <p class="meta">
                    {which} {before} {approval} <span>"nothing has been done yet"</span>
                </p>
            </div>
            {match (total > 0, is_unreadable) {
                (true, false) => view! { <Go asked expected=total decisions button /> }.into_any(),
                (true, true) => {
                    view! {
                        <p class="stop-line">
                            "The jq program cannot be read: mend it below, or take it away."
                        </p>
                    }
                        .into_any()
                }
                (false, _) => ().into_any(),
            }}
        </div>
    }
    .into_any()
}

/// The button that makes it real. It says how many letters were shown, so that no others go.
#[component]
fn Go(asked: Asked, expected: i64, decisions: Decisions, button: String) -> impl IntoView {
    let manner = asked.manner.clone();
    view! {
        <ActionForm action=decisions.replay attr:class="actions">
            <Hidden asked filter_name="filter" />
            <input type="hidden" name="expected" value=expected.to_string() />
            {FIELDS
                .into_iter()
                .map(|name| (name, manner.get(name)))
                .filter(|(_, value)| !value.is_empty())
                .map(|(name, value)| {
                    view! { <input type="hidden" name=format!("manner[{name}]") value=value /> }
                })
                .collect_view()}
            <button
                class="button primary"
                type="submit"
                disabled=move || decisions.is_pending()
            >
                {button}
            </button>
        </ActionForm>
    }
    .into_any()
}

/// The fields that name the letters. An address calls the filter `q`, a form `filter`.
#[component]
fn Hidden(asked: Asked, filter_name: &'static str) -> impl IntoView {
    view! {
        {asked
            .ids
            .iter()
            .map(|id| view! { <input type="hidden" name="ids[]" value=id.to_string() /> })
            .collect_view()}
        <input type="hidden" name=filter_name value=asked.filter />
        <input type="hidden" name="scope" value=asked.scope />
    }
    .into_any()
}

/// Chooses where to and how; the dry run follows.
#[component]
fn How(asked: Asked) -> impl IntoView {
    let manner = asked.manner.clone();
    view! {
        <section class="section" aria-labelledby="how-title">
            <header>
                <h2 id="how-title">"Where to, and how carefully"</h2>
            </header>
            <form class="stack padded" method="get" action="/replays/new">
                <Hidden asked filter_name="q" />
                <input type="hidden" name="jq" value=manner.jq.clone() />
                <MannerForm manner />
                <button class="button" type="submit">
                    "Look again"
                </button>
            </form>
        </section>
    }
    .into_any()
}
