//! Which letters are retried by themselves?

use dlo_domain::event::LiveEvent;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use crate::api::policies::{
    EnablePolicy, MovePolicy, PolicyList, PolicyRow, RemovePolicy, list_policies,
};
use crate::components::{ErrorPanel, Live, Notice, Waiting};
use crate::links;
use crate::visible::{show_line, show_lines};

/// The retry policies. Its forms are plain ones: each answer is a page.
#[component]
pub(crate) fn RetriesPage() -> impl IntoView {
    let version =
        Live::current().version(|event| matches!(event, LiveEvent::Policies | LiveEvent::Missed));
    let policies = Resource::new(move || version.get(), |_| list_policies());
    view! {
        <Title text="Retry policies" />
        <Notice />
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match policies.await {
                    Ok(list) => view! { <List list /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

#[component]
fn List(list: PolicyList) -> impl IntoView {
    let last = list.rows.len();
    let rows = list.rows.into_iter().enumerate();
    let rows = rows
        .map(|(place, row)| {
            let is_last = place + 1 == last;
            view! { <Row place row is_last /> }
        })
        .collect_view();
    let rest = if last == 0 {
        "A policy retries the letters that it names after 10 s, 100 s and 1,000 s, at the tail of \
         their queue, and stops by itself when they come back."
    } else {
        "everything else waits for people"
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::RULES>"Rules"</a>
                    </li>
                    <li>"Retry policies"</li>
                </ol>
                <h1>{show_line(&list.heading)}</h1>
                <p class="second">
                    "Policies are asked of each letter that arrives, from top to bottom, and the first that matches decides."
                </p>
            </div>
        </div>
        <section class="section" aria-labelledby="policies-title">
            <header>
                <h2 id="policies-title">"Retry policies"</h2>
                <span class="note">"what is tried again without anybody"</span>
            </header>
            <ol class="rules">{rows}</ol>
            <p class="rule-rest">{rest}</p>
            <p class="add-rule">
                <a class="button" href=links::policy_form("")>
                    "Add a retry policy"
                </a>
            </p>
        </section>
    }
    .into_any()
}

#[component]
fn Row(place: usize, row: PolicyRow, is_last: bool) -> impl IntoView {
    let letters = links::with_query(links::LETTERS, [("q", row.filter.as_str())]);
    let filter = match row.filter.as_str() {
        "" => "every letter".to_owned(),
        text => show_line(text),
    };
    let (id, name) = (row.id, show_line(&row.name));
    let button = |to: &'static str, sign: &'static str, is_end: bool| {
        let label = format!("Move {name} {to}");
        view! {
            <button
                class="button"
                type="submit"
                name="to"
                value=to
                aria-label=label
                disabled=is_end
            >
                {sign}
            </button>
        }
    };
    view! {
        <li data-off=(!row.enabled).then_some("")>
            <span class="place">{place + 1}</span>
            <div class="say">
                <h3>{name.clone()}</h3>
                <a class="id" href=letters>
                    {filter}
                </a>
                {(!row.warning.is_empty()).then(|| view! { <p class="error-note">{show_lines(&row.warning)}</p> })}
            </div>
            <div class="verdict">{show_line(&row.verdict)}</div>
            <p class="by">{show_line(&row.goes)}</p>
            <div class="actions">
                <form method="post" action=EnablePolicy::PATH>
                    <input type="hidden" name="id" value=id.clone() />
                    <input type="hidden" name="enabled" value=(!row.enabled).to_string() />
                    <button
                        class="toggle"
                        type="submit"
                        role="switch"
                        aria-checked=row.enabled.to_string()
                        aria-label=name.clone()
                    >
                        <span aria-hidden="true">{if row.enabled { "on" } else { "off" }}</span>
                    </button>
                </form>
                <form method="post" action=MovePolicy::PATH>
                    <input type="hidden" name="id" value=id.clone() />
                    <span class="steps">
                        {button("up", "↑", place == 0)} {button("down", "↓", is_last)}
                    </span>
                </form>
                <a class="button" href=links::policy_form(&id) aria-label=format!("Edit {name}")>
                    "Edit"
                </a>
                <details class="more">
                    <summary class="button" aria-label=format!("Delete {name}")>
                        "Delete…"
                    </summary>
                    <form method="post" action=RemovePolicy::PATH class="remove-rule">
                        <input type="hidden" name="id" value=id />
                        <p class="second">
                            "Letters that wait for it are held. To keep it for later, switch it off."
                        </p>
                        <button class="button" type="submit">
                            "Delete this policy"
                        </button>
                    </form>
                </details>
            </div>
        </li>
    }
    .into_any()
}
