//! From when on is it an alert?

use dlo_domain::alert::{AlertRule, asks, lasting};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;

use super::acting::EnableAlertRule;
use super::parts::Tabs;
use crate::components::SeverityMark;
use crate::desk::desk;
use crate::links;
use crate::pages::frame::shown;
use crate::pages::outcome::Outcome;
use crate::pages::row_actions::Switch;
use crate::visible::show_line;
use crate::wording::{counted, sentence};

/// The alert rules.
#[component]
pub(crate) fn AlertRulesPage() -> impl IntoView {
    let desk = desk();
    view! {
        <Title text="Alert rules" />
        <Outcome />
        {shown(async move { desk.alert_rules().await }, |rules| view! { <List rules /> }.into_any())}
    }
    .into_any()
}

#[component]
fn List(rules: Vec<AlertRule>) -> impl IntoView {
    let off = rules.iter().filter(|rule| !rule.rule.enabled).count();
    let all = counted(i64::try_from(rules.len()).unwrap_or(i64::MAX), "rule");
    let heading = match off {
        0 => format!("{all}, evaluated every second."),
        off => format!("{all}, of which {off} are switched off."),
    };
    let rows = rules.into_iter().map(|rule| view! { <Row rule /> }).collect_view();
    view! {
        <div class="answer">
            <div>
                <h1>{heading}</h1>
                <p class="second">
                    "A figure that hovers around its limit is one alert: it ends once the figure has stayed a fifth below for some time."
                </p>
            </div>
            <div class="actions">
                <a class="button" href=links::NEW_ALERT_RULE>
                    "Add a rule"
                </a>
            </div>
        </div>
        <Tabs here=links::ALERT_RULES />
        <section class="section" aria-labelledby="rules-title">
            <header>
                <h2 id="rules-title">"Rules"</h2>
                <span class="note">"every one can be edited and switched off"</span>
            </header>
            <ul class="alerts">{rows}</ul>
        </section>
    }
    .into_any()
}

#[component]
fn Row(rule: AlertRule) -> impl IntoView {
    let AlertRule { id, rule, .. } = rule;
    let name = show_line(&rule.name);
    let severity = match rule.severity {
        Some(severity) => view! { <SeverityMark severity /> }.into_any(),
        None => view! { <span class="mark">"as its letters"</span> }.into_any(),
    };
    let again = match rule.repeat_seconds {
        0 => "told once".to_owned(),
        seconds => format!("reminds after {}", lasting(i64::from(seconds))),
    };
    let enabled = rule.enabled;
    view! {
        <li data-off=(!enabled).then_some("")>
            {severity}
            <div class="say">
                <h3>{name.clone()}</h3>
                <p class="meta">
                    <span>{sentence(&asks(&rule))}</span>
                    <span class="quiet">{again}</span>
                </p>
            </div>
            <div class="actions">
                <Switch
                    path=EnableAlertRule::PATH
                    id=id.to_string()
                    name=name.clone()
                    is_on=enabled
                />
                <a class="button" href=links::alert_rule(id) aria-label=format!("Edit {name}")>
                    "Edit"
                </a>
            </div>
        </li>
    }
    .into_any()
}
