//! Letters: the list, one of them, its body, and the decisions on them.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use chrono::{DateTime, Utc};
use dlo_domain::arrival::Arrival;
use dlo_domain::ids::LetterId;
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::office::FilterChoices;
use dlo_domain::page::{Page, Total};
use dlo_domain::selection::Changed;
use leptos::prelude::*;
use leptos::server_fn::codec::GetUrl;
use serde::{Deserialize, Serialize};

use crate::codec::Json;
use crate::error::ApiError;

/// Letters on one page of the list.
pub const PAGE: u32 = 50;

/// A page of letters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LetterList {
    /// When it was read.
    pub now: DateTime<Utc>,
    /// The letters.
    pub page: Page<LetterSummary>,
    /// When the newest letter that matches had arrived, on whichever page it stands; the
    /// beginning of time when none matches.
    pub newest: DateTime<Utc>,
}

/// A page of letters; `filter` is the text form, `cursor` empty for the first page.
///
/// # Errors
/// A filter or cursor that cannot be read, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters", input = GetUrl, output = Json)]
pub async fn list_letters(
    #[server(default)] filter: String,
    #[server(default)] cursor: String,
) -> Result<LetterList, ApiError> {
    let filter = dlo_domain::filter::LetterFilter::parse(&filter)
        .map_err(|fault| ApiError::invalid(fault.to_string()))?;
    let after = super::cursor(&cursor)?;
    let desk = crate::desk::desk();
    let page = desk.letters(&filter, after, PAGE).await?;
    let first = match after {
        None => page.items.first().cloned(),
        Some(_) => desk.letters(&filter, None, 1).await?.items.pop(),
    };
    Ok(LetterList {
        newest: first.map_or(DateTime::UNIX_EPOCH, |letter| letter.last_arrived_at),
        page,
        now: crate::request::now(),
    })
}

/// How many letters that match arrived after a moment: what a list that was read does not show.
///
/// # Errors
/// A filter that cannot be read, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/arrived", input = GetUrl, output = Json)]
pub async fn count_arrived(
    #[server(default)] filter: String,
    after: DateTime<Utc>,
) -> Result<Total, ApiError> {
    let filter = dlo_domain::filter::LetterFilter::parse(&filter)
        .map_err(|fault| ApiError::invalid(fault.to_string()))?;
    Ok(crate::desk::desk().arrived_after(&filter, after).await?)
}

/// What the filter form offers.
///
/// # Errors
/// A desk that does not answer.
#[server(prefix = "/ui", endpoint = "filter-choices", input = GetUrl, output = Json)]
pub async fn read_choices() -> Result<FilterChoices, ApiError> {
    Ok(crate::desk::desk().filter_choices().await?)
}

/// A letter and when it was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LetterRead {
    /// When it was read.
    pub now: DateTime<Utc>,
    /// The letter. Its arrivals are without headers and properties.
    pub letter: Letter,
    /// What is told around its failure.
    pub told: Vec<String>,
    /// The trace that it belongs to.
    pub trace: Option<String>,
    /// The inside of the section about its stack trace, as it is to be shown.
    pub stack: Option<String>,
    /// The arrival whose headers and properties are shown, as far as a page has room for them.
    pub shown: Option<Arrival>,
}

/// One letter with what is known of it, and one of its arrivals; the last one when `arrival` is 0.
///
/// # Errors
/// No such letter, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letter", input = GetUrl, output = Json)]
pub async fn read_letter(
    id: String,
    #[server(default)] arrival: i32,
) -> Result<LetterRead, ApiError> {
    let desk = crate::desk::desk();
    let id = super::id(&id, "letter")?;
    let mut letter = desk.letter(id).await?;
    let last = letter.arrivals.last().map_or(1, |last| last.ordinal);
    let number = if arrival > 0 { arrival } else { last };
    let known = letter.arrivals.iter().find(|one| one.ordinal == number);
    let shown = match known {
        Some(known) if number == last || known.omitted.is_nothing() => Some(known.clone()),
        // Newer ones took the room in the letter.
        _ if (1..=last).contains(&number) => {
            let mut shown = desk.arrival(id, number).await?;
            let room = dlo_domain::letter::ARRIVALS_BUDGET;
            shown.cut_to(&mut dlo_domain::budget::ShownBudget::new(room));
            Some(shown)
        }
        _ => None,
    };
    for one in &mut letter.arrivals {
        one.headers = dlo_domain::wire::FieldTable::default();
        one.properties = dlo_domain::wire::Properties::default();
    }
    letter.deaths.clear();
    let (told, trace) = (letter.told(), letter.circumstances.traceparent.take());
    let stack = letter.stack_trace.take();
    let stack =
        stack.map(|trace| crate::documents::stack_trace(&trace, letter.omitted.stack_trace_bytes));
    Ok(LetterRead { letter, told, trace, stack, shown, now: crate::request::now() })
}

/// The body of an arrival, the last one when `arrival` is 0, from a byte on, as it is to be shown: the inside of a
/// section of the page. `view` is `tree`, `text` or `hex`; the best one when it is empty.
///
/// # Errors
/// No such letter or arrival, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "payload", input = GetUrl, output = Json)]
pub async fn read_payload(
    id: String,
    #[server(default)] arrival: i32,
    #[server(default)] view: String,
    #[server(default)] from: i64,
) -> Result<String, ApiError> {
    crate::documents::payload(&id, arrival, &view, from).await
}

/// The letters that have something in common with a letter, as they are to be shown: the inside of a section of the
/// page, empty where it has nothing that others can have in common with it.
///
/// # Errors
/// Returns an error if there is no such letter, or if the desk does not answer.
#[server(prefix = "/ui", endpoint = "letters/related", input = GetUrl, output = Json)]
pub async fn read_related(id: String) -> Result<String, ApiError> {
    let related = crate::desk::desk().related_letters(super::id(&id, "letter")?).await?;
    Ok(crate::documents::related(related))
}

/// Puts letters away.
///
/// # Errors
/// No letters or no reason given, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/discard", output = Json)]
pub async fn discard_letters(
    #[server(default)] ids: Vec<LetterId>,
    #[server(default)] filter: String,
    #[server(default)] scope: String,
    #[server(default)] reason: String,
    #[server(default)] back: String,
) -> Result<Changed, ApiError> {
    let selection = super::selection(ids, filter, &scope)?;
    let reason = reason.trim();
    if reason.is_empty() {
        return Err(ApiError::invalid(
            "Say why: the reason is kept beside the letter for whoever asks later.",
        ));
    }
    if reason.chars().count() > 500 {
        return Err(ApiError::invalid("The reason has more than 500 characters. Shorten it."));
    }
    let changed = crate::desk::desk()
        .discard(&dlo_domain::audit::Actor::local_operator(), &selection, reason)
        .await?;
    go_back(&back, "discarded", &changed);
    Ok(changed)
}

/// Takes discarded letters back.
///
/// # Errors
/// No letters given, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/restore", output = Json)]
pub async fn restore_letters(
    #[server(default)] ids: Vec<LetterId>,
    #[server(default)] filter: String,
    #[server(default)] scope: String,
    #[server(default)] back: String,
) -> Result<Changed, ApiError> {
    let selection = super::selection(ids, filter, &scope)?;
    let changed = crate::desk::desk()
        .restore(&dlo_domain::audit::Actor::local_operator(), &selection)
        .await?;
    go_back(&back, "restored", &changed);
    Ok(changed)
}

/// Holds letters that retry policies would replay: they wait for a person.
///
/// # Errors
/// No letters given, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/hold", output = Json)]
pub async fn hold_letters(
    #[server(default)] ids: Vec<LetterId>,
    #[server(default)] filter: String,
    #[server(default)] scope: String,
    #[server(default)] back: String,
) -> Result<Changed, ApiError> {
    let selection = super::selection(ids, filter, &scope)?;
    let changed =
        crate::desk::desk().hold(&dlo_domain::audit::Actor::local_operator(), &selection).await?;
    go_back(&back, "held", &changed);
    Ok(changed)
}

/// A person's word on a publish that was cut off: `verdict` is `published` or `not_published`.
///
/// # Errors
/// No such letter, a letter that is not unknown, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/decide", output = Json)]
pub async fn decide_unknown(id: String, verdict: String) -> Result<(), ApiError> {
    let was_published = match verdict.as_str() {
        "published" => true,
        "not_published" => false,
        _ => return Err(ApiError::invalid("Say `published` or `not_published`.")),
    };
    let id = super::id(&id, "letter")?;
    crate::desk::desk()
        .decide_unknown(&dlo_domain::audit::Actor::local_operator(), id, was_published)
        .await?;
    crate::request::go_on_to(&crate::links::letter(id));
    Ok(())
}

/// After a plain form: the page it came from, with a notice in its address.
#[cfg(feature = "ssr")]
fn go_back(back: &str, what: &str, changed: &Changed) {
    let back = crate::request::safe_return(back, crate::links::LETTERS);
    let left_out: i64 = changed.left_out.iter().map(|left| left.letters).sum();
    let sign = if back.contains('?') { '&' } else { '?' };
    crate::request::go_on_to(&format!(
        "{back}{sign}notice={what}&letters={}&left_out={left_out}",
        changed.changed
    ));
}
