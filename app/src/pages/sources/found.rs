//! Dead-letter queues that nobody takes letters from, each with a button that does.

use dlo_domain::topology::{Discover, FoundQueue};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::AddSource;
use crate::components::Spoken;
use crate::desk::desk;
use crate::error::ApiError;
use crate::visible::show_name;
use crate::{links, wording};

/// Queues that are offered at once.
const MOST: usize = 10;

/// Dead-letter queues that nobody takes letters from.
pub(super) struct Found {
    /// All of them.
    queues: Vec<FoundQueue>,
    /// Whether every queue could be looked at.
    is_whole: bool,
}

impl Found {
    /// Dead-letter queues that are no sources and that nobody consumes, as they were last read.
    ///
    /// # Errors
    /// A desk that does not answer.
    pub(super) async fn read() -> Result<Self, ApiError> {
        let discovery = desk().discover(&Discover::default()).await?;
        let is_whole = discovery.unread.is_empty();
        let mut queues = discovery.items;
        // Whoever consumes a queue already would get a part of its letters only.
        queues.retain(|one| one.consumers.is_none_or(|consumers| consumers == 0));
        Ok(Self { queues, is_whole })
    }

    /// How many they are and hold, and what could not be looked at; empty where all is watched.
    pub(super) fn says(&self) -> String {
        unwatched(&self.queues, self.is_whole)
    }
}

/// The queues. Nothing when there are none.
#[component]
pub(crate) fn FoundQueues(
    /// The queues.
    found: Found,
) -> impl IntoView {
    if found.queues.is_empty() {
        return ().into_any();
    }
    let is_more = found.queues.len() > MOST;
    let rows = found.queues.into_iter().take(MOST).map(row);
    let more = is_more.then(|| {
        view! {
            <p class="note-line">
                <a href=links::QUEUES>"There are more among all queues"</a>
            </p>
        }
    });
    view! {
        <section class="section" aria-labelledby="found-title">
            <header>
                <h2 id="found-title">"Dead-letter queues that nobody takes letters from"</h2>
            </header>
            <ul class="sources">{rows.collect_view()}</ul>
            {more}
        </section>
    }
    .into_any()
}

fn row(one: FoundQueue) -> AnyView {
    let (source, ready) = (one.source, one.ready.map_or_else(|| "?".to_owned(), wording::count));
    let page = links::queue(&source.broker, &source.vhost, &source.queue);
    let fields = [
        ("queue", source.queue.clone()),
        ("vhost", source.vhost.clone()),
        ("broker", source.broker.clone()),
        ("mode", "take".to_owned()),
    ];
    view! {
        <li>
            <div class="say">
                <h3>
                    <a class="id" href=page.clone()>
                        {show_name(&source.queue)}
                    </a>
                </h3>
                <p class="meta">
                    <span>
                        "vhost " <span class="id">{show_name(&source.vhost)}</span> ", broker "
                        <span class="id">{show_name(&source.broker)}</span>
                    </span>
                </p>
                <p class="detail">
                    <Spoken text=one.why />
                </p>
            </div>
            <dl class="counts">
                <div>
                    <dt>"waiting"</dt>
                    <dd>{ready}</dd>
                </div>
            </dl>
            <div class="actions">
                <form method="post" action=AddSource::PATH>
                    {fields
                        .into_iter()
                        .map(|(name, value)| view! { <input type="hidden" name=name value=value /> })
                        .collect_view()}
                    <button class="button" type="submit">
                        "Watch"
                    </button>
                </form>
            </div>
        </li>
    }
    .into_any()
}

/// What keeps the sources from being all that there is.
fn unwatched(found: &[FoundQueue], is_whole: bool) -> String {
    let number = i64::try_from(found.len()).unwrap_or(i64::MAX);
    let wait: i64 = found.iter().filter_map(|one| one.ready).sum();
    let (are, them) = if number == 1 { ("is", "it") } else { ("are", "them") };
    let mut says = String::new();
    if number > 0 {
        let queues = wording::counted(number, "more dead-letter queue");
        says = format!("{queues} {are} not");
        if wait > 0 {
            let messages = wording::counted(wait, "message");
            let verb = if wait == 1 { "waits" } else { "wait" };
            says = format!("{says}, and {messages} {verb} in {them}");
        }
        says.push('.');
    }
    if !is_whole {
        let space = if says.is_empty() { "" } else { " " };
        says = format!("{says}{space}Not all queues could be read: there may be others.");
    }
    says
}
