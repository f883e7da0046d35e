//! What would this policy retry, and what did it do?

use chrono::{DateTime, Utc};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::acting::ApplyPolicy;
use super::draft::PolicyDraft;
use super::fields::PolicyFields;
use super::removed::RemovedPolicy;
use super::view::{self, PolicyForm, PolicySeen, PolicyTold};
use crate::components::Spoken;
use crate::links;
use crate::pages::frame::{Watches, shown};
use crate::pages::head::{PageHead, above, crumbs, here};
use crate::pages::letter_samples::LetterSamples;
use crate::pages::outcome::Outcome;
use crate::query::Query;
use crate::visible::show_line;

/// A new policy, or one that is there; the address holds what was written of it so far.
#[component]
pub(crate) fn RetryPolicyPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|path| path.get("id").unwrap_or_default());
    let id = if id == "new" { String::new() } else { id };
    let query = Query::of_request();
    let (draft, is_written) = PolicyDraft::of(id, &query);
    let looks = query.get_str("look").is_some();
    let read = async move { view::form(draft, is_written, looks).await };
    view! {
        <Title text="Retry policy" />
        <Watches events=&["policies"] />
        <Outcome />
        {shown(read, |form| view! { <Form form /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Form(form: PolicyForm) -> impl IntoView {
    let PolicyForm { now, draft, error, preview, report, gone } = form;
    let id = draft.id.clone();
    if let Some(gone) = gone {
        let name = draft.name;
        return view! { <RemovedPolicy id name gone /> }.into_any();
    }
    let (crumb, heading) = if id.is_empty() {
        ("New", "A new retry policy: nothing changes until it is saved.")
    } else {
        ("Edit", "Change a retry policy: it stays as it is until this is saved.")
    };
    view! {
        <PageHead
            crumbs=crumbs([above("Rules", links::RULES), above("Retry policies", links::RETRIES), here(crumb)])
            heading=heading.into_any()
        />
        {report.map(|told| view! { <Told id told now /> })}
        <PolicyFields draft error />
        <div id="preview">{preview.map(|seen| view! { <Seen seen now /> })}</div>
    }
    .into_any()
}

/// How it goes, and what it did.
#[component]
fn Told(id: String, told: PolicyTold, now: DateTime<Utc>) -> impl IntoView {
    let failed = told.failed.into_iter().map(|failed| {
        view! {
            <li>
                <a href=failed.href><Spoken text=failed.says /></a>
            </li>
        }
    });
    let failed: Vec<_> = failed.collect();
    view! {
        <section class="section" aria-labelledby="goes-title">
            <header>
                <h2 id="goes-title">"How it goes"</h2>
            </header>
            <p>
                <Spoken text=told.goes /> " " <a href=links::replays_of(&id)>"Its replays"</a> "."
            </p>
            {(!told.warning.is_empty()).then(|| view! { <p class="error-note"><Spoken text=told.warning.clone() /></p> })}
            {(!failed.is_empty())
                .then(|| {
                    view! {
                        <p class="second">
                            "These tries could not be published. They are not made again by themselves: the letters wait for a person."
                        </p>
                        <ul class="log">{failed}</ul>
                    }
                })}
            {(!told.shadow.is_empty())
                .then(|| {
                    view! {
                        <p>{show_line(&told.shadow)}</p>
                        <LetterSamples letters=told.shadow_samples now />
                    }
                })}
            {told
                .applies
                .then(|| {
                    view! {
                        <form method="post" action=ApplyPolicy::PATH>
                            <input type="hidden" name="id" value=id />
                            <button class="button" type="submit">
                                "Apply it to the letters that are held now"
                            </button>
                        </form>
                    }
                })}
        </section>
    }
    .into_any()
}

/// What it would have done.
#[component]
fn Seen(seen: PolicySeen, now: DateTime<Utc>) -> impl IntoView {
    let rows = seen.days.into_iter().map(|(day, letters, tries)| {
        view! {
            <tr>
                <td class="fill">{day}</td>
                <td class="num">{letters}</td>
                <td class="num">{tries}</td>
            </tr>
        }
    });
    let rows: Vec<_> = rows.collect();
    let samples = seen.samples;
    view! {
        <section class="section" aria-labelledby="preview-title" data-still="">
            <header>
                <h2 id="preview-title">"Preview"</h2>
            </header>
            <p class="says-all" role="status">
                {show_line(&seen.says)}
            </p>
            {(!rows.is_empty())
                .then(|| {
                    view! {
                        <table class="ledger">
                            <thead>
                                <tr>
                                    <th>"day, UTC"</th>
                                    <th class="num">"letters"</th>
                                    <th class="num">"tries, at most"</th>
                                </tr>
                            </thead>
                            <tbody>{rows}</tbody>
                        </table>
                    }
                })}
            {(!samples.is_empty()).then(|| view! { <LetterSamples letters=samples now /> })}
        </section>
    }
    .into_any()
}
