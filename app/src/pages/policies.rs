//! Which letters are retried by themselves?

mod acting;
mod draft;
mod fields;
mod one;
mod reading;
mod removed;
mod view;
mod words;

use dlo_domain::policy::Policy;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use super::outcome::Outcome;
use crate::components::Spoken;
use crate::desk::desk;
use crate::links;
use crate::visible::{show_line, show_lines};
use acting::{EnablePolicy, MovePolicy, RemovePolicy};
pub(super) use one::RetryPolicyPage;

/// The retry policies.
#[component]
pub(crate) fn RetriesPage() -> impl IntoView {
    let desk = desk();
    view! {
        <Title text="Retry policies" />
        <Watches events=&["policies"] />
        <Outcome />
        {shown(async move { desk.policies().await }, |policies| view! { <List policies /> }.into_any())}
    }
    .into_any()
}

#[component]
fn List(policies: Vec<Policy>) -> impl IntoView {
    let (last, heading) = (policies.len(), words::heading(&policies));
    let rows = policies.into_iter().enumerate();
    let rows = rows
        .map(|(place, policy)| {
            let is_last = place + 1 == last;
            view! { <Row place policy is_last /> }
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
                <h1>{show_line(&heading)}</h1>
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
fn Row(place: usize, policy: Policy, is_last: bool) -> impl IntoView {
    let (verdict, goes, warning) =
        (words::verdict(&policy.policy), words::goes(&policy), words::warning(&policy));
    let (id, row) = (policy.id.to_string(), policy.policy);
    let letters = links::with_query(links::LETTERS, [("q", row.filter.as_str())]);
    let filter = match row.filter.as_str() {
        "" => "every letter".to_owned(),
        text => show_line(text),
    };
    let name = show_line(&row.name);
    let button = |to: &'static str, sign: &'static str, is_end: bool| {
        let label = format!("Move {name} {to}");
        view! {
            <button
                class="button"
                type="submit"
                name="to"
                value=to
                id=format!("{to}-{id}")
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
                {(!warning.is_empty()).then(|| view! { <p class="error-note">{show_lines(&warning)}</p> })}
            </div>
            <div class="verdict">{show_line(&verdict)}</div>
            <p class="by"><Spoken text=goes /></p>
            <div class="actions">
                <form method="post" action=EnablePolicy::PATH>
                    <input type="hidden" name="id" value=id.clone() />
                    <input type="hidden" name="enabled" value=(!row.enabled).to_string() />
                    <button
                        class="toggle"
                        type="submit"
                        id=format!("on-{id}")
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
