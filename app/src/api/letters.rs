//! Decisions on letters.
#![expect(
    missing_docs,
    reason = "arguments of a server function become fields that have no place for a comment"
)]

use dlo_domain::ids::LetterId;
use dlo_domain::selection::Changed;
use leptos::prelude::*;

use crate::error::ApiError;

/// Puts letters away.
///
/// # Errors
/// No letters or no reason given, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/discard")]
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
#[server(prefix = "/ui", endpoint = "letters/restore")]
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
#[server(prefix = "/ui", endpoint = "letters/hold")]
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

/// After a plain form: the page it came from, with a notice in its address.
fn go_back(back: &str, what: &str, changed: &Changed) {
    let back = crate::request::safe_return(back, crate::links::LETTERS);
    let left_out: i64 = changed.left_out.iter().map(|left| left.letters).sum();
    let sign = if back.contains('?') { '&' } else { '?' };
    crate::request::go_on_to(&format!(
        "{back}{sign}notice={what}&letters={}&left_out={left_out}",
        changed.changed
    ));
}
