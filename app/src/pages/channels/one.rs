//! Where is posted, and what?

use dlo_domain::channel::{Channel, ChannelKind};
use dlo_domain::severity::Severity;
use dlo_domain::source::Source;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;
use serde_json::Value;

use super::acting::{NEW, SaveChannel};
use super::form::ChannelForm;
use super::posted::PostedMessage;
use crate::api;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::pages::fields::{choice, field, save_or_leave, switch};
use crate::pages::frame::shown;
use crate::pages::head::{PageHead, above, crumbs, here};
use crate::pages::outcome::Outcome;
use crate::query::Query;
use crate::visible::{show_line, show_lines, show_name};

/// What the page shows: the channel, unless it is a new one, and what its route can name.
struct Sheet {
    channel: Option<Channel>,
    sources: Vec<Source>,
    /// One that nobody knows yet.
    secret: String,
    /// What would be posted, and what speaks so.
    preview: Option<(ChannelKind, Value)>,
}

/// The form of a channel.
#[component]
pub(crate) fn ChannelPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let written = ChannelForm::of_address(&Query::of_request());
    let desk = desk();
    let read = async move {
        let mut channel = None;
        if id != NEW {
            let id = api::id(&id, "channel")?;
            let found = desk.channels().await?.into_iter().find(|channel| channel.id == id);
            let found =
                found.ok_or_else(|| ApiError::not_found(format!("There is no channel {id}.")));
            channel = Some(found?);
        }
        let kind = channel.as_ref().map_or(ChannelKind::Slack, |channel| channel.kind);
        // An office that tells nobody has none.
        let preview = desk.preview_message(kind).await.ok();
        Ok::<_, ApiError>(Sheet {
            channel,
            sources: desk.sources().await?,
            secret: desk.fresh_secret()?,
            preview: preview.map(|message| (kind, message)),
        })
    };
    view! {
        <Title text="Channel" />
        <Outcome />
        {shown(read, move |sheet| view! { <Form sheet written /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Form(sheet: Sheet, written: Option<ChannelForm>) -> impl IntoView {
    let Sheet { channel, sources, secret, preview } = sheet;
    let form = written.or_else(|| channel.as_ref().map(ChannelForm::of));
    let form = form.unwrap_or_else(ChannelForm::usual);
    let kinds = ChannelKind::ALL.map(|kind| (kind.as_str(), kind.name()));
    let (id, crumb, heading) = match &channel {
        Some(channel) => (
            channel.id.to_string(),
            show_line(&channel.name),
            "Who is notified, and of which alerts.".to_owned(),
        ),
        None => (
            NEW.to_owned(),
            "New".to_owned(),
            "New channel: who is notified, and of which alerts.".to_owned(),
        ),
    };
    view! {
        <PageHead
            crumbs=crumbs([above("Alerts", links::ALERTS), above("Channels", links::CHANNELS), here(crumb)])
            heading=heading.into_any()
        />
        <form method="post" action=SaveChannel::PATH class="rule-form" data-still="">
            <input type="hidden" name="id" value=id />
            <div class="fields">
                {field("name", "name", &form.name)}
                {choice("kind", "what it is", &kinds, &form.kind)}
            </div>
            {address(channel.as_ref())} {signed(channel.as_ref(), secret)} {severities(&form)}
            {of_sources(&sources, &form)}
            <div class="fields">
                {field("owners", "groups of these owners; empty means all", &form.owners)}
                {field("filter", "groups whose letters match this filter", &form.filter)}
            </div>
            {switch("enabled", "used", form.enabled == "yes")}
            {save_or_leave(links::CHANNELS, None)}
        </form>
        {preview.map(|(kind, message)| view! { <Preview kind message /> })}
    }
    .into_any()
}

/// What would be posted of the last alert.
#[component]
fn Preview(kind: ChannelKind, message: Value) -> impl IntoView {
    let text = serde_json::to_string_pretty(&message).unwrap_or_default();
    view! {
        <section class="section stack tight" aria-labelledby="preview-title">
            <header>
                <h2 id="preview-title">"Last message"</h2>
                <span class="note">"the last alert, or an example, as it is posted"</span>
            </header>
            <PostedMessage kind payload=message />
            <details class="data">
                <summary>"As it is sent"</summary>
                <pre class="command">{show_lines(&text)}</pre>
            </details>
        </section>
    }
    .into_any()
}

/// The field of what a webhook's messages are signed with.
fn signed(channel: Option<&Channel>, fresh: String) -> AnyView {
    let is_signed = channel.is_some_and(|channel| channel.kind == ChannelKind::Webhook);
    let label = if is_signed {
        "another secret; left empty, it stays. Messages are signed with both for a day"
    } else {
        "for a webhook: what its messages are signed with. Give it to the receiver; it is not shown again"
    };
    let value = if is_signed { String::new() } else { fresh };
    view! { <div class="of-webhook">{field("secret", label, &value)}</div> }.into_any()
}

/// The field of the address, which is never shown again.
fn address(channel: Option<&Channel>) -> AnyView {
    let (label, placeholder) = match channel {
        None => ("address".to_owned(), "https://hooks.slack.com/services/…"),
        Some(channel) => {
            (format!("another address; left empty, {} stays", show_line(&channel.address)), "")
        }
    };
    view! {
        <label class="choice">
            <span>{label}</span>
            <input
                type="text"
                name="address"
                placeholder=placeholder
                autocomplete="off"
                required=channel.is_none()
                spellcheck="false"
            />
        </label>
        <p class="note-line">
            "Whoever has this address can post there. It is stored; only its last four characters \
             are shown."
        </p>
    }
    .into_any()
}

/// Of what it is told at once, and of what once a day.
fn severities(form: &ChannelForm) -> AnyView {
    view! {
        {severity_boxes("severities[]", "notified at once of alerts that are", &form.severities)}
        {severity_boxes("digest[]", "notified once a day, in one message, of alerts that are", &form.digest)}
        <div class="fields">{field("digest_at", "at this time, UTC", &form.digest_at)}</div>
    }
    .into_any()
}

fn severity_boxes(name: &'static str, legend: &'static str, chosen: &[String]) -> AnyView {
    let boxes = Severity::ALL.map(|severity| {
        let word = severity.as_str();
        let checked = chosen.iter().any(|one| one == word);
        view! {
            <label>
                <input type="checkbox" name=name value=word checked=checked />
                {word}
            </label>
        }
    });
    view! {
        <fieldset class="radios">
            <legend>{legend}</legend>
            {boxes.collect_view()}
        </fieldset>
    }
    .into_any()
}

fn of_sources(sources: &[Source], form: &ChannelForm) -> AnyView {
    if sources.len() < 2 {
        return ().into_any();
    }
    let boxes = sources.iter().map(|source| {
        let id = source.id.to_string();
        let checked = form.sources.contains(&id);
        view! {
            <label>
                <input type="checkbox" name="sources[]" value=id checked=checked />
                {show_name(&source.name)}
            </label>
        }
    });
    view! {
        <fieldset class="radios">
            <legend>"these sources; empty means all"</legend>
            {boxes.collect_view()}
        </fieldset>
    }
    .into_any()
}
