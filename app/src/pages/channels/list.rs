//! Who is told of alerts, and do they hear it?

use chrono::{DateTime, Utc};
use dlo_domain::channel::{Channel, ChannelTest};
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::acting::{RemoveChannel, TestChannel};
use crate::components::{Ago, SeverityMark};
use crate::desk::desk;
use crate::links;
use crate::pages::alerts::Tabs;
use crate::pages::frame::{Watches, shown};
use crate::pages::outcome::Outcome;
use crate::pages::row_actions::Remove;
use crate::request::now;
use crate::visible::{show_line, show_lines};
use crate::wording::counted;

/// The channels.
#[component]
pub(crate) fn ChannelsPage() -> impl IntoView {
    let desk = desk();
    view! {
        <Title text="Channels" />
        <Watches events=&["channels"] />
        <Outcome />
        {shown(async move { desk.channels().await }, |channels| view! { <List channels /> }.into_any())}
    }
    .into_any()
}

#[component]
fn List(channels: Vec<Channel>) -> impl IntoView {
    let now = now();
    let heading = heading(&channels);
    let rows = channels.into_iter().map(|channel| view! { <Row channel now /> }).collect_view();
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
                <p class="second">
                    "A channel gets one message when an alert fires and one when it is over. If a \
                     channel is down, messages wait and are sent as one."
                </p>
            </div>
            <div class="actions">
                <a class="button" href=format!("{}/new", links::CHANNELS)>
                    "Add a channel"
                </a>
            </div>
        </div>
        <Tabs here=links::CHANNELS />
        <ul class="alerts">{rows}</ul>
    }
    .into_any()
}

fn heading(channels: &[Channel]) -> String {
    let used = channels.iter().filter(|channel| channel.enabled).count();
    let failing = channels.iter().filter(|channel| channel.failing_since.is_some()).count();
    let all = match used {
        1 => "One channel is".to_owned(),
        many => format!("{many} channels are"),
    };
    match (used, failing) {
        (0, _) => "No channels: alerts are sent nowhere.".to_owned(),
        (1, 1) => "One channel, and it accepts nothing.".to_owned(),
        (_, 0) => format!("{all} told of alerts, and nothing is refused."),
        (_, 1) => format!("{all} told of alerts; one of them takes nothing."),
        (_, many) => format!("{all} told of alerts; {many} of them take nothing."),
    }
}

#[component]
fn Row(channel: Channel, now: DateTime<Utc>) -> impl IntoView {
    let id = channel.id.to_string();
    let name = show_line(&channel.name);
    let severities = channel.route.severities.iter();
    let severities = severities.map(|severity| view! { <SeverityMark severity=*severity /> });
    let severities = severities.collect_view();
    let words: Vec<&str> = channel.route.once_a_day().map(Severity::as_str).collect();
    let digest = (!words.is_empty()).then(|| {
        let waiting = match channel.waiting_for_digest {
            0 => String::new(),
            count => format!(": {} so far", counted(count, "alert")),
        };
        let (at, words) = (channel.route.digest_at, words.join(" and "));
        view! { <span>{format!("{words} at {at} UTC in one message{waiting}")}</span> }
    });
    let sources = match channel.route.sources.len() {
        0 => "of every source".to_owned(),
        1 => "of one source".to_owned(),
        many => format!("of {many} sources"),
    };
    view! {
        <li data-off=(!channel.enabled).then_some("")>
            <span class="mark">{channel.kind.name()}</span>
            <div class="say">
                <h3>{name.clone()} " " <span class="id quiet">{show_line(&channel.address)}</span></h3>
                <p class="meta">{severities} <span>{sources}</span> {digest}</p>
                <Condition channel=channel.clone() now />
                {channel.last_test.map(|test| tested(&test, now))}
            </div>
            <div class="actions">
                <form method="post" action=TestChannel::PATH>
                    <input type="hidden" name="id" value=id.clone() />
                    <button class="button" type="submit" aria-label=format!("Test {name}")>
                        "Test"
                    </button>
                </form>
                <a class="button" href=links::channel(channel.id) aria-label=format!("Edit {name}")>
                    "Edit"
                </a>
                <Remove
                    path=RemoveChannel::PATH
                    id
                    name
                    noun="channel"
                    says="Its waiting messages are dropped. To keep it for later, switch it off."
                />
            </div>
        </li>
    }
    .into_any()
}

/// Whether it takes what it is told.
#[component]
fn Condition(channel: Channel, now: DateTime<Utc>) -> impl IntoView {
    let waits = (channel.waiting > 0).then(|| {
        view! { <span>{format!("{} for it", wait(channel.waiting))}</span> }
    });
    let state = match (channel.enabled, channel.failing_since, channel.last_sent_at) {
        (false, _, _) => view! { <span>"switched off: it gets no messages"</span> }.into_any(),
        (true, Some(since), _) => view! {
            <span class="condition" data-well="false">
                "takes nothing"
            </span>
            <span>"since " <Ago at=since now spoken=true /></span>
            {channel.last_answer.map(|answer| view! { <span class="id">{show_lines(&answer)}</span> })}
        }
        .into_any(),
        (true, None, Some(at)) => {
            view! { <span>"took a message " <Ago at now spoken=true /></span> }.into_any()
        }
        (true, None, None) => view! { <span>"nothing was sent yet"</span> }.into_any(),
    };
    view! { <p class="meta">{state} {waits}</p> }.into_any()
}

fn wait(count: i64) -> String {
    let verb = if count == 1 { "waits" } else { "wait" };
    format!("{} {verb}", counted(count, "notification"))
}

/// What came of the last test.
fn tested(test: &ChannelTest, now: DateTime<Utc>) -> AnyView {
    let came = if test.taken { "The test succeeded. Answer:" } else { "The test failed. Answer:" };
    view! {
        <p class="meta">
            <span>
                {came} " " <span class="id">{show_lines(&test.answer)}</span> ", "
                <Ago at=test.at now spoken=true />
            </span>
        </p>
    }
    .into_any()
}
