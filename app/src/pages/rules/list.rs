//! Rules of one kind in the order of asking, and what can be done with each.

use chrono::{DateTime, Utc};
use dlo_domain::grouping::Outcome;
use dlo_domain::rule::{Rule, Verdict};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::{EnableRule, MoveRule, RemoveRule};
use crate::components::{Ago, SeverityMark};
use crate::links;
use crate::pages::row_actions::{Remove, Steps, Switch};
use crate::request::now;
use crate::visible::{show_line, show_name};

/// The list.
#[component]
pub(super) fn RuleList(
    /// The rules.
    rules: Vec<Rule>,
) -> impl IntoView {
    let (last, now) = (rules.len(), now());
    let rows = rules.into_iter().enumerate().map(|(place, rule)| {
        let (is_first, is_last) = (place == 0, place + 1 == last);
        view! { <Row rule now is_first is_last /> }
    });
    view! { <ol class="rules">{rows.collect_view()}</ol> }.into_any()
}

#[component]
fn Row(rule: Rule, now: DateTime<Utc>, is_first: bool, is_last: bool) -> impl IntoView {
    let id = rule.id.to_string();
    let name = show_line(&rule.rule.name);
    let letters = links::with_query(links::LETTERS, [("q", rule.rule.filter.as_str())]);
    let filter = match rule.rule.filter.as_str() {
        "" => "every letter".to_owned(),
        text => show_line(text),
    };
    view! {
        <li data-off=(!rule.rule.enabled).then_some("")>
            <span class="place">{rule.position}</span>
            <div class="say">
                <h3>{name.clone()}</h3>
                <a class="id" href=letters>
                    {filter}
                </a>
            </div>
            <div class="verdict">{verdict(&rule.rule.verdict)}</div>
            <p class="by">
                {show_name(&rule.changed_by)} ", " <Ago at=rule.changed_at now spoken=true />
            </p>
            <div class="actions">
                <Switch path=EnableRule::PATH id=id.clone() name=name.clone() is_on=rule.rule.enabled />
                <Steps path=MoveRule::PATH id=id.clone() name=name.clone() is_first is_last />
                <a class="button" href=links::rule_form(&id) aria-label=format!("Edit {name}")>
                    "Edit"
                </a>
                <Remove
                    path=RemoveRule::PATH
                    id
                    name
                    noun="rule"
                    says="The rules below judge its letters again. To keep it for later, switch it off."
                />
            </div>
        </li>
    }
    .into_any()
}

fn verdict(verdict: &Verdict) -> AnyView {
    match verdict {
        Verdict::Severity(severity) => {
            let severity = *severity;
            view! { <SeverityMark severity /> }.into_any()
        }
        Verdict::Grouping(Outcome::Key(key)) => {
            let key = show_line(key);
            view! { <span class="quiet">"one group: "</span> <code>{key}</code> }.into_any()
        }
        Verdict::Grouping(Outcome::Masks(masks)) => {
            let masks = masks.iter().map(|mask| view! { <code>{show_line(mask)}</code> " " });
            let masks = masks.collect_view();
            view! { <span class="quiet">"values: "</span> {masks} }.into_any()
        }
    }
}
