//! Of what is nobody told, until when, and why?

use chrono::{DateTime, Utc};
use dlo_domain::alert::{AlertRule, Silence, lasting};
use dlo_domain::source::Source;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::acting::{AddSilence, EndSilence};
use super::parts::Tabs;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::pages::fields::{TIMES, choice, field};
use crate::pages::frame::shown;
use crate::pages::outcome::Outcome;
use crate::request::now;
use crate::visible::{show_line, show_lines, show_name};
use crate::wording::{absolute, counted};

/// What the page shows.
struct Silences {
    holding: Vec<Silence>,
    rules: Vec<AlertRule>,
    sources: Vec<Source>,
}

/// The silences that hold, and the form of a new one.
#[component]
pub(crate) fn SilencesPage() -> impl IntoView {
    let desk = desk();
    let read = async move {
        Ok::<_, ApiError>(Silences {
            holding: desk.silences().await?,
            rules: desk.alert_rules().await?,
            sources: desk.sources().await?,
        })
    };
    view! {
        <Title text="Silences" />
        <Outcome />
        {shown(read, |silences| view! { <List silences /> }.into_any())}
    }
    .into_any()
}

#[component]
fn List(silences: Silences) -> impl IntoView {
    let now = now();
    let Silences { holding, rules, sources } = silences;
    let heading = match holding.len() {
        0 => "No silences: every alert is sent.".to_owned(),
        many => {
            let many = i64::try_from(many).unwrap_or(i64::MAX);
            format!(
                "{} now. Silenced alerts stay in the list, but are not sent.",
                counted(many, "silence")
            )
        }
    };
    let rows = holding.into_iter().map(|silence| {
        let what = of_what(&silence, &rules, &sources);
        view! { <Row silence what now /> }
    });
    let rows = rows.collect_view();
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
            </div>
        </div>
        <Tabs here=links::SILENCES />
        <ul class="alerts">{rows}</ul>
        <New rules sources />
    }
    .into_any()
}

/// What is silenced, in words.
fn of_what(silence: &Silence, rules: &[AlertRule], sources: &[Source]) -> String {
    let scope = &silence.scope;
    let rule = scope.rule.map(|id| {
        let rule = rules.iter().find(|rule| rule.id == id);
        let name = rule.map_or_else(|| id.to_string(), |rule| show_line(&rule.rule.name));
        match scope.thing {
            Some(_) => format!("one alert of the rule “{name}”"),
            None => format!("the rule “{name}”"),
        }
    });
    let source = scope.source.map(|id| {
        let source = sources.iter().find(|source| source.id == id);
        let name = source.map_or_else(|| id.to_string(), |source| show_line(&source.name));
        format!("the source “{name}”")
    });
    let group = scope.group.map(|_| "one group".to_owned());
    let parts: Vec<String> = [rule, source, group].into_iter().flatten().collect();
    if parts.is_empty() { "every alert".to_owned() } else { parts.join(", about ") }
}

#[component]
fn Row(silence: Silence, what: String, now: DateTime<Utc>) -> impl IntoView {
    let left = lasting((silence.until - now).num_seconds());
    let group = silence.scope.group.map(|group| {
        view! { <a href=links::of_group(group)>"the group"</a> }
    });
    view! {
        <li>
            <span class="mark" title=absolute(silence.until)>
                {format!("{left} more")}
            </span>
            <div class="say">
                <h3>{crate::wording::sentence(&what)}</h3>
                <p class="meta">
                    {group} <span>{show_lines(&silence.reason)}</span>
                    <span>"by " {show_name(&silence.by)}</span>
                </p>
            </div>
            <div class="actions">
                <form method="post" action=EndSilence::PATH>
                    <input type="hidden" name="id" value=silence.id.to_string() />
                    <button class="button" type="submit">
                        "End it now"
                    </button>
                </form>
            </div>
        </li>
    }
    .into_any()
}

#[component]
fn New(rules: Vec<AlertRule>, sources: Vec<Source>) -> impl IntoView {
    let any = |text: &str| [(String::new(), text.to_owned())];
    let rules = rules.iter().map(|rule| (rule.id.to_string(), show_line(&rule.rule.name)));
    let rules: Vec<_> = any("every rule").into_iter().chain(rules).collect();
    let sources = sources.iter().map(|source| (source.id.to_string(), show_line(&source.name)));
    let sources: Vec<_> = any("every source").into_iter().chain(sources).collect();
    view! {
        <section class="section" aria-labelledby="new-title">
            <header>
                <h2 id="new-title">"Silence alerts"</h2>
                <span class="note">"one alert, or one group, is muted from its own page"</span>
            </header>
            <form method="post" action=AddSilence::PATH class="rule-form">
                <div class="fields">
                    {choice("rule", "alerts of", &rules, "")}
                    {choice("source", "about", &sources, "")} {choice("time", "for", &TIMES, "4h")}
                    {field("reason", "why, so that others know", "")}
                </div>
                <div class="actions">
                    <button class="button primary" type="submit">
                        "Silence them"
                    </button>
                </div>
            </form>
        </section>
    }
    .into_any()
}
