//! What people write down of a group: whose it is, its ticket and tags, notes; and the group that
//! it becomes part of.

use dlo_domain::group::GroupSummary;
use dlo_domain::ids::GroupId;
use leptos::form::ActionForm;
use leptos::prelude::*;

use super::{ErrorNote, GroupActions, TextField};
use crate::visible::show_line;
use crate::wording;

/// Characters of a title in a list to choose from.
const TITLE: usize = 90;

/// Owner, ticket and tags.
#[component]
pub(crate) fn GroupParticulars(
    /// The group.
    group: GroupSummary,
    /// What can be done.
    actions: GroupActions,
) -> impl IntoView {
    let error = Signal::derive(move || actions.describe.value().get().and_then(Result::err));
    let field = |name: &'static str, label: &'static str, hint: &'static str, value: String| {
        view! { <TextField name value label hint most=1_000 /> }
    };
    let owner = group.owner.unwrap_or_default();
    let ticket = group.ticket_url.unwrap_or_default();
    view! {
        <section class="section" aria-labelledby="particulars-title">
            <header>
                <h2 id="particulars-title">"Owner, ticket, tags"</h2>
            </header>
            <ErrorNote error />
            <ActionForm action=actions.describe attr:class="group-form">
                <input type="hidden" name="id" value=group.id.to_string() />
                {field("owner", "owner", "nobody", owner)}
                {field("ticket_url", "address of the ticket", "https://…", ticket)}
                {field("tags", "tags, with commas between", "none", group.tags.join(", "))}
                <button class="button" type="submit" disabled=move || actions.describe.pending().get()>
                    "Save"
                </button>
            </ActionForm>
        </section>
    }
    .into_any()
}

/// The form of a note.
#[component]
pub(crate) fn GroupNote(
    /// The group.
    id: GroupId,
    /// What can be done.
    actions: GroupActions,
) -> impl IntoView {
    let error = Signal::derive(move || actions.note.value().get().and_then(Result::err));
    view! {
        <ErrorNote error />
        <ActionForm action=actions.note attr:class="group-form">
            <input type="hidden" name="id" value=id.to_string() />
            <label class="choice">
                <span>"note"</span>
                <textarea name="note" rows="3" maxlength="4000" required></textarea>
            </label>
            <button class="button" type="submit" disabled=move || actions.note.pending().get()>
                "Add note"
            </button>
        </ActionForm>
    }
    .into_any()
}

/// Chooses the group that this one becomes part of.
#[component]
pub(crate) fn GroupMerge(
    /// The group.
    id: GroupId,
    /// The groups to choose from.
    others: Vec<GroupSummary>,
    /// What can be done.
    actions: GroupActions,
) -> impl IntoView {
    let error = Signal::derive(move || actions.merge.value().get().and_then(Result::err));
    let options = others
        .into_iter()
        .filter(|other| other.id != id)
        .map(|other| {
            let waiting = wording::count(other.waiting);
            let text = format!("{} ({waiting} waiting)", shortened(&show_line(&other.title)));
            view! { <option value=other.id.to_string()>{text}</option> }
        })
        .collect::<Vec<_>>();
    if options.is_empty() {
        return ().into_any();
    }
    view! {
        <section class="section" aria-labelledby="merge-title">
            <header>
                <h2 id="merge-title">"Merge"</h2>
                <span class="note">"the same failure in other words"</span>
            </header>
            <ErrorNote error />
            <ActionForm action=actions.merge attr:class="group-form">
                <input type="hidden" name="id" value=id.to_string() />
                <label class="choice">
                    <span>"part of"</span>
                    <select name="into" required>
                        <option value="">"choose a group"</option>
                        {options}
                    </select>
                </label>
                <p class="second">
                    "All its letters go there, those to come as well, and this address leads there."
                </p>
                <button class="button" type="submit" disabled=move || actions.merge.pending().get()>
                    "Merge this group into the chosen one"
                </button>
            </ActionForm>
        </section>
    }
    .into_any()
}

/// The beginning of a long title.
fn shortened(title: &str) -> String {
    match title.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", &title[..end]),
        None => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_titles_are_cut_between_letters() {
        assert_eq!(shortened("ä"), "ä");
        let long = "ä".repeat(TITLE + 1);
        assert_eq!(shortened(&long).chars().count(), TITLE + 1);
        assert!(shortened(&long).ends_with('…'));
    }
}
