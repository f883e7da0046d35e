//! When is this an alert, how bad is it, and when is it told again?

use dlo_domain::alert::{AlertRule, BuiltIn, Measure, Signal, Unit, asks};
use dlo_domain::ids::AlertRuleId;
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_meta::Title;
use leptos_router::hooks::use_params_map;

use super::acting::{RemoveAlertRule, SaveAlertRule};
use super::preview::{Preview, RulePreview};
use super::rule_form::{AGE, AlertRuleForm};
use crate::desk::desk;
use crate::error::ApiError;
use crate::pages::fields::{choice, field, save_or_leave, switch};
use crate::pages::frame::shown;
use crate::pages::head::{PageHead, above, crumbs, here};
use crate::pages::outcome::Outcome;
use crate::query::Query;
use crate::visible::show_line;
use crate::wording::sentence;
use crate::{api, links};

/// The rule of this id.
pub(super) async fn find(id: AlertRuleId) -> Result<AlertRule, ApiError> {
    let rules = desk().alert_rules().await?;
    let found = rules.into_iter().find(|rule| rule.id == id);
    found.ok_or_else(|| ApiError::not_found(format!("There is no alert rule {id}.")))
}

/// The id of a rule that is not there yet.
pub(super) const NEW: &str = "new";

/// What the page shows.
struct RuleSheet {
    /// The rule that is edited; `None` for a new one.
    rule: Option<AlertRule>,
    form: AlertRuleForm,
    /// What the form's rule would have told, or why that is not known; `None` if nobody asked.
    preview: Option<Result<RulePreview, ApiError>>,
}

/// The form of a rule: as it is kept, or as the address says that it was written.
#[component]
pub(crate) fn AlertRulePage() -> impl IntoView {
    let id = use_params_map().with_untracked(|params| params.get("id").unwrap_or_default());
    let query = Query::of_request();
    let (written, is_asked) =
        (AlertRuleForm::of_address(&query), query.get_str("preview").is_some());
    let desk = desk();
    let read = async move {
        provide_context(desk);
        let rule = if id == NEW { None } else { Some(find(api::id(&id, "rule")?).await?) };
        let kept = rule.as_ref().map(|kept| AlertRuleForm::of(&kept.rule));
        // Letters of a filter are read only when somebody asks for it.
        let is_cheap = rule.as_ref().is_some_and(|rule| is_cheap(&rule.rule.signal));
        let is_previewed = is_asked || is_cheap && written.is_none();
        let form = written.or(kept).unwrap_or_else(AlertRuleForm::usual);
        let mut found = None;
        if is_previewed {
            found = Some(preview(rule.as_ref(), &form).await);
        }
        Ok::<_, ApiError>(RuleSheet { rule, form, preview: found })
    };
    view! {
        <Title text="Alert rule" />
        <Outcome />
        {shown(read, move |sheet| view! { <Form sheet /> }.into_any())}
    }
    .into_any()
}

/// Whether the history of a figure is read from counters.
fn is_cheap(signal: &Signal) -> bool {
    match signal {
        Signal::DeadLetters { filter, .. } => filter.is_empty(),
        Signal::OldestLetter { .. } => false,
        _ => true,
    }
}

async fn preview(kept: Option<&AlertRule>, form: &AlertRuleForm) -> Result<RulePreview, ApiError> {
    let signal =
        kept.map_or_else(|| BuiltIn::DeadLetterRate.rule().signal, |kept| kept.rule.signal.clone());
    let rule = form.read(signal)?;
    let found = desk().preview_alert_rule(&rule, kept.map(|kept| kept.id)).await?;
    Ok(RulePreview { rule, found })
}

#[component]
fn Form(sheet: RuleSheet) -> impl IntoView {
    let RuleSheet { rule, form, preview } = sheet;
    let own = rule.as_ref().filter(|rule| rule.built_in.is_none()).map(|rule| rule.id);
    let id = rule.as_ref().map_or_else(|| NEW.to_owned(), |rule| rule.id.to_string());
    let page = format!("{}/{id}#preview", links::ALERT_RULES);
    let previewing = view! {
        <button
            class="button"
            type="submit"
            formmethod="get"
            formaction=page
            name="preview"
            value="yes"
        >
            "Preview on the last 7 days"
        </button>
    }
    .into_any();
    view! {
        {heading(rule.as_ref())}
        <form method="post" action=SaveAlertRule::PATH class="rule-form" data-still="">
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="written" value="yes" />
            {figure_fields(rule.as_ref(), &form)}
            <div class="fields">
                {field("pending", "notify when it lasts for", &form.pending)}
                {field("clearing", "end it when it is back for", &form.clearing)}
                {field("repeat", "remind after (0: never)", &form.repeat)}
            </div>
            {switch("enabled", "evaluated", form.enabled == "yes")}
            {save_or_leave(links::ALERT_RULES, Some(previewing))}
        </form>
        <p class="note-line">"Times are written as 30s, 10m, 4h or 1d."</p>
        {preview.map(|found| view! { <Preview found /> })}
        {own.map(removal)}
    }
    .into_any()
}

fn heading(rule: Option<&AlertRule>) -> AnyView {
    let (crumb, heading) = match rule {
        Some(rule) => (show_line(&rule.rule.name), sentence(&asks(&rule.rule))),
        None => ("New".to_owned(), "New alert rule".to_owned()),
    };
    view! {
        <PageHead
            crumbs=crumbs([above("Alerts", links::ALERTS), above("Rules", links::ALERT_RULES), here(crumb)])
            heading=heading.into_any()
        />
    }
    .into_any()
}

/// The fields of what is watched, and of the limit.
fn figure_fields(rule: Option<&AlertRule>, form: &AlertRuleForm) -> AnyView {
    let severities = Severity::ALL.into_iter().map(|one| (one.as_str(), one.as_str()));
    let severities: Vec<_> =
        [("", "as bad as its letters")].into_iter().chain(severities).collect();
    let signal = rule.map(|rule| &rule.rule.signal);
    let limit = match signal.map(|signal| (signal, signal.unit())) {
        None | Some((Signal::DeadLetters { .. } | Signal::OldestLetter { .. }, _)) => {
            "an alert above: a number, percent of a ratio, a time of an age"
        }
        Some((Signal::ActiveWorkers, _)) => "an alert below so many",
        Some((_, Unit::Seconds)) => "an alert after such a time",
        Some(_) => "an alert above so many",
    };
    let is_own = rule.is_none_or(|rule| rule.built_in.is_none());
    let letters = match signal {
        None | Some(Signal::DeadLetters { .. } | Signal::OldestLetter { .. }) => {
            Some(letter_fields(is_own, form))
        }
        _ => None,
    };
    let stuck = matches!(signal, Some(Signal::StuckExecutions { .. }))
        .then(|| field("window", "scheduled for longer than", &form.window));
    view! {
        <div class="fields">
            {field("name", "name", &form.name)}
            {choice("severity", "severity", &severities, &form.severity)}
        </div>
        {letters}
        <div class="fields">{field("limit", limit, &form.limit)} {stuck}</div>
    }
    .into_any()
}

/// The fields of which dead letters are watched, and how. A rule that every office has keeps watching arrivals.
fn letter_fields(is_own: bool, form: &AlertRuleForm) -> AnyView {
    let mut measures = vec![
        (Measure::Count.as_str(), "how many arrive in the window"),
        (Measure::Rate.as_str(), "how many arrive a minute, in the worst of the window"),
        (Measure::Ratio.as_str(), "which part of all that arrive in the window, in percent"),
    ];
    if is_own {
        measures.push((AGE, "for how long the oldest of them has waited"));
    }
    view! {
        {field("filter", "which letters, as in the list of letters; empty means all", &form.filter)}
        <div class="fields">
            {choice("measure", "what is measured", &measures, &form.measure)}
            <div class="of-window">{field("window", "window", &form.window)}</div>
        </div>
    }
    .into_any()
}

/// The button that takes a rule away.
fn removal(id: AlertRuleId) -> AnyView {
    view! {
        <details class="data">
            <summary>"Remove this rule"</summary>
            <form method="post" action=RemoveAlertRule::PATH class="asks">
                <input type="hidden" name="id" value=id.to_string() />
                <p>"It is no longer evaluated, and its open alert is closed. The history stays."</p>
                <div class="actions">
                    <button class="button danger" type="submit">
                        "Remove the rule"
                    </button>
                </div>
            </form>
        </details>
    }
    .into_any()
}
