//! How are letters judged?

use std::time::Duration;

use dlo_domain::event::LiveEvent;
use dlo_domain::rule::Rule;
use dlo_domain::severity::Severity;
use leptos::prelude::*;
use leptos_meta::Title;

use crate::api::rules::{RuleLists, list_rules, read_judging};
use crate::components::{
    ErrorNote, ErrorPanel, Live, Notice, RuleActions, RuleList, SeverityMark, Waiting,
};
use crate::{links, wording};

/// While letters are judged again, how far that has come is asked this often.
const AGAIN: Duration = Duration::from_secs(2);

/// The rules.
#[component]
pub(crate) fn RulesPage() -> impl IntoView {
    let actions = RuleActions::new();
    let version = rules_version();
    let rules = Resource::new(move || (version.get(), actions.version()), |_| list_rules());
    view! {
        <Title text="Rules" />
        <Notice />
        <ErrorNote error=Signal::derive(move || actions.error()) />
        <div class="answer">
            <div>
                <Transition>
                    {move || Suspend::new(async move {
                        rules.await.ok().map(|lists| view! { <h1>{heading(&lists)}</h1> })
                    })}
                </Transition>
                <p class="second">
                    "Rules are asked from top to bottom, and the first that matches decides. After a change the open letters are judged again, in the background."
                </p>
                <Judging actions />
            </div>
        </div>
        <Transition fallback=Waiting>
            {move || Suspend::new(async move {
                match rules.await {
                    Ok(lists) => view! { <Lists lists actions /> }.into_any(),
                    Err(error) => view! { <ErrorPanel error /> }.into_any(),
                }
            })}
        </Transition>
    }
    .into_any()
}

/// Grows when rules have changed, or letters were judged again.
fn rules_version() -> ReadSignal<u32> {
    Live::current().version(|event| matches!(event, LiveEvent::Rules | LiveEvent::Missed))
}

#[component]
fn Lists(lists: RuleLists, actions: RuleActions) -> impl IntoView {
    let RuleLists { now, severity, grouping } = lists;
    actions.put_focus_back();
    let others = match grouping.len() {
        0 => "every letter",
        _ => "everything else",
    };
    view! {
        <p class="second">
            "Which letters are retried by themselves, and when, is said by the "
            <a href=links::RETRIES>"retry policies"</a>
            ", and how messages of Protobuf are read by the "
            <a href=links::SCHEMAS rel="external">"schemas"</a> "."
        </p>
        <section class="section" aria-labelledby="severity-title">
            <header>
                <h2 id="severity-title">"Severity"</h2>
                <span class="note">"who is woken, and what waits for the morning"</span>
            </header>
            <RuleList rules=severity now actions />
            <p class="rule-rest">
                "everything else is " <SeverityMark severity=Severity::Normal />
            </p>
            {add("severity", "Add a severity rule")}
        </section>
        <section class="section" aria-labelledby="grouping-title">
            <header>
                <h2 id="grouping-title">"Grouping"</h2>
                <span class="note">"which letters are one failure"</span>
            </header>
            <RuleList rules=grouping now actions />
            <p class="rule-rest">
                {others}
                " is grouped by its error: class, message without its values, place in the code"
            </p>
            {add("key", "Add a grouping rule")}
        </section>
    }
    .into_any()
}

fn heading(lists: &RuleLists) -> String {
    let (severity, grouping) = (&lists.severity, &lists.grouping);
    let counted = |rules: &[Rule], noun| {
        let rules = i64::try_from(rules.len()).unwrap_or(i64::MAX);
        match rules {
            0 => format!("no {noun} rule"),
            _ => wording::counted(rules, &format!("{noun} rule")),
        }
    };
    let off = severity.iter().chain(grouping);
    let off = off.filter(|rule| !rule.rule.enabled).count();
    let off = match off {
        0 => String::new(),
        1 => "; 1 of them is off".to_owned(),
        many => format!("; {many} of them are off"),
    };
    let (severity, grouping) = (counted(severity, "severity"), counted(grouping, "grouping"));
    format!("Letters are judged by {severity} and {grouping}{off}.")
}

fn add(sort: &'static str, words: &'static str) -> impl IntoView {
    let href = links::with_query(&links::rule_form(""), [("sort", sort)]);
    view! {
        <p class="add-rule">
            <a class="button" href=href>
                {words}
            </a>
        </p>
    }
}

/// A line that says how far judging again has come, while it goes on.
#[component]
fn Judging(actions: RuleActions) -> impl IntoView {
    let again = RwSignal::new(0_u32);
    let version = rules_version();
    let judging = Resource::new(
        move || (again.get(), version.get(), actions.version()),
        |_| async move { read_judging().await.unwrap_or_default() },
    );
    Effect::new(move |_| {
        if judging.get().is_some_and(|says| !says.is_empty()) {
            set_timeout(
                move || {
                    // The page may be gone by then.
                    again.try_update(|times| *times += 1);
                },
                AGAIN,
            );
        }
    });
    view! {
        <div class="judging">
            <Transition>
                {move || Suspend::new(async move {
                    let says = judging.await;
                    (!says.is_empty()).then(|| view! { <p class="second">{says}</p> })
                })}
            </Transition>
        </div>
    }
    .into_any()
}
