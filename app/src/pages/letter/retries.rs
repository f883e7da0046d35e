//! What retry policies did with a letter, and will do.

use dlo_domain::letter::Letter;
use dlo_domain::policy::{NextRetry, Obituary, Try};
use leptos::prelude::*;
use leptos::server_fn::ServerFn as _;

use crate::api::letters::HoldLetters;
use crate::components::{Instant, Spoken};
use crate::links;
use crate::pages::outcome_key::{OutcomeKey, outcome_word};
use crate::visible::show_name;

/// The next try, the tries so far, and whether the policy gave up. Nothing when no policy has had
/// to do with it.
#[component]
pub(super) fn LetterRetriesView(
    /// The letter.
    letter: Letter,
) -> impl IntoView {
    let retries = letter.retries;
    if retries == dlo_domain::policy::LetterRetries::default() {
        return ().into_any();
    }
    let id = letter.summary.id;
    let tries = retries.tries.len();
    let made = retries.tries.into_iter().map(row).collect_view();
    view! {
        <section class="section" aria-labelledby="letter-retries-title">
            <header>
                <h2 id="letter-retries-title">"Retries by policy"</h2>
                <span class="note">{tries}</span>
            </header>
            {retries.exhausted.map(|obituary| given_up(obituary, tries))}
            {retries
                .next
                .map(|next| {
                    view! {
                        {waits(next)}
                        <form method="post" action=HoldLetters::PATH>
                            <input type="hidden" name="ids[]" value=id.to_string() />
                            <input type="hidden" name="back" value=links::letter(id) />
                            <button class="button" type="submit">
                                "Hold: I will decide"
                            </button>
                        </form>
                    }
                })}
            <ul class="log">{made}</ul>
        </section>
    }
    .into_any()
}

fn given_up(obituary: Obituary, tries: usize) -> AnyView {
    let says = match i32::try_from(tries).unwrap_or(i32::MAX) {
        0 => "Exhausted without a try: its history says why. ".to_owned(),
        tries => {
            let tries = crate::wording::times(tries);
            format!("Exhausted: it was tried {tries}, and died again. ")
        }
    };
    view! {
        <p class="error-note">
            {says}
            <a href=links::policy_form(&obituary.policy_id.to_string())>{show_name(&obituary.policy)}</a>
            " gave up at " <Instant at=obituary.at /> "."
        </p>
    }
    .into_any()
}

fn waits(next: NextRetry) -> AnyView {
    let paused =
        next.is_paused.then_some(" The policy is off: nothing happens until it is switched on.");
    view! {
        <p>
            {format!("Try {} is due at ", next.number)} <Instant at=next.due_at /> " by "
            <a href=links::policy_form(&next.policy_id.to_string())>{show_name(&next.policy)}</a> "." {paused}
        </p>
    }
    .into_any()
}

fn row(one: Try) -> AnyView {
    view! {
        <li>
            <Instant at=one.taken_at />
            <span>
                <OutcomeKey outcome=one.outcome />
                <a href=links::replay(
                    one.replay_id,
                )>{format!("try {}: ", one.number)} {outcome_word(one.outcome)}</a>
                " by "
                <a href=links::policy_form(&one.policy_id.to_string())>{show_name(&one.policy)}</a>
                {one.detail.map(|detail| view! { <small class="quiet"><Spoken text=detail /></small> })}
            </span>
        </li>
    }
    .into_any()
}
