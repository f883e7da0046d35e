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
use super::row_actions::{Remove, Steps, Switch};
use crate::components::Spoken;
use crate::desk::desk;
use crate::links;
use crate::pages::head::{PageHead, above, crumbs, here};
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
        <PageHead
            crumbs=crumbs([above("Rules", links::RULES), here("Retry policies")])
            heading=show_line(&heading).into_any()
        >
            <p class="second">
                "Each letter that arrives is checked against the policies from top to bottom; the first match decides."
            </p>
        </PageHead>
        <section class="section" aria-labelledby="policies-title">
            <header>
                <h2 id="policies-title">"Retry policies"</h2>
                <span class="note">"what is retried automatically"</span>
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
                <Switch
                    path=EnablePolicy::PATH
                    id=id.clone()
                    name=name.clone()
                    is_on=row.enabled
                />
                <Steps
                    path=MovePolicy::PATH
                    id=id.clone()
                    name=name.clone()
                    is_first=place == 0
                    is_last
                />
                <a class="button" href=links::policy_form(&id) aria-label=format!("Edit {name}")>
                    "Edit"
                </a>
                <Remove
                    path=RemovePolicy::PATH
                    id
                    name
                    noun="policy"
                    says="Letters that wait for it are held. To keep it for later, switch it off."
                />
            </div>
        </li>
    }
    .into_any()
}
