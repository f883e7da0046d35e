//! What a retry policy was that somebody removed.

use leptos::prelude::*;

use super::view::PolicyGone;
use crate::components::Spoken;
use crate::links;
use crate::pages::head::{PageHead, above, crumbs, here};
use crate::visible::{show_line, show_name, show_within};

/// In the place of its form: links of letters and replays lead here for as long as they are kept.
#[component]
pub(super) fn RemovedPolicy(
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// What it was.
    gone: PolicyGone,
) -> impl IntoView {
    let letters = links::with_query(links::LETTERS, [("q", gone.filter.as_str())]);
    let filter = match gone.filter.as_str() {
        "" => "every letter".to_owned(),
        filter => filter.to_owned(),
    };
    view! {
        <PageHead
            crumbs=crumbs([above("Rules", links::RULES), above("Retry policies", links::RETRIES), here("Removed")])
            heading=format!("The retry policy “{}” was removed.", show_within(&name)).into_any()
        >
            <p class="second"><Spoken text=gone.says.clone() /> " It no longer applies to any letter."</p>
        </PageHead>
        <section class="section" aria-labelledby="was-title">
            <header>
                <h2 id="was-title">"What it was"</h2>
            </header>
            <dl class="slip">
                <div class="two">
                    <dt>"which letters"</dt>
                    <dd>
                        <a class="id" href=letters>
                            {show_name(&filter)}
                        </a>
                    </dd>
                </div>
                <div class="two">
                    <dt>"what it did"</dt>
                    <dd>{show_line(&gone.verdict)}</dd>
                </div>
            </dl>
            <p>
                <a href=links::replays_of(&id)>"Its replays"</a>
                " are kept as long as everybody's. "
                <a href=gone.again>"Write a new policy like it"</a> "."
            </p>
        </section>
    }
    .into_any()
}
