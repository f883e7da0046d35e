//! A few letters of the group, each with its error, the beginning of its body and its stack trace.

use chrono::{DateTime, Utc};
use dlo_domain::ids::GroupId;
use dlo_domain::letter_sample::{Excerpt, LetterSample};
use leptos::prelude::*;

use crate::components::{Ago, LongText, StateBadge};
use crate::pages::letters::told;
use crate::visible::show_lines;
use crate::{links, wording};

/// The newest letters as examples.
#[component]
pub(super) fn GroupSamples(
    /// The group.
    id: GroupId,
    /// How many letters it has.
    letters: i64,
    /// Its newest ones.
    samples: Vec<LetterSample>,
    /// When they were read.
    now: DateTime<Utc>,
) -> impl IntoView {
    let all = links::letters_within(&links::of_group(id), "");
    let shown = i64::try_from(samples.len()).unwrap_or(i64::MAX);
    let more = (letters > shown).then(|| {
        view! {
            <span class="end">
                <a href=all>{format!("All {}", wording::count(letters))}</a>
            </span>
        }
    });
    view! {
        <section class="section" aria-labelledby="samples-title">
            <header>
                <h2 id="samples-title">"Letters"</h2>
                <span class="note">{wording::counted(shown, "newest one")}</span>
                {more}
            </header>
            <ul class="samples">
                {(0..).zip(samples).map(|(at, one)| sample(at, one, now)).collect_view()}
            </ul>
        </section>
    }
    .into_any()
}

/// The first one is open: who comes to a group sees at once what fails.
fn sample(number: i32, sample: LetterSample, now: DateTime<Utc>) -> AnyView {
    let LetterSample { letter, stack_trace, body } = sample;
    view! {
        <li>
            <details open=number == 0>
                <summary>
                    <Ago at=letter.last_arrived_at now />
                    <span>{told(&letter)}</span>
                    <StateBadge state=letter.state />
                </summary>
                {letter.error_message.as_deref().map(|error| view! { <div class="message"><LongText text=error /></div> })}
                {excerpt("Payload", Some(body))}
                {excerpt("Stack trace", stack_trace)}
                <p class="note-line">
                    <a href=links::letter(letter.id)>"Open this letter"</a>
                </p>
            </details>
        </li>
    }
    .into_any()
}

fn excerpt(what: &'static str, excerpt: Option<Excerpt>) -> Option<AnyView> {
    let Excerpt { text, is_cut } = excerpt?;
    let (text, more) = match (text.is_empty(), is_cut) {
        (true, _) => ("empty".to_owned(), ""),
        (false, true) => (text, "\n…"),
        (false, false) => (text, ""),
    };
    Some(
        view! {
            <h3>{what}</h3>
            <pre class="body" tabindex="0" aria-label=what>
                {show_lines(&text)}
                {more}
            </pre>
        }
        .into_any(),
    )
}
