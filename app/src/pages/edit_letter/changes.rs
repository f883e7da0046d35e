//! What an edit changes, and the button that sends it.

use dlo_domain::changing::{DraftSheet, EditSheet};
use dlo_domain::replay::Replay;
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::SendEdit;
use super::form::EditForm;
use crate::pages::body_diff::BodyDiff;
use crate::pages::out_of_date::OutOfDate;
use crate::pages::replay_warnings::ReplayWarnings;
use crate::pages::schema_note::SchemaNote;
use crate::pages::text_field::TextField;
use crate::visible::{show_line, show_lines, show_within};
use crate::wording;

/// What was written, compared with what arrived, and what sending it would do. It is a part of the form that
/// the body is written in.
#[component]
pub(super) fn Changes(
    /// What is edited.
    sheet: EditSheet,
    /// The dry run of its draft.
    dry_run: Option<Replay>,
    /// Why its draft cannot be sent any more.
    refusal: Option<String>,
    /// What stands beside the body.
    form: EditForm,
) -> impl IntoView {
    let Some(draft) = sheet.draft.clone() else {
        return ().into_any();
    };
    let size = wording::size(draft.size_bytes);
    let schema = sheet.schema.clone();
    let schema = schema.map(|check| view! { <SchemaNote check what="What would be sent" /> });
    let refusal = refusal.map(|why| view! { <p class="stop-line">{show_lines(&why)}</p> });
    let sending = dry_run.map(|plan| view! { <Sending sheet plan form /> });
    view! {
        <section class="section" aria-labelledby="changes-title">
            <header>
                <h2 id="changes-title" tabindex="-1">"What changes"</h2>
                <span class="note">{size} " are sent"</span>
            </header>
            <Differences draft />
            {schema}
            {refusal}
            {sending}
        </section>
    }
    .into_any()
}

#[component]
fn Differences(draft: DraftSheet) -> impl IntoView {
    if draft.differs {
        return view! { <BodyDiff diff=draft.diff label="What changes" /> }.into_any();
    }
    view! { <p class="note-line">"The body and its content type are as they arrived."</p> }
        .into_any()
}

/// Where it goes, the warnings, and the button: it carries the plan that it publishes.
#[component]
fn Sending(sheet: EditSheet, plan: Replay, form: EditForm) -> impl IntoView {
    let died_in = sheet.queue.clone().unwrap_or_default();
    let is_blocked = plan.total == 0 || plan.is_bound_to_fail();
    let is_unfit = sheet.schema.as_ref().is_some_and(|check| !check.fits());
    let is_warned = is_unfit || !plan.warnings.is_empty();
    let label = label(&plan, &died_in, is_warned && !is_blocked);
    let left_out = plan.left_out.iter();
    let left_out =
        left_out.map(|left| format!("It cannot be sent now: {}.", show_lines(&left.reason)));
    let left_out: Vec<_> = left_out.map(|why| view! { <p class="stop-line">{why}</p> }).collect();
    let class = if is_warned && !is_blocked { "button" } else { "button primary" };
    let token = plan.plan.map(|plan| plan.0);
    view! {
        <div class="stack tight padded">
            <TextField
                name="queue"
                value=form.queue
                label="queue; empty for the one that it died in"
                hint=show_line(&died_in)
            />
            <TextField
                name="headers"
                value=form.headers
                label="headers: -name leaves one out"
                hint="-x-delay, name=value"
                most=4_000
            />
            <SecondPerson
                is_rule=sheet.needs_approval
                is_on=!form.needs_approval.is_empty()
            />
            {left_out}
            <ReplayWarnings warnings=plan.warnings takes_offers=false />
            <OutOfDate />
            <button
                class=class
                type="submit"
                name="plan"
                value=token.unwrap_or_default()
                formaction=SendEdit::PATH
                disabled=is_blocked
                data-planned=(!is_blocked).then_some("")
            >
                {label}
            </button>
        </div>
    }
    .into_any()
}

/// What is sent, and where to.
fn label(plan: &Replay, died_in: &str, all_the_same: bool) -> String {
    let only = match &plan.destinations[..] {
        [one] => one.queue.as_deref().unwrap_or(died_in),
        _ => died_in,
    };
    let target =
        if only.is_empty() { "the queue named here".to_owned() } else { show_within(only) };
    let how = if all_the_same { " all the same" } else { "" };
    format!("Send 1 letter with this body to {target}{how}")
}

/// Whether a second person is asked: that can be chosen, where it is not the rule.
#[component]
fn SecondPerson(is_rule: bool, is_on: bool) -> impl IntoView {
    if is_rule {
        return view! {
            <p class="note-line">
                "Another person must approve it first: this office requires that whenever bodies are changed."
            </p>
        }
        .into_any();
    }
    view! {
        <label class="check">
            <input type="checkbox" name="needs_approval" value="true" checked=is_on />
            <span>"another person must approve it first"</span>
        </label>
    }
    .into_any()
}
