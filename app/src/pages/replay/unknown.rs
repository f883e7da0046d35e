//! The search for unknown letters of a replay in the queues that they were sent to: what it costs, where it
//! would look, and the button.

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{LetterSearch, SearchedQueue};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::SearchUnknown;
use crate::components::{ErrorPanel, Spoken};
use crate::error::ApiError;
use crate::visible::show_name;
use crate::{links, wording};

/// What can be done about the unknown letters of a replay; nothing where there are none.
#[component]
pub(super) fn UnknownLetters(
    /// The replay.
    id: ReplayId,
    /// How many of its letters are unknown.
    unknown: i64,
    /// Where they would be looked for, if that is asked.
    search: Option<Result<LetterSearch, ApiError>>,
) -> impl IntoView {
    if unknown == 0 {
        return ().into_any();
    }
    let body = match search {
        // Brokers are not asked again and again while somebody reads it.
        Some(Ok(search)) => {
            view! { <div class="stack" data-still><Queues id search /></div> }.into_any()
        }
        Some(Err(error)) => view! { <ErrorPanel error /> }.into_any(),
        None => view! {
            <div class="actions">
                <a class="button" href=links::search(id)>
                    "Look for them in their queues…"
                </a>
            </div>
        }
        .into_any(),
    };
    view! {
        <section class="section" id="search" aria-labelledby="search-title">
            <header>
                <h2 id="search-title">{wording::count(unknown)} " unknown"</h2>
                <span class="note">
                    "it is not known whether their queues have them; none is sent again \
                     automatically"
                </span>
            </header>
            {body}
        </section>
    }
    .into_any()
}

#[component]
fn Queues(id: ReplayId, search: LetterSearch) -> impl IntoView {
    let open = search.queues.iter().filter(|queue| queue.refused.is_none());
    let (letters, messages) = open.fold((0, 0), |(letters, messages), queue| {
        (letters + queue.unknown, messages + i64::from(queue.messages.unwrap_or(0)))
    });
    let elsewhere = (search.elsewhere > 0).then(|| {
        let letters = wording::counted(search.elsewhere, "letter");
        view! {
            <p class="note-line">
                {format!("{letters} more went to an exchange, or to queues that are not listed here: not looked for.")}
            </p>
        }
    });
    let go = (letters > 0).then(|| {
        let cost = format!(
            "Every message of these queues ({}) is fetched and put back, in its order. From then on each is marked as redelivered, and a quorum queue counts a delivery of it; while it is fetched nobody else gets it. Letters that are found are confirmed. The others stay unknown: a consumer may have taken them.",
            wording::count(messages)
        );
        let button = format!("Look for {}", wording::counted(letters, "letter"));
        view! {
            <p class="note-line">{cost}</p>
            <form method="post" action=SearchUnknown::PATH class="actions">
                <input type="hidden" name="id" value=id.to_string() />
                <button class="button primary" type="submit">
                    {button}
                </button>
            </form>
        }
    });
    view! {
        <table class="ledger">
            <thead>
                <tr>
                    <th>"queue"</th>
                    <th class="num">"unknown"</th>
                    <th class="num">"messages"</th>
                    <th>"search"</th>
                </tr>
            </thead>
            <tbody>{search.queues.into_iter().map(row).collect_view()}</tbody>
        </table>
        {elsewhere}
        {go}
    }
    .into_any()
}

fn row(queue: SearchedQueue) -> impl IntoView {
    let href = links::queue(&queue.broker, &queue.vhost, &queue.queue);
    let messages = queue.messages.map(|messages| wording::count(i64::from(messages)));
    let verdict = match queue.refused {
        Some(why) => format!("not searched: {why}"),
        None => "nobody consumes it, and it keeps what comes back".to_owned(),
    };
    view! {
        <tr>
            <td class="fit">
                <a class="id" href=href>
                    {show_name(&queue.queue)}
                </a>
            </td>
            <td class="fit num">{wording::count(queue.unknown)}</td>
            <td class="fit num">{messages}</td>
            <td class="fill">
                <Spoken text=verdict />
            </td>
        </tr>
    }
    .into_any()
}
