//! What people say of a letter, beside what is done with many (`api/letters.rs`).

use dlo_domain::audit::Actor;
use leptos::prelude::*;

use crate::desk::desk;
use crate::error::ApiError;
use crate::request::go_on_to;
use crate::{api, links};

/// A person's word on a publish that was cut off: `verdict` is `published` or `not_published`.
///
/// # Errors
/// No such letter, a letter that is not unknown, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "letters/decide")]
pub(crate) async fn decide_unknown(id: String, verdict: String) -> Result<(), ApiError> {
    let was_published = match verdict.as_str() {
        "published" => true,
        "not_published" => false,
        _ => return Err(ApiError::invalid("Say `published` or `not_published`.")),
    };
    let id = api::id(&id, "letter")?;
    desk().decide_unknown(&Actor::local_operator(), id, was_published).await?;
    go_on_to(&links::letter(id));
    Ok(())
}
