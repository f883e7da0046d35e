//! What people do with sources: one form each. What cannot be done leads back to the page, with the reason.

use dlo_domain::audit::Actor;
use dlo_domain::delivery_limit::NewAcceptedLoss;
use dlo_domain::ids::SourceId;
use dlo_domain::source::SourceMode;
use leptos::prelude::*;

use super::draft::{NamingFields, SourceDraft};
use crate::desk::desk;
use crate::error::ApiError;
use crate::request::{go_on_to, lead_back};
use crate::{api, links};

/// Watches one more queue.
///
/// # Errors
/// None: a name that no queue can have, a queue that is watched already and a desk that does not answer lead back
/// to the form with all that was written.
#[server(prefix = "/ui", endpoint = "sources/add")]
pub(crate) async fn add_source(
    vhost: String,
    queue: String,
    #[server(default)] mode: SourceMode,
    #[server(default)] name: String,
    #[server(default)] broker: String,
    #[server(default)] origins: String,
    #[server(default)] executions: NamingFields,
) -> Result<(), ApiError> {
    let draft = SourceDraft { vhost, queue, mode, name, broker, origins, executions };
    let added = async {
        desk().add_source(&Actor::local_operator(), &draft.read()?).await?;
        Ok(())
    };
    match added.await {
        Ok(()) => go_on_to(&links::told(links::SOURCES, "added")),
        Err(error) => lead_back::<AddSource>(&draft.address(), &error),
    }
    Ok(())
}

/// Stops watching a queue; its letters stay.
///
/// # Errors
/// No such source, one that the configuration names, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/remove")]
pub(crate) async fn remove_source(id: String) -> Result<(), ApiError> {
    let id: SourceId = api::id(&id, "source")?;
    desk().remove_source(&Actor::local_operator(), id).await?;
    go_on_to(&links::told(links::SOURCES, "removed"));
    Ok(())
}

/// Accepts that so many letters of a source can be lost, at the limit that was shown; empty where none was.
///
/// # Errors
/// No such source, a number that cannot be, another limit by now, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/accept-loss")]
pub(crate) async fn accept_loss(
    id: String,
    letters: String,
    #[server(default)] delivery_limit: String,
) -> Result<(), ApiError> {
    let id: SourceId = api::id(&id, "source")?;
    let number = |text: &str| {
        ApiError::invalid(format!("`{text}` is not a number of letters: write one as `1`."))
    };
    let limit = Some(delivery_limit.trim()).filter(|text| !text.is_empty());
    let limit = limit.map(|text| text.parse().map_err(|_| number(text)));
    let loss = NewAcceptedLoss {
        letters: letters.trim().parse().map_err(|_| number(&letters))?,
        delivery_limit: limit.transpose()?,
    };
    loss.check().map_err(ApiError::invalid)?;
    desk().accept_loss(&Actor::local_operator(), id, &loss).await?;
    go_on_to(&links::told(links::SOURCES, "loss-accepted"));
    Ok(())
}

/// Takes that back: nothing more is taken while the queue drops letters.
///
/// # Errors
/// No such source, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "sources/withdraw-loss")]
pub(crate) async fn withdraw_loss(id: String) -> Result<(), ApiError> {
    let id: SourceId = api::id(&id, "source")?;
    desk().withdraw_loss(&Actor::local_operator(), id).await?;
    go_on_to(&links::told(links::SOURCES, "loss-withdrawn"));
    Ok(())
}
