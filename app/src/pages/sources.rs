//! Which queues are watched, how are they, and how is one added?

use chrono::{DateTime, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::execution::ExecutionNaming;
use dlo_domain::filter::FilterForm;
use dlo_domain::source::Source;
use leptos::form::ActionForm;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::api::sources::{
    AcceptLoss, AddSource, RemoveSource, SourceList, WithdrawLoss, discover_sources, list_sources,
};
use crate::components::{
    AddSourceCommand, Ago, Condition, ErrorNote, ErrorPanel, FoundQueues, Live, LossForm, Notice,
    SourceForm, Spoken, Waiting, track_each,
};
use crate::error::ApiError;
use crate::visible::{show_line, show_name};
use crate::{links, wording};

/// What can be done on this page.
#[derive(Clone, Copy)]
struct Actions {
    add: ServerAction<AddSource>,
    remove: ServerAction<RemoveSource>,
    accept: ServerAction<AcceptLoss>,
    withdraw: ServerAction<WithdrawLoss>,
}

impl Actions {
    fn version(self) -> usize {
        self.add.version().get()
            + self.remove.version().get()
            + self.accept.version().get()
            + self.withdraw.version().get()
    }

    fn error(self) -> Option<ApiError> {
        let add = self.add.value().get().and_then(Result::err);
        add.or_else(|| self.remove.value().get().and_then(Result::err))
            .or_else(|| self.accept.value().get().and_then(Result::err))
            .or_else(|| self.withdraw.value().get().and_then(Result::err))
    }
}

/// The sources.
#[component]
pub(crate) fn SourcesPage() -> impl IntoView {
    let actions = Actions {
        add: ServerAction::new(),
        remove: ServerAction::new(),
        accept: ServerAction::new(),
        withdraw: ServerAction::new(),
    };
    let version = Live::current()
        .version(|event| matches!(event, LiveEvent::Source { .. } | LiveEvent::Arrived { .. }));
    let sources = Resource::new(move || (version.get(), actions.version()), |_| list_sources());
    // Letters that arrive change nothing here, and all queues of all brokers are looked through.
    let read = Live::current()
        .version(|event| matches!(event, LiveEvent::Source { .. } | LiveEvent::Topology));
    let found = Resource::new(move || (read.get(), actions.version()), |_| discover_sources());
    view! {
        <Title text="Sources" />
        <Notice />
        <ErrorNote error=Signal::derive(move || actions.error()) />
        <Transition fallback=Waiting>
            {move || {
                track_each(&[&found, &sources]);
                Suspend::new(async move {
                    let rest = found.await.ok().map(|found| found.says);
                    match sources.await {
                        Ok(list) => view! { <List list rest actions /> }.into_any(),
                        Err(error) => view! { <ErrorPanel error /> }.into_any(),
                    }
                })
            }}
        </Transition>
        <Transition>
            {move || Suspend::new(async move {
                found.await.ok().map(|found| view! { <FoundQueues found add=actions.add /> })
            })}
        </Transition>
        <section class="section" aria-labelledby="add-title" id="add">
            <header>
                <h2 id="add-title">"Watch another queue"</h2>
                <span class="note">"its letters are stored before they leave it"</span>
            </header>
            <SourceForm add=actions.add />
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
fn List(list: SourceList, rest: Option<String>, actions: Actions) -> impl IntoView {
    let SourceList { now, sources } = list;
    let ill = sources.iter().filter(|source| !source.condition.is_well()).count();
    let all = i64::try_from(sources.len()).unwrap_or(0);
    let watched = wording::counted(all, "queue");
    let rest_says = rest.as_deref().unwrap_or_default();
    let heading = match (all, ill) {
        (0, _) => {
            "No queue is watched yet. Name one below, and its letters are kept here.".to_owned()
        }
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
                                .map(|source| view! { <Watched source now actions /> })
                                .collect_view()}
                        </ul>
                    </section>
                }
            })}
    }
    .into_any()
}

#[component]
fn Watched(source: Source, now: DateTime<Utc>, actions: Actions) -> impl IntoView {
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
                <LossForm source=source.clone() accept=actions.accept withdraw=actions.withdraw />
            </div>
            {counts(&source, href, now)}
            <div class="actions">
                {remove(&source, actions)}
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

fn remove(source: &Source, actions: Actions) -> impl IntoView + use<> {
    if source.configured {
        return view! { <span class="quiet">"named in the configuration"</span> }.into_any();
    }
    let id = source.id.to_string();
    let letters = wording::counted(source.letters, "letter");
    view! {
        <ActionForm action=actions.remove>
            <input type="hidden" name="id" value=id />
            <button
                class="button"
                type="submit"
                disabled=move || actions.remove.pending().get()
            >
                "Stop watching, keep "
                {letters}
            </button>
        </ActionForm>
    }
    .into_any()
}
