//! What people write down of a group: whose it is, its ticket and tags, notes; and the group that
//! it becomes part of.

use dlo_domain::group::{GroupSummary, OtherGroup};
use dlo_domain::ids::GroupId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::{DescribeGroup, MergeGroup, NoteGroup};
use crate::pages::text_field::TextField;
use crate::visible::show_line;
use crate::wording;

/// Characters of a title in a list to choose from.
const TITLE: usize = 90;

/// Owner, ticket and tags.
#[component]
pub(super) fn GroupParticulars(
    /// The group.
    group: GroupSummary,
) -> impl IntoView {
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
            <form method="post" action=DescribeGroup::PATH class="group-form">
                <input type="hidden" name="id" value=group.id.to_string() />
                {field("owner", "owner", "nobody", owner)}
                {field("ticket_url", "address of the ticket", "https://…", ticket)}
                {field("tags", "tags, with commas between", "none", group.tags.join(", "))}
                <button class="button" type="submit">
                    "Save"
                </button>
            </form>
        </section>
    }
    .into_any()
}

/// The form of a note.
#[component]
pub(super) fn GroupNote(
    /// The group.
    id: GroupId,
) -> impl IntoView {
    view! {
        <form method="post" action=NoteGroup::PATH class="group-form">
            <input type="hidden" name="id" value=id.to_string() />
            <label class="choice">
                <span>"note"</span>
                <textarea name="note" rows="3" maxlength="4000" required></textarea>
            </label>
            <button class="button" type="submit">
                "Add note"
            </button>
        </form>
    }
    .into_any()
}

/// Chooses the group that this one becomes part of.
#[component]
pub(super) fn GroupMerge(
    /// The group.
    id: GroupId,
    /// The groups to choose from.
    others: Vec<OtherGroup>,
) -> impl IntoView {
    let options = others
        .into_iter()
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
            <form method="post" action=MergeGroup::PATH class="group-form">
                <input type="hidden" name="id" value=id.to_string() />
                <label class="choice">
                    <span>"part of"</span>
                    <select name="into" required>
                        <option value="">"choose a group"</option>
                        {options}
                    </select>
                </label>
                <p class="second">
                    "All its letters move there, future ones too, and this address redirects there."
                </p>
                <button class="button" type="submit">
                    "Merge this group into the chosen one"
                </button>
            </form>
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
