//! What people write down of a group: whose it is, its ticket and tags, notes; and the way to merge it.

use dlo_domain::group::GroupSummary;
use dlo_domain::ids::GroupId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::{DescribeGroup, NoteGroup};
use crate::links;
use crate::pages::text_field::TextField;

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
        <section class="section on-screen" aria-labelledby="particulars-title">
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

/// The way to the list of groups, to choose the one that this one becomes part of.
#[component]
pub(super) fn GroupMerge(
    /// The group.
    id: GroupId,
) -> impl IntoView {
    view! {
        <section class="section on-screen" aria-labelledby="merge-title">
            <header>
                <h2 id="merge-title">"Merge"</h2>
                <span class="note">"the same failure in other words"</span>
            </header>
            <p class="group-form">
                <a class="button" href=links::merge_of_group(id)>
                    "Merge into another group…"
                </a>
            </p>
        </section>
    }
    .into_any()
}
