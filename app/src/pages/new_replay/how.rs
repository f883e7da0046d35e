//! The fields that say where a replay goes, and how carefully.

use leptos::prelude::*;

use super::fields::ReplayFields;
use crate::links;
use crate::pages::text_field::TextField;

/// The targets: the word, what it is called, and what it means.
const TARGETS: [(&str, &str, &str); 5] = [
    (
        "origin_queue",
        "the queue each one died in",
        "through the default exchange: nobody else gets it",
    ),
    (
        "origin_exchange",
        "the exchange each one was published to",
        "every bound queue gets a copy, also those that had no trouble",
    ),
    ("queue", "one queue", "for this replay only"),
    ("exchange", "one exchange", "with this routing key"),
    ("worker", "another worker", "to the queue of this worker"),
];

/// Chooses where to and how; the dry run follows.
#[component]
pub(super) fn How(
    /// What the fields hold.
    fields: ReplayFields,
) -> impl IntoView {
    view! {
        <section class="section" aria-labelledby="how-title">
            <header>
                <h2 id="how-title">"Where to, and how carefully"</h2>
            </header>
            <div class="stack padded">
                <WhereTo fields=fields.clone() />
                <HowCarefully fields />
                <button class="button" type="submit">
                    "Look again"
                </button>
            </div>
        </section>
    }
    .into_any()
}

#[component]
fn WhereTo(fields: ReplayFields) -> impl IntoView {
    let chosen = match fields.mode.as_str() {
        "" if fields.queue.is_empty() => "origin_queue".to_owned(),
        "" => "queue".to_owned(),
        other => other.to_owned(),
    };
    view! {
        <fieldset class="choices">
            <legend>"Where to"</legend>
            {TARGETS
                .into_iter()
                .map(|target| view! { <TargetChoice target chosen=chosen.clone() fields=fields.clone() /> })
                .collect_view()}
        </fieldset>
    }
    .into_any()
}

#[component]
fn HowCarefully(fields: ReplayFields) -> impl IntoView {
    view! {
        <fieldset class="choices">
            <legend>"How carefully"</legend>
            <TextField name="steps" value=fields.steps label="canary: letters sent after each step" hint="1, 10, 100" />
            <div class="pair">
                <TextField name="stop_above" value=fields.stop_above label="stop above, in %" hint="5" />
                <TextField name="watch" value=fields.watch label="watch each step, in s" hint="30" />
            </div>
            <div class="pair">
                <TextField name="rate" value=fields.rate label="letters a second" hint="as fast as possible" />
                <TextField name="start" value=fields.start label="start: a time in UTC, or minutes from now" hint="now" />
            </div>
            <TextField name="headers" value=fields.headers label="headers: -name leaves one out" hint="-x-delay, name=value" most=4_000 />
            <Check name="in_order" is_on=!fields.in_order.is_empty()>
                "keep the order of arrival: one at a time, stopping at the first that does not get through"
            </Check>
            <Check name="needs_approval" is_on=!fields.needs_approval.is_empty()>
                "another person must approve it first"
            </Check>
            <Check name="keep_expiration" is_on=!fields.keep_expiration.is_empty()>
                "keep the TTL that their senders set"
            </Check>
            <Check name="open_envelopes" is_on=!fields.open_envelopes.is_empty()>
                "unwrap envelopes: send the message inside, with its own properties and headers"
            </Check>
            <Check name="ignore_loop_cap" is_on=!fields.ignore_loop_cap.is_empty()>
                "include letters that have reached the loop cap"
            </Check>
            <Check name="claimed_origins" is_on=!fields.claimed_origins.is_empty()>
                "include letters of unconfirmed origin: only they themselves say which queue they died in"
            </Check>
        </fieldset>
    }
    .into_any()
}

#[component]
fn TargetChoice(
    target: (&'static str, &'static str, &'static str),
    chosen: String,
    fields: ReplayFields,
) -> impl IntoView {
    let (word, name, meaning) = target;
    let inputs = match word {
        "queue" => {
            view! { <TextField name="queue" value=fields.queue label="queue" hint="" /> }.into_any()
        }
        "exchange" => view! {
            <div class="pair">
                <TextField name="exchange" value=fields.exchange label="exchange" hint="" />
                <TextField name="key" value=fields.key label="routing key" hint="" />
            </div>
        }
        .into_any(),
        "worker" => view! {
            <TextField name="worker" value=fields.worker label="worker" hint="" />
            <small>
                <a href=links::with_query(links::WORKERS, [("state", "fresh")])>"who is at work"</a>
            </small>
        }
        .into_any(),
        _ => ().into_any(),
    };
    view! {
        <div class="option">
            <label>
                <input type="radio" name="mode" value=word checked=word == chosen />
                <span>{name} <small>{meaning}</small></span>
            </label>
            <div class="of-option">{inputs}</div>
        </div>
    }
    .into_any()
}

#[component]
fn Check(name: &'static str, is_on: bool, children: Children) -> impl IntoView {
    view! {
        <label class="check">
            <input type="checkbox" name=name value="on" checked=is_on />
            <span>{children()}</span>
        </label>
    }
    .into_any()
}
