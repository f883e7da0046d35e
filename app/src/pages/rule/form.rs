//! The form of a rule: Preview asks for the form's own address, and Save posts it.

use dlo_domain::filter::LetterFilter;
use dlo_domain::severity::Severity;
use dlo_islands::FilterBox;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::SaveRule;
use super::draft::RuleDraft;
use crate::components::SeverityMark;
use crate::links;
use crate::pages::filter_fault::FaultPlace;

/// Name, filter and verdict of a rule.
#[component]
pub(super) fn RuleForm(
    /// What was written of it so far.
    draft: RuleDraft,
) -> impl IntoView {
    let RuleDraft { id, sort, name, filter, verdict, enabled } = draft;
    let path = format!("{}#preview", links::rule_form(&id));
    let verdict = if sort == "severity" {
        view! { <Severities chosen=verdict /> }.into_any()
    } else {
        view! { <Groupings sort verdict /> }.into_any()
    };
    view! {
        <form class="rule-form" method="get" action=path data-in-place="">
            <input type="hidden" name="id" value=id />
            <input type="hidden" name="enabled" value=enabled.to_string() />
            <label class="choice">
                <span>"name: what the rule is for"</span>
                <input
                    type="text"
                    name="name"
                    required
                    maxlength="100"
                    autocomplete="off"
                    value=name
                />
            </label>
            <FilterField filter />
            {verdict}
            <div class="actions">
                <button class="button" type="submit" name="look" value="yes">
                    "Preview"
                </button>
                <button
                    class="button primary"
                    type="submit"
                    formmethod="post"
                    formaction=SaveRule::PATH
                >
                    "Save this rule"
                </button>
            </div>
        </form>
    }
    .into_any()
}

#[component]
fn FilterField(filter: String) -> impl IntoView {
    let fault = LetterFilter::parse(&filter).err();
    view! {
        <div class="choice">
            <label for="q">
                <span>"which letters: a filter; empty for all of them"</span>
            </label>
            <div class="filter">
                <div class="field">
                    <FilterBox
                        name="filter".to_owned()
                        text=filter
                        is_wrong=fault.is_some()
                        placeholder="queue:payments.* error_class:*.Timeout*".to_owned()
                    />
                </div>
                <FaultPlace fault has_place=true>
                    " The filter is not valid: nothing is saved."
                </FaultPlace>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Severities(chosen: String) -> impl IntoView {
    let radio = |severity: Severity| {
        let is_chosen = severity.as_str() == chosen;
        view! {
            <label>
                <input type="radio" name="verdict" value=severity.as_str() checked=is_chosen />
                <SeverityMark severity />
            </label>
        }
    };
    view! {
        <fieldset class="radios">
            <legend>"they are"</legend>
            <input type="hidden" name="sort" value="severity" />
            {Severity::ALL.map(radio).into_iter().collect_view()}
        </fieldset>
    }
    .into_any()
}

#[component]
fn Groupings(sort: String, verdict: String) -> impl IntoView {
    let radio = |value: &'static str, words: &'static str| {
        let is_chosen = sort == value;
        view! {
            <label>
                <input type="radio" name="sort" value=value checked=is_chosen />
                <span>{words}</span>
            </label>
        }
    };
    view! {
        <fieldset class="radios">
            <legend>"how they are grouped"</legend>
            {radio("key", "by a key: letters with the same key are one group")}
            {radio("masks", "by their error, with more values masked")}
        </fieldset>
        <label class="choice">
            <span class="of-key">
                "key; it may hold {error_class}, {error_message}, {frame}, {message_type}, {queue}, {exchange}, {routing_key}, {reason}"
            </span>
            <span class="of-masks">
                "regular expressions, one a line: what they match in an error message is a value"
            </span>
            <textarea name="verdict" rows="3" maxlength="8000" required spellcheck="false">
                {verdict}
            </textarea>
        </label>
    }
    .into_any()
}
