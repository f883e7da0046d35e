//! What people do with channels: one form each.

use dlo_domain::audit::Actor;
use dlo_domain::ids::ChannelId;
use leptos::prelude::*;

use super::form::ChannelForm;
use crate::api;
use crate::desk::desk;
use crate::error::ApiError;
use crate::links;
use crate::request::{go_on_to, lead_back};

/// The id of a channel that is not there yet.
pub(super) const NEW: &str = "new";

/// Keeps a channel: a new one, or in the place of the one of this id.
///
/// # Errors
/// A channel that will not do, no such channel, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "channels/save")]
pub(crate) async fn save_channel(
    id: String,
    #[server(flatten)] form: ChannelForm,
) -> Result<(), ApiError> {
    let me = Actor::local_operator();
    let saved = async {
        let channel = form.read()?;
        if id == NEW {
            desk().add_channel(&me, &channel).await?;
        } else {
            desk().change_channel(&me, api::id(&id, "channel")?, &channel).await?;
        }
        Ok(())
    };
    match saved.await {
        Ok(()) => go_on_to(&links::told(links::CHANNELS, "channel")),
        // What was written is not lost, but for the secret.
        Err(error) => lead_back::<SaveChannel>(&form.address_of(&id), &error),
    }
    Ok(())
}

/// Removes a channel, with what waits for it.
///
/// # Errors
/// No such channel, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "channels/remove")]
pub(crate) async fn remove_channel(id: String) -> Result<(), ApiError> {
    let channel: ChannelId = api::id(&id, "channel")?;
    desk().remove_channel(&Actor::local_operator(), channel).await?;
    go_on_to(&links::told(links::CHANNELS, "channel-removed"));
    Ok(())
}

/// Posts a test. What is answered is kept with the channel.
///
/// # Errors
/// No such channel, or a desk that does not answer.
#[server(prefix = "/ui", endpoint = "channels/test")]
pub(crate) async fn test_channel(id: String) -> Result<(), ApiError> {
    let channel: ChannelId = api::id(&id, "channel")?;
    desk().test_channel(&Actor::local_operator(), channel).await?;
    go_on_to(&links::told(links::CHANNELS, "tested"));
    Ok(())
}
