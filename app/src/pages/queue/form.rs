//! Where dead letters of a queue go: the form, and what it would do. All of it is plain: the preview
//! is asked for by address, and setting it posts what was looked at.

use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use super::acting::{LiftDeliveryLimit, SetDeadLettering, TakeBackDeadLettering};
use super::draft::DeadLetteringDraft;
use super::plan::{PlanAction, PlanSeen, PolicySeen};
use crate::components::Spoken;
use crate::links;
use crate::pages::fields::{check, text};
use crate::visible::{show_line, show_lines, show_name};

/// The form of dead-lettering.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct DeadLetteringForm {
    /// What stands in it.
    pub(super) draft: DeadLetteringDraft,
    /// Why it has no limit of deliveries; empty when it has.
    pub(super) counts_nothing: String,
    /// What is wrong, or was when it was sent.
    pub(super) error: String,
    /// The address that asks what taking it back would do; empty when nothing was set here.
    pub(super) removal: String,
    /// What would be done, when that was asked for.
    pub(super) preview: Option<PlanSeen>,
}

/// The form, with what is wrong with it or would be done.
#[component]
pub(crate) fn DeadLettering(
    /// What stands in it.
    form: DeadLetteringForm,
) -> impl IntoView {
    let DeadLetteringForm { draft, counts_nothing, error, removal, preview } = form;
    let counts = counts_nothing.is_empty();
    let limits = if counts {
        let (most, sure) = (draft.deliveries.clone(), draft.at_least_once.clone());
        view! {
            {text(
                "deliveries",
                "how often a message may come back before it dies; empty: as it is, none: not by us",
                most,
                5,
                false,
            )}
            <fieldset class="radios">
                <legend>"at least once"</legend>
                {check("at_least_once", "keep each dead letter until it is confirmed there", &sure)}
            </fieldset>
        }
        .into_any()
    } else {
        view! { <p class="second">{show_line(&counts_nothing)}</p> }.into_any()
    };
    let page = links::queue(&draft.broker, &draft.vhost, &draft.queue);
    let page = format!("{page}#preview");
    let take_back = (!removal.is_empty()).then(|| {
        view! {
            <a class="button" href=removal>
                "Take it back…"
            </a>
        }
    });
    view! {
        <form class="rule-form" method="get" action=page data-in-place="">
            <input type="hidden" name="look" value="plan" />
            {text("to", "dead letters go to the queue", draft.to.clone(), 255, true)}
            {text(
                "retention",
                "and stay there for, as 12h or 7d; empty: as it is, none: not by us",
                draft.retention.clone(),
                12,
                false,
            )} {limits}
            <div class="actions">
                <button class="button" type="submit">
                    "Preview"
                </button>
                {take_back}
            </div>
        </form>
        <div id="preview">
            {(!error.is_empty())
                .then(|| view! { <p class="error-note" role="alert"><Spoken text=error /></p> })}
            {preview.map(|seen| plan(draft, seen))}
        </div>
    }
    .into_any()
}

/// Which queue.
fn place(draft: &DeadLetteringDraft) -> AnyView {
    [
        ("broker", draft.broker.clone()),
        ("vhost", draft.vhost.clone()),
        ("queue", draft.queue.clone()),
    ]
    .map(hidden)
    .into_any()
}

fn hidden((name, value): (&'static str, String)) -> AnyView {
    view! { <input type="hidden" name=name value=value /> }.into_any()
}

/// What would be done, and the button that does it.
fn plan(draft: DeadLetteringDraft, seen: PlanSeen) -> AnyView {
    let list =
        |lines: Vec<String>| lines.into_iter().map(|line| view! { <li><Spoken text=line /></li> });
    let steps = (!seen.steps.is_empty()).then(|| {
        view! {
            <h3>"How to get there"</h3>
            <ol class="plan-steps">{seen.steps.into_iter().map(step).collect_view()}</ol>
        }
    });
    let stays = (!seen.stays.is_empty())
        .then(|| view! { <ul class="plan-refusals">{list(seen.stays).collect_view()}</ul> });
    let (action, words) = match seen.action {
        PlanAction::Set => (SetDeadLettering::PATH, "Set this"),
        PlanAction::TakeBack => (TakeBackDeadLettering::PATH, "Take it back"),
        PlanAction::Lift => (LiftDeliveryLimit::PATH, "Lift the limit"),
    };
    let go = (!seen.plan.is_empty()).then(|| {
        let fields = [
            ("to", draft.to.clone()),
            ("deliveries", draft.deliveries.clone()),
            ("retention", draft.retention.clone()),
            ("at_least_once", draft.at_least_once.clone()),
            ("plan", seen.plan),
        ];
        view! {
            <form method="post" action=action class="actions">
                {place(&draft)} {fields.map(hidden)} <button class="button primary" type="submit">
                    {words}
                </button>
            </form>
        }
    });
    view! {
        <section class="section" aria-labelledby="preview-title" data-still="">
            <header>
                <h2 id="preview-title">"Preview"</h2>
            </header>
            <p class="says-all" role="status">
                <Spoken text=seen.says />
            </p>
            <ul class="plan-refusals">{list(seen.refusals).collect_view()}</ul>
            {steps}
            {seen.policies.into_iter().map(policy).collect_view()} {stays}
            {go}
        </section>
    }
    .into_any()
}

/// A step of the way around, with the commands that do it.
fn step((says, commands): (String, Vec<String>)) -> AnyView {
    view! {
        <li>
            <Spoken text=says />
            {(!commands.is_empty()).then(|| view! { <pre>{show_lines(&commands.join("\n"))}</pre> })}
        </li>
    }
    .into_any()
}

/// A policy, line by line.
fn policy(seen: PolicySeen) -> AnyView {
    let line = |(key, before, after): (String, String, String)| {
        let is_new = before != after;
        let after = show_name(&after);
        let after = if is_new { view! { <strong>{after}</strong> }.into_any() } else { after };
        view! {
            <tr>
                <th class="id">{show_name(&key)}</th>
                <td class="id">{show_name(&before)}</td>
                <td class="id">{after}</td>
            </tr>
        }
    };
    view! {
        <p class="note-line"><Spoken text=seen.says /></p>
        <table class="ledger settings">
            <thead>
                <tr>
                    <th>"setting"</th>
                    <th>"now"</th>
                    <th>"then"</th>
                </tr>
            </thead>
            <tbody>{seen.lines.into_iter().map(line).collect_view()}</tbody>
        </table>
    }
    .into_any()
}
