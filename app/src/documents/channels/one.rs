//! Where is posted, and what?

use dlo_domain::channel::{Channel, ChannelKind};
use dlo_domain::severity::Severity;
use dlo_domain::source::Source;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::acting::{NEW, SaveChannel};
use super::form::ChannelForm;
use crate::api;
use crate::desk::desk;
use crate::documents::fields::{choice, field, switch};
use crate::documents::frame::shown;
use crate::documents::outcome::Outcome;
use crate::error::ApiError;
use crate::links;
use crate::visible::{show_line, show_name};

/// What the page shows: the channel, unless it is a new one, and what its route can name.
struct Sheet {
    channel: Option<Channel>,
    sources: Vec<Source>,
}

/// The form of a channel.
#[component]
pub(crate) fn ChannelPage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let written = use_query_map().with_untracked(ChannelForm::of_address);
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
        Ok::<_, ApiError>(Sheet { channel, sources: desk.sources().await? })
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
    let Sheet { channel, sources } = sheet;
    let form = written.or_else(|| channel.as_ref().map(ChannelForm::of));
    let form = form.unwrap_or_else(ChannelForm::usual);
    let kinds = ChannelKind::ALL.map(|kind| (kind.as_str(), kind.name()));
    let (id, crumb, heading) = match &channel {
        Some(channel) => (
            channel.id.to_string(),
            show_line(&channel.name),
            "Who is told of alerts, and of which.".to_owned(),
        ),
        None => (
            NEW.to_owned(),
            "New".to_owned(),
            "A new channel: who is told of alerts, and of which.".to_owned(),
        ),
    };
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::ALERTS>"Alerts"</a>
                    </li>
                    <li>
                        <a href=links::CHANNELS>"Channels"</a>
                    </li>
                    <li>{crumb}</li>
                </ol>
                <h1>{heading}</h1>
            </div>
        </div>
        <form method="post" action=SaveChannel::PATH class="rule-form">
            <input type="hidden" name="id" value=id />
            <div class="fields">
                {field("name", "what it is called", &form.name)}
                {choice("kind", "what it is", &kinds, &form.kind)}
            </div>
            {address(channel.as_ref())} {severities(&form)} {of_sources(&sources, &form)}
            {switch("enabled", "used", form.enabled == "yes")}
            <div class="actions">
                <button class="button primary" type="submit">
                    "Save"
                </button>
                <a class="button plain" href=links::CHANNELS>
                    "Leave it as it is"
                </a>
            </div>
        </form>
    }
    .into_any()
}

/// The field of the secret, which is never shown again.
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
            "It is a secret: whoever has it can post there. It is kept here, and its last four characters are shown."
        </p>
    }
    .into_any()
}

fn severities(form: &ChannelForm) -> AnyView {
    let boxes = Severity::ALL.map(|severity| {
        let word = severity.as_str();
        let checked = form.severities.iter().any(|one| one == word);
        view! {
            <label>
                <input type="checkbox" name="severities[]" value=word checked=checked />
                {word}
            </label>
        }
    });
    view! {
        <fieldset class="radios">
            <legend>"told of alerts that are"</legend>
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
            <legend>"about these sources; none means all"</legend>
            {boxes.collect_view()}
        </fieldset>
    }
    .into_any()
}
