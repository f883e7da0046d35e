//! The form of a rule. Without a script, Preview asks for the form's address and Save posts it;
//! with one, the page stays as it is.

use dlo_domain::filter::LetterFilter;
use dlo_domain::office::FilterChoices;
use dlo_domain::severity::Severity;
use leptos::form::FromFormData as _;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;
use leptos_router::NavigateOptions;
use leptos_router::hooks::use_navigate;
use web_sys::SubmitEvent;

use super::filter_bar::{FaultPlace, FilterText, SuggestionList, Suggestions};
use super::{ErrorNote, SeverityMark};
use crate::api::rules::{RuleDraft, SaveRule};
use crate::links;

/// Name, filter and verdict of a rule.
#[component]
pub(crate) fn RuleForm(
    /// What was written of it so far.
    draft: Memo<RuleDraft>,
    /// What the filter's box offers.
    choices: Resource<FilterChoices>,
    /// Writes it into the book.
    save: ServerAction<SaveRule>,
) -> impl IntoView {
    // What was sent last: it may be refused, and is then not what the address says.
    let sent = RwSignal::new(None::<String>);
    let filter = Memo::new(move |_| sent.get().unwrap_or_else(|| draft.get().filter));
    let is_of_severity = draft.with_untracked(RuleDraft::is_of_severity);
    let (id, enabled) = draft.with_untracked(|draft| (draft.id.clone(), draft.enabled));
    let path = format!("{}#preview", links::rule_form(&id));
    let on_submit = on_submit(sent, save);
    let error = Signal::derive(move || {
        let is_readable = filter.with(|filter| LetterFilter::parse(filter).is_ok());
        save.value().get().and_then(Result::err).filter(|_| is_readable)
    });
    view! {
        <form class="rule-form" method="get" action=path on:submit=on_submit>
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
                    value=move || draft.get().name
                    prop:value=move || draft.get().name
                />
            </label>
            <FilterField filter choices />
            {if is_of_severity {
                view! { <Severities draft /> }.into_any()
            } else {
                view! { <Groupings draft /> }.into_any()
            }}
            <ErrorNote error />
            <div class="actions">
                <button class="button" type="submit" name="look" value="yes">
                    "Preview"
                </button>
                <button
                    class="button primary"
                    type="submit"
                    formmethod="post"
                    formaction=SaveRule::PATH
                    disabled=move || save.pending().get()
                >
                    "Save this rule"
                </button>
            </div>
        </form>
    }
    .into_any()
}

/// Looks or saves, as the button says that was pressed.
fn on_submit(sent: RwSignal<Option<String>>, save: ServerAction<SaveRule>) -> impl Fn(SubmitEvent) {
    let navigate = use_navigate();
    move |event| {
        // A form that cannot be read goes the way without a script.
        let Ok(form) = SaveRule::from_event(&event) else {
            return;
        };
        event.prevent_default();
        sent.set(Some(form.filter.clone()));
        let is_save = event.submitter();
        if is_save.is_some_and(|button| button.has_attribute("formaction")) {
            save.dispatch(form);
            return;
        }
        save.clear();
        let address = RuleDraft::from(form).address();
        navigate(&address, NavigateOptions { scroll: false, ..NavigateOptions::default() });
    }
}

#[component]
fn FilterField(filter: Memo<String>, choices: Resource<FilterChoices>) -> impl IntoView {
    let fault = Memo::new(move |_| filter.with(|filter| LetterFilter::parse(filter).err()));
    let suggestions = Suggestions::new(choices);
    view! {
        <div class="choice">
            <label for="q">
                <span>"which letters: a filter; empty for all of them"</span>
            </label>
            <div class="filter">
                <div class="field">
                    <FilterText
                        name="filter"
                        text=filter.into()
                        is_wrong=Signal::derive(move || fault.with(Option::is_some))
                        suggestions
                        placeholder="queue:payments.* error_class:*.Timeout*"
                    />
                </div>
                <SuggestionList suggestions />
                <div id="filter-fault" role="alert">
                    {move || {
                        fault
                            .get()
                            .map(|fault| {
                                view! {
                                    <FaultPlace fault has_place=true>
                                        " Nothing is saved until the filter can be read."
                                    </FaultPlace>
                                }
                            })
                    }}
                </div>
            </div>
        </div>
    }
    .into_any()
}

#[component]
fn Severities(draft: Memo<RuleDraft>) -> impl IntoView {
    let chosen = draft.with_untracked(|draft| draft.verdict.clone());
    let radio = |severity: Severity| {
        view! {
            <label>
                <input
                    type="radio"
                    name="verdict"
                    value=severity.as_str()
                    checked=severity.as_str() == chosen
                />
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
fn Groupings(draft: Memo<RuleDraft>) -> impl IntoView {
    let sort = draft.with_untracked(|draft| draft.sort.clone());
    let radio = |value: &'static str, words: &'static str| {
        view! {
            <label>
                <input type="radio" name="sort" value=value checked=sort == value />
                <span>{words}</span>
            </label>
        }
    };
    view! {
        <fieldset class="radios">
            <legend>"how they are told apart"</legend>
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
            <textarea
                name="verdict"
                rows="3"
                maxlength="8000"
                required
                spellcheck="false"
                prop:value=move || draft.get().verdict
            >
                {draft.with_untracked(|draft| draft.verdict.clone())}
            </textarea>
        </label>
    }
    .into_any()
}
