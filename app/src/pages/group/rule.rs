//! A rule made of a group: letters like these, today's and tomorrow's.

use dlo_domain::ids::GroupId;
use leptos::prelude::*;

use crate::links;

/// Links to the form of a rule that asks for what the group's letters have in common.
#[component]
pub(super) fn GroupRule(
    /// The group.
    id: GroupId,
) -> impl IntoView {
    let id = id.to_string();
    let begin = |sort| {
        let form = links::rule_form("");
        links::with_query(&form, [("sort", sort), ("group", id.as_str())])
    };
    view! {
        <section class="section on-screen" aria-labelledby="rule-title">
            <header>
                <h2 id="rule-title">"Make a rule of it"</h2>
            </header>
            <p class="note-line">
                "For letters like these, and those to come. The form opens with what they have in common, and shows what the rule would do before it is saved."
            </p>
            <div class="tools-row">
                <a class="button" href=begin("severity")>
                    "Rule how bad they are"
                </a>
                <a class="button" href=begin("key")>
                    "Rule how they are grouped"
                </a>
            </div>
        </section>
    }
    .into_any()
}
