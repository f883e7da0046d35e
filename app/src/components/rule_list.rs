//! Rules of one kind in the order of asking, and what can be done with each.

use chrono::{DateTime, Utc};
use dlo_domain::grouping::Outcome;
use dlo_domain::rule::{Rule, Verdict};
use leptos::form::ActionForm;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, SubmitEvent};

use super::{Ago, SeverityMark};
use crate::api::rules::{EnableRule, MoveRule, RemoveRule};
use crate::error::ApiError;
use crate::links;
use crate::visible::{show_line, show_name};

/// What can be done with rules that are in the book.
#[derive(Clone, Copy)]
pub(crate) struct RuleActions {
    enable: ServerAction<EnableRule>,
    step: ServerAction<MoveRule>,
    remove: ServerAction<RemoveRule>,
    /// The id of the button that was pressed last.
    pressed: StoredValue<Option<String>>,
}

impl RuleActions {
    /// The actions of a page that is being made.
    pub(crate) fn new() -> Self {
        Self {
            enable: ServerAction::new(),
            step: ServerAction::new(),
            remove: ServerAction::new(),
            pressed: StoredValue::new(None),
        }
    }

    /// Grows with every action that was answered.
    pub(crate) fn version(self) -> usize {
        self.enable.version().get() + self.step.version().get() + self.remove.version().get()
    }

    /// Why the last one was not done.
    pub(crate) fn error(self) -> Option<ApiError> {
        let error = self.enable.value().get().and_then(Result::err);
        error
            .or_else(|| self.step.value().get().and_then(Result::err))
            .or_else(|| self.remove.value().get().and_then(Result::err))
    }

    fn waits(self) -> bool {
        self.enable.pending().get() || self.step.pending().get() || self.remove.pending().get()
    }

    fn note(self, event: &SubmitEvent) {
        let pressed = event.submitter().map(|button| button.id());
        self.pressed.set_value(pressed);
    }

    /// The list is new, and rules stand in other places: the focus goes with the rule that it
    /// was on.
    pub(crate) fn put_focus_back(self) {
        Effect::new(move |_| {
            // What came before the answer may be the list as it was.
            if untrack(move || self.waits()) {
                return;
            }
            let Some(id) = self.pressed.try_update_value(Option::take).flatten() else {
                return;
            };
            // The list is not in the page yet.
            request_animation_frame(move || focus(&id));
        });
    }
}

/// Focuses the button of this id, or at an end of the list the one beside it.
fn focus(id: &str) {
    let find = |id: &str| document().get_element_by_id(id);
    let other = match id.split_once('-') {
        Some(("up", rest)) => format!("down-{rest}"),
        Some(("down", rest)) => format!("up-{rest}"),
        _ => String::new(),
    };
    let button = find(id).filter(|button| !button.has_attribute("disabled"));
    let button = button.or_else(|| find(&other));
    if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
        // One that cannot take the focus leaves it where it is.
        let _ = button.focus();
    }
}

/// The list.
#[component]
pub(crate) fn RuleList(
    /// The rules.
    rules: Vec<Rule>,
    /// When they were read.
    now: DateTime<Utc>,
    /// What can be done.
    actions: RuleActions,
) -> impl IntoView {
    let last = rules.len();
    view! {
        <ol class="rules">
            {rules
                .into_iter()
                .enumerate()
                .map(|(place, rule)| {
                    let (is_first, is_last) = (place == 0, place + 1 == last);
                    view! { <Row rule now actions is_first is_last /> }
                })
                .collect_view()}
        </ol>
    }
    .into_any()
}

#[component]
fn Row(
    rule: Rule,
    now: DateTime<Utc>,
    actions: RuleActions,
    is_first: bool,
    is_last: bool,
) -> impl IntoView {
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
                <Switch id=id.clone() name=name.clone() is_on=rule.rule.enabled actions />
                <Steps id=id.clone() name=name.clone() actions is_first is_last />
                <a class="button" href=links::rule_form(&id) aria-label=format!("Edit {name}")>
                    "Edit"
                </a>
                <Remove id name actions />
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

/// Whether the rule is asked. The word says it, the shape says it again.
#[component]
fn Switch(id: String, name: String, is_on: bool, actions: RuleActions) -> impl IntoView {
    view! {
        <ActionForm action=actions.enable on:submit=move |event| actions.note(&event)>
            <input type="hidden" name="id" value=id.clone() />
            <input type="hidden" name="enabled" value=(!is_on).to_string() />
            <button
                class="toggle"
                type="submit"
                role="switch"
                id=format!("on-{id}")
                aria-checked=is_on.to_string()
                aria-label=name
            >
                <span aria-hidden="true">{if is_on { "on" } else { "off" }}</span>
            </button>
        </ActionForm>
    }
    .into_any()
}

/// One place up, one place down.
#[component]
fn Steps(
    id: String,
    name: String,
    actions: RuleActions,
    is_first: bool,
    is_last: bool,
) -> impl IntoView {
    let rule = id.clone();
    let button = move |to: &'static str, sign: &'static str, is_end: bool| {
        view! {
            <button
                class="button"
                type="submit"
                name="to"
                value=to
                id=format!("{to}-{id}")
                aria-label=format!("Move {name} {to}")
                disabled=is_end
            >
                {sign}
            </button>
        }
    };
    view! {
        <ActionForm action=actions.step on:submit=move |event| actions.note(&event)>
            <input type="hidden" name="id" value=rule />
            <span class="steps">{button("up", "↑", is_first)} {button("down", "↓", is_last)}</span>
        </ActionForm>
    }
    .into_any()
}

/// Asks once more, and says what becomes of the letters.
#[component]
fn Remove(id: String, name: String, actions: RuleActions) -> impl IntoView {
    view! {
        <details class="more">
            <summary class="button" aria-label=format!("Delete {name}")>
                "Delete…"
            </summary>
            <ActionForm action=actions.remove attr:class="remove-rule">
                <input type="hidden" name="id" value=id />
                <p class="second">
                    "The rules below judge its letters again. To keep it for later, switch it off."
                </p>
                <button class="button" type="submit" disabled=move || actions.waits()>
                    "Delete this rule"
                </button>
            </ActionForm>
        </details>
    }
    .into_any()
}
