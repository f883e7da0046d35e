//! Merging a group into another: what it does, and the button in each row of the list.

use dlo_domain::audit::Actor;
use dlo_domain::group::{GroupSummary, MergeGroups};
use dlo_domain::ids::GroupId;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::template::TemplateLine;
use crate::request::go_on_to;
use crate::visible::show_line;
use crate::{api, links};

/// The id of the form that the buttons of the rows send.
const FORM: &str = "merge";

/// Makes a group part of another; leads to that one.
///
/// # Errors
/// No such groups, the same one twice, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "groups/merge")]
pub(crate) async fn merge_group(id: String, into: String) -> Result<(), ApiError> {
    let merge =
        MergeGroups { groups: vec![api::id(&id, "group")?], into: api::id(&into, "group")? };
    let group = desk().merge_groups(&Actor::local_operator(), &merge).await?;
    go_on_to(&links::told(&links::group(group.summary.id), "merged"));
    Ok(())
}

/// Says what is merged, and what becomes of it; the rows have the buttons.
#[component]
pub(super) fn Merging(
    /// The group that becomes part of another.
    group: GroupSummary,
) -> impl IntoView {
    view! {
        <section class="section merging" aria-labelledby="merge-title">
            <header>
                <h2 id="merge-title">"Choose the group to merge into"</h2>
                <a class="button" href=links::group(group.id)>
                    "Cancel"
                </a>
            </header>
            <p>
                <TemplateLine template=group.title />
            </p>
            <p class="second">
                "All its letters move to the group that you choose, future ones too, and its address redirects there."
            </p>
            <form id=FORM method="post" action=MergeGroup::PATH>
                <input type="hidden" name="id" value=group.id.to_string() />
            </form>
        </section>
    }
    .into_any()
}

/// Merges into the group of a row.
#[component]
pub(super) fn MergeInto(
    /// The group of the row.
    group: GroupId,
    /// Its title.
    title: String,
    /// The group that becomes part of another.
    merging: GroupId,
) -> impl IntoView {
    if group == merging {
        return view! { <span class="second">"this group"</span> }.into_any();
    }
    view! {
        <button
            class="button"
            form=FORM
            name="into"
            value=group.to_string()
            aria-label=format!("Merge into {}", show_line(&title))
        >
            "Merge into"
        </button>
    }
    .into_any()
}
