//! The form of a retry policy. Preview asks for the form's address, Save posts it; both are plain.

use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::SavePolicy;
use super::draft::PolicyDraft;
use crate::components::Spoken;
use crate::links;
use crate::pages::fields::{check, text};

/// All that a policy says.
#[component]
pub(super) fn PolicyFields(
    /// What stands in it.
    draft: PolicyDraft,
    /// What is wrong with it; empty when nothing is.
    error: String,
) -> impl IntoView {
    let path = format!("{}#preview", links::policy_form(&draft.id));
    let radio = {
        let chosen = draft.verdict.clone();
        move |value: &'static str, words: &'static str| {
            let checked = chosen == value;
            view! {
                <label>
                    <input type="radio" name="verdict" value=value checked=checked />
                    <span>{words}</span>
                </label>
            }
        }
    };
    let breaker = breaker(&draft);
    view! {
        <form class="rule-form" method="get" action=path>
            <input type="hidden" name="id" value=draft.id />
            <input type="hidden" name="enabled" value=draft.enabled />
            {text("name", "name: what the policy is for", draft.name, 100, true)}
            {text(
                "filter",
                "which letters: a filter; empty for all of them",
                draft.filter,
                4_000,
                false,
            )}
            <fieldset class="radios">
                <legend>"they are"</legend>
                {radio("retry", "retried by the schedule")}
                {radio("hold", "left to people")}
                {radio("discard", "discarded")}
                {check("all", "yes, discard every letter: there is no filter", &draft.all)}
            </fieldset>
            {text("delays", "wait before each try, as 10s 2m 1h", draft.delays, 200, true)}
            {text("jitter", "jitter, in percent: waits are longer or shorter by up to this", draft.jitter, 2, true)}
            {text("budget", "at most so many tries a minute", draft.budget, 7, true)}
            <fieldset class="radios">
                <legend>"hours in which it retries, UTC; empty for always"</legend>
                {text("from", "from, as 09:00", draft.from, 5, false)}
                {text("until", "until, as 17:00", draft.until, 5, false)}
                {text("days", "days, as mon tue; empty for all", draft.days, 40, false)}
            </fieldset>
            {text(
                "headers",
                "headers: -name leaves one out, name=value sets one",
                draft.headers,
                4_000,
                false,
            )}
            <fieldset class="radios">
                <legend>"envelopes of frameworks"</legend>
                {check("open_envelopes", "send what is inside", &draft.open_envelopes)}
            </fieldset>
            {breaker}
            <fieldset class="radios">
                <legend>"shadow mode"</legend>
                {check("shadow", "shadow mode: only record what it would do", &draft.shadow)}
            </fieldset>
            {(!error.is_empty())
                .then(|| view! { <p class="error-note" role="alert"><Spoken text=error /></p> })}
            <div class="actions">
                <button class="button" type="submit" name="look" value="yes">
                    "Preview"
                </button>
                <button
                    class="button primary"
                    type="submit"
                    formmethod="post"
                    formaction=SavePolicy::PATH
                >
                    "Save this policy"
                </button>
            </div>
        </form>
    }
    .into_any()
}

/// What stops it by itself.
fn breaker(draft: &PolicyDraft) -> AnyView {
    view! {
        <fieldset class="radios">
            <legend>"circuit breaker"</legend>
            {check("breaker", "stop when too many come back", &draft.breaker)}
            {text("stop_above", "when more than, in percent", draft.stop_above.clone(), 2, false)}
            {text("of_last", "of the last tries", draft.of_last.clone(), 4, false)}
            {text("watch", "came back within seconds", draft.watch.clone(), 5, false)}
            {text("pause", "and probes again after seconds", draft.pause.clone(), 6, false)}
        </fieldset>
    }
    .into_any()
}
