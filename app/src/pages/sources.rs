//! Which queues are watched, how are they, and how is one added?

mod acting;
mod draft;
mod form;
mod found;
mod loss;

use chrono::{DateTime, Utc};
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::filter::FilterForm;
use dlo_domain::source::Source;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::frame::{Watches, shown};
use super::outcome::Outcome;
use super::overview::sources::Condition;
use crate::components::{Ago, Spoken};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::command::AddSourceCommand;
use crate::query::Query;
use crate::request::now;
use crate::visible::{show_line, show_name};
use crate::{links, wording};
use acting::RemoveSource;
use draft::SourceDraft;
use form::SourceForm;
use found::{Found, FoundQueues};
use loss::LossForm;

/// What the page shows.
struct SourcesView {
    /// Every source.
    sources: Vec<Source>,
    /// What is not watched. `None` if that cannot be read.
    found: Option<Found>,
}

/// The sources.
#[component]
pub(crate) fn SourcesPage() -> impl IntoView {
    let draft = SourceDraft::of(&Query::of_request());
    let read = async move {
        let sources = desk().sources().await?;
        Ok::<_, ApiError>(SourcesView { sources, found: Found::read().await.ok() })
    };
    view! {
        <Title text="Sources" />
        <Watches events=&["topology"] />
        <Outcome />
        {shown(read, |view| view! { <Shown view draft /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Shown(view: SourcesView, draft: SourceDraft) -> impl IntoView {
    let SourcesView { sources, found } = view;
    view! {
        <List sources rest=found.as_ref().map(Found::says) />
        {found.map(|found| view! { <FoundQueues found /> })}
        <section class="section" aria-labelledby="add-title" id="add">
            <header>
                <h2 id="add-title">"Watch another queue"</h2>
                <span class="note">"its letters are stored before they leave it"</span>
            </header>
            <SourceForm draft />
            <details class="data">
                <summary>"By the HTTP API, with a token of the role admin"</summary>
                <AddSourceCommand />
            </details>
        </section>
    }
    .into_any()
}

/// How the sources are; `rest` says what is not watched, where that is known.
#[component]
fn List(sources: Vec<Source>, rest: Option<String>) -> impl IntoView {
    let now = now();
    let ill = sources.iter().filter(|source| !source.condition.is_well()).count();
    let all = i64::try_from(sources.len()).unwrap_or(0);
    let watched = wording::counted(all, "queue");
    let rest_says = rest.as_deref().unwrap_or_default();
    let heading = match (all, ill) {
        (0, _) => "No queue is watched yet. Add one below.".to_owned(),
        (_, 0) if rest.as_deref() == Some("") => format!("{watched} watched, and all is well."),
        (_, 0) => format!("{watched} watched, none of them in trouble. {rest_says}"),
        (_, ill) => format!(
            "{watched} watched; {ill} of them {} attention. {rest_says}",
            if ill == 1 { "needs" } else { "need" }
        ),
    };
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
            </div>
        </div>
        {(all > 0)
            .then(|| {
                view! {
                    <section class="section" aria-labelledby="list-title">
                        <header>
                            <h2 id="list-title">"Sources"</h2>
                        </header>
                        <ul class="sources">
                            {sources
                                .into_iter()
                                .map(|source| view! { <Watched source now /> })
                                .collect_view()}
                        </ul>
                    </section>
                }
            })}
    }
    .into_any()
}

#[component]
fn Watched(source: Source, now: DateTime<Utc>) -> impl IntoView {
    let href =
        links::letters(&FilterForm { source: Some(source.name.clone()), ..FilterForm::default() });
    view! {
        <li>
            <div class="say">
                <h3>
                    <a class="id" href=href.clone()>
                        {show_name(&source.name)}
                    </a>
                </h3>
                <p class="meta">
                    <Condition condition=source.condition detail=None />
                    <span>"since " <Ago at=source.condition_since now spoken=true /></span>
                    <span>
                        "queue " <span class="id">{show_name(&source.queue)}</span> ", vhost "
                        <span class="id">{show_name(&source.vhost)}</span> ", broker "
                        <span class="id">{show_name(&source.broker)}</span>
                    </span>
                    <span>{source.mode.as_str()}</span>
                    {(!source.origins.is_empty())
                        .then(|| {
                            view! { <span>"believes messages from " {show_name(&source.origins.to_string())}</span> }
                        })}
                    {executions(&source.executions).map(|says| view! { <span>{show_line(&says)}</span> })}
                </p>
                {source
                    .condition_detail
                    .clone()
                    .map(|detail| view! { <p class="detail"><Spoken text=detail /></p> })}
                <LossForm source=source.clone() />
            </div>
            {counts(&source, href, now)}
            <div class="actions">
                {remove(&source)}
            </div>
        </li>
    }
    .into_any()
}

/// Where its messages name executions, and what is done with those.
fn executions(naming: &ExecutionNaming) -> Option<String> {
    let places = [("header", &naming.header), ("path", &naming.path)];
    let places: Vec<String> = places
        .into_iter()
        .filter_map(|(noun, place)| Some(format!("{noun} {}", place.as_ref()?)))
        .collect();
    if places.is_empty() {
        return None;
    }
    let of =
        naming.message_type.as_ref().map_or_else(String::new, |kind| format!(", of {kind} only"));
    let reasons: Vec<&str> = naming.reschedule_on.iter().map(|one| one.as_str()).collect();
    let then = match reasons.len() {
        0 => "is failed".to_owned(),
        _ => format!("goes to another worker when {}, else is failed", reasons.join(" or ")),
    };
    Some(format!("its execution, by {}{of}, {then}", places.join(" or ")))
}

fn counts(source: &Source, href: String, now: DateTime<Utc>) -> impl IntoView + use<> {
    view! {
        <dl class="counts">
            <div>
                <dt>"held"</dt>
                <dd>{wording::count(source.held)}</dd>
            </div>
            <div>
                <dt>"letters"</dt>
                <dd>
                    <a href=href>{wording::count(source.letters)}</a>
                </dd>
            </div>
            <div>
                <dt>"last"</dt>
                <dd>
                    {match source.last_arrived_at {
                        Some(at) => view! { <Ago at now /> }.into_any(),
                        None => "never".into_any(),
                    }}
                </dd>
            </div>
        </dl>
    }
}

fn remove(source: &Source) -> impl IntoView + use<> {
    if source.configured {
        return view! { <span class="quiet">"named in the configuration"</span> }.into_any();
    }
    let id = source.id.to_string();
    let letters = wording::counted(source.letters, "letter");
    view! {
        <form method="post" action=RemoveSource::PATH>
            <input type="hidden" name="id" value=id />
            <button class="button" type="submit">
                "Stop watching, keep "
                {letters}
            </button>
        </form>
    }
    .into_any()
}
