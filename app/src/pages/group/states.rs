//! The buttons that say where a group stands from now on.

use dlo_domain::group::{GroupState, GroupSummary};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::{MuteGroup, SetGroupState};

/// Buttons for the states that the group can go to, and the form of the mute.
#[component]
pub(super) fn GroupStateButtons(
    /// The group.
    group: GroupSummary,
) -> impl IntoView {
    let id = group.id.to_string();
    let muted = id.clone();
    let state = group.state;
    let has_owner = group.owner.is_some();
    let button = move |to: GroupState, words: &'static str, class: &'static str| {
        view! {
            <button class=class type="submit" name="state" value=to.as_str()>
                {words}
            </button>
        }
    };
    // Where letters wait, the way to their replay stands above, and is the first thing to do.
    let first = if group.waiting > 0 { "button" } else { "button primary" };
    let is_closed = matches!(state, GroupState::Resolved | GroupState::Muted);
    view! {
        <div class="actions">
                <form method="post" action=SetGroupState::PATH>
                    <input type="hidden" name="id" value=id />
                    {matches!(state, GroupState::Open | GroupState::Regressed)
                        .then(|| {
                            let words = if has_owner { "Investigate" } else { "Assign to me" };
                            button(GroupState::Investigating, words, first)
                        })}
                    {is_closed.then(|| button(GroupState::Open, "Reopen", first))}
                    {(state == GroupState::Investigating)
                        .then(|| button(GroupState::Open, "Back to open", "button"))}
                    {(state != GroupState::Resolved)
                        .then(|| button(GroupState::Resolved, "Resolve", "button"))}
                </form>
                {(!is_closed).then(|| view! { <MuteForm id=muted /> })}
        </div>
    }
    .into_any()
}

#[component]
fn MuteForm(id: String) -> impl IntoView {
    view! {
        <details class="more">
            <summary class="button">"Mute…"</summary>
            <form method="post" action=MuteGroup::PATH class="mute-form">
                <input type="hidden" name="id" value=id />
                <label class="choice">
                    <span>"for"</span>
                    <select name="hours">
                        <option value="1">"1 hour"</option>
                        <option value="8" selected>
                            "8 hours"
                        </option>
                        <option value="24">"24 hours"</option>
                        <option value="168">"7 days"</option>
                        <option value="">"any time"</option>
                    </select>
                </label>
                <Number name="arrivals" label="or until so many more letters" />
                <Number name="per_hour" label="or until so many in one hour" />
                <p class="second">
                    "The first of these ends it, and the group is open again. Letters are kept \
                     meanwhile."
                </p>
                <button class="button" type="submit">
                    "Mute this group"
                </button>
            </form>
        </details>
    }
    .into_any()
}

#[component]
fn Number(name: &'static str, label: &'static str) -> impl IntoView {
    view! {
        <label class="choice">
            <span>{label}</span>
            <input
                type="text"
                name=name
                inputmode="numeric"
                maxlength="12"
                autocomplete="off"
                placeholder="no limit"
            />
        </label>
    }
}
