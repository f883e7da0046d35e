//! When is this an alert, how bad is it, and when is it told again?

use dlo_domain::alert::{AlertRule, Measure, Signal, Unit, asks};
use dlo_domain::ids::AlertRuleId;
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::{use_params_map, use_query_map};

use super::acting::SaveAlertRule;
use super::rule_form::AlertRuleForm;
use crate::desk::desk;
use crate::documents::fields::{choice, field, save_or_leave, switch};
use crate::documents::frame::shown;
use crate::documents::outcome::Outcome;
use crate::error::ApiError;
use crate::visible::show_line;
use crate::wording::sentence;
use crate::{api, links};

/// The rule of this id.
pub(super) async fn find(id: AlertRuleId) -> Result<AlertRule, ApiError> {
    let rules = desk().alert_rules().await?;
    let found = rules.into_iter().find(|rule| rule.id == id);
    found.ok_or_else(|| ApiError::not_found(format!("There is no alert rule {id}.")))
}

/// The form of a rule: as it is kept, or as the address says that it was written.
#[component]
pub(crate) fn AlertRulePage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let written = use_query_map().with_untracked(AlertRuleForm::of_address);
    let desk = desk();
    let read = async move {
        provide_context(desk);
        find(api::id(&id, "rule")?).await
    };
    view! {
        <Title text="Alert rule" />
        <Outcome />
        {shown(read, move |rule| view! { <Form rule written /> }.into_any())}
    }
    .into_any()
}

#[component]
fn Form(rule: AlertRule, written: Option<AlertRuleForm>) -> impl IntoView {
    let AlertRule { id, rule, .. } = rule;
    let form = written.unwrap_or_else(|| AlertRuleForm::of(&rule));
    let limit = match (&rule.signal, rule.signal.unit()) {
        (Signal::ActiveWorkers, _) => "an alert below so many",
        (_, Unit::Seconds) => "an alert after such a time",
        (_, Unit::Things | Unit::PerMinute) => "an alert above so many",
    };
    let severities = Severity::ALL.into_iter().map(|one| (one.as_str(), one.as_str()));
    let severities: Vec<_> =
        [("", "as bad as its letters")].into_iter().chain(severities).collect();
    view! {
        <div class="answer">
            <div>
                <ol class="crumbs">
                    <li>
                        <a href=links::ALERTS>"Alerts"</a>
                    </li>
                    <li>
                        <a href=links::ALERT_RULES>"Rules"</a>
                    </li>
                    <li>{show_line(&rule.name)}</li>
                </ol>
                <h1>{sentence(&asks(&rule))}</h1>
            </div>
        </div>
        <form method="post" action=SaveAlertRule::PATH class="rule-form" data-still="">
            <input type="hidden" name="id" value=id.to_string() />
            <div class="fields">
                {field("name", "what it is called", &form.name)}
                {choice("severity", "how bad it is", &severities, &form.severity)}
                {field("limit", limit, &form.limit)}
                {window(&rule.signal, &form)}
            </div>
            <div class="fields">
                {field("pending", "told when it lasts for", &form.pending)}
                {field("clearing", "over when it is back for", &form.clearing)}
                {field("repeat", "told again after (0: never)", &form.repeat)}
            </div>
            {switch("enabled", "evaluated", form.enabled == "yes")}
            {save_or_leave(links::ALERT_RULES)}
        </form>
        <p class="note-line">"Times are written as 30s, 10m, 4h or 1d."</p>
    }
    .into_any()
}

/// What else the rule asks for.
fn window(signal: &Signal, form: &AlertRuleForm) -> AnyView {
    match signal {
        Signal::DeadLetters { .. } => {
            let measures = Measure::ALL.map(|one| {
                let text = match one {
                    Measure::Count => "all of the window",
                    Measure::Rate => "a minute, the worst of the window",
                };
                (one.as_str(), text)
            });
            view! {
                {choice("measure", "counted over", &measures, &form.measure)}
                {field("window", "window", &form.window)}
            }
            .into_any()
        }
        Signal::StuckExecutions { .. } => {
            field("window", "scheduled for longer than", &form.window)
        }
        _ => ().into_any(),
    }
}
