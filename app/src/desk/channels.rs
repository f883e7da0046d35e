//! What is asked about channels.

use async_trait::async_trait;
use dlo_domain::audit::Actor;
use dlo_domain::channel::{Channel, ChannelKind, ChannelTest, NewChannel};
use dlo_domain::ids::ChannelId;
use serde_json::Value;

use super::DeskError;

/// The part of the port that is about channels.
#[async_trait]
pub trait ChannelDesk {
    /// Every channel, in the order of their names.
    async fn channels(&self) -> Result<Vec<Channel>, DeskError>;

    /// Adds a channel. One without an address is invalid, a name that is taken a conflict.
    async fn add_channel(&self, actor: &Actor, channel: &NewChannel) -> Result<Channel, DeskError>;

    /// Puts another in the place of a channel; its address stays where none is given.
    async fn change_channel(
        &self,
        actor: &Actor,
        id: ChannelId,
        channel: &NewChannel,
    ) -> Result<Channel, DeskError>;

    /// What a channel of a kind would be posted of the alert that was told last, or of an example where none was.
    async fn preview_message(&self, kind: ChannelKind) -> Result<Value, DeskError>;

    /// A secret that nobody knows yet, for a webhook that is about to be made.
    ///
    /// # Errors
    /// When the machine's source of randomness fails.
    fn fresh_secret(&self) -> Result<String, DeskError>;

    /// Removes a channel, with what waits for it.
    async fn remove_channel(&self, actor: &Actor, id: ChannelId) -> Result<(), DeskError>;

    /// Posts a message that says that it is a test, and tells what was answered.
    async fn test_channel(&self, actor: &Actor, id: ChannelId) -> Result<ChannelTest, DeskError>;
}
