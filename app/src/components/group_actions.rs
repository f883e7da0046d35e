//! What can be done with a group: the actions behind its forms, and the buttons that say where it
//! stands from now on.

use dlo_domain::group::{GroupState, GroupSummary};
use leptos::form::ActionForm;
use leptos::prelude::*;

use super::{ErrorNote, disabled_while};
use crate::api::groups::{
    DescribeGroup, MergeGroup, MuteGroup, NoteGroup, SetGroupState, SplitGroup,
};

/// The actions of one group's page.
#[derive(Clone, Copy)]
pub(crate) struct GroupActions {
    /// Says where it stands.
    pub(crate) state: ServerAction<SetGroupState>,
    /// Makes it quiet until something.
    pub(crate) mute: ServerAction<MuteGroup>,
    /// Writes owner, ticket and tags.
    pub(crate) describe: ServerAction<DescribeGroup>,
    /// Writes into the timeline.
    pub(crate) note: ServerAction<NoteGroup>,
    /// Makes it part of another.
    pub(crate) merge: ServerAction<MergeGroup>,
    /// Takes signatures out of it.
    pub(crate) split: ServerAction<SplitGroup>,
}

impl GroupActions {
    /// The actions of a page that is being made.
    pub(crate) fn new() -> Self {
        Self {
            state: ServerAction::new(),
            mute: ServerAction::new(),
            describe: ServerAction::new(),
            note: ServerAction::new(),
            merge: ServerAction::new(),
            split: ServerAction::new(),
        }
    }

    /// Grows with every action that was answered.
    pub(crate) fn version(self) -> usize {
        self.state.version().get()
            + self.mute.version().get()
            + self.describe.version().get()
            + self.note.version().get()
            + self.merge.version().get()
            + self.split.version().get()
    }
}

/// Buttons for the states that the group can go to, and the form of the mute.
#[component]
pub(crate) fn GroupStateButtons(
    /// The group.
    group: GroupSummary,
    /// What can be done.
    actions: GroupActions,
) -> impl IntoView {
    let id = group.id.to_string();
    let muted = id.clone();
    let state = group.state;
    let has_owner = group.owner.is_some();
    let waits =
        Signal::derive(move || actions.state.pending().get() || actions.mute.pending().get());
    let error = Signal::derive(move || {
        let state = actions.state.value().get().and_then(Result::err);
        state.or_else(|| actions.mute.value().get().and_then(Result::err))
    });
    let button = move |to: GroupState, words: &'static str, class: &'static str| {
        view! {
            <button class=class type="submit" name="state" value=to.as_str() disabled=disabled_while(waits)>
                {words}
            </button>
        }
    };
    // Where letters wait, the way to their replay stands above, and is the first thing to do.
    let first = if group.waiting > 0 { "button" } else { "button primary" };
    let is_closed = matches!(state, GroupState::Resolved | GroupState::Muted);
    view! {
        <div class="stack tight">
            <div class="actions">
                <ActionForm action=actions.state>
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
                </ActionForm>
                {(!is_closed).then(|| view! { <MuteForm id=muted actions waits /> })}
            </div>
            <ErrorNote error />
        </div>
    }
    .into_any()
}

#[component]
fn MuteForm(id: String, actions: GroupActions, waits: Signal<bool>) -> impl IntoView {
    view! {
        <details class="more">
            <summary class="button">"Mute…"</summary>
            <ActionForm action=actions.mute attr:class="mute-form">
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
                    "It ends with the first of these, and the group is open again. Letters are kept meanwhile, as ever."
                </p>
                <button class="button" type="submit" disabled=disabled_while(waits)>
                    "Mute this group"
                </button>
            </ActionForm>
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
