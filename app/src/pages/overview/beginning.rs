//! What stands in the place of the overview until there is anything to see.

use dlo_domain::overview::Overview;
use leptos::prelude::*;

use super::sources::SourceTable;
use crate::pages::command::AddSourceCommand;

/// How to begin: shown until the first letter has come.
#[component]
pub(super) fn Beginning(
    /// The sources, all of them without letters.
    overview: Overview,
) -> impl IntoView {
    let watches = !overview.sources.is_empty();
    let (sources, now) = (overview.sources, overview.at);
    let ill = sources.iter().filter(|one| !one.condition.is_well()).count();
    let heading = match (watches, ill) {
        (true, 0) => {
            "Nothing has died yet. The queues below are watched; the first dead letter appears here within a second."
                .to_owned()
        }
        (true, ill) => {
            let needs = if ill == 1 { "needs" } else { "need" };
            format!("No letter has come yet, and {ill} of the queues below {needs} attention.")
        }
        _ => "No queue is watched yet. Name a dead-letter queue, and its letters are kept here.".to_owned(),
    };
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
            </div>
        </div>
        {watches
            .then(|| {
                view! {
                    <section class="section" aria-labelledby="sources-title">
                        <header>
                            <h2 id="sources-title">"Sources"</h2>
                            <span class="end">
                                <a href="/sources">"add one"</a>
                            </span>
                        </header>
                        <SourceTable sources now />
                    </section>
                }
            })}
        <section class="section" aria-labelledby="first-title">
            <header>
                <h2 id="first-title">"Watch a queue"</h2>
                <span class="note">"no client library, no change in your services"</span>
            </header>
            <p class="note-line">
                <a href="/sources">"Use the form"</a>
                ", or the HTTP API with an admin token. Letters are stored before they leave the queue; with "
                <code>"\"mode\": \"mirror\""</code> " they never leave it."
            </p>
            <AddSourceCommand />
        </section>
    }
    .into_any()
}
