//! Channels: the list, its changes, and their test. Addresses are told to nobody.

use async_trait::async_trait;
use dlo_app::desk::{ChannelDesk, DeskError};
use dlo_domain::audit::Actor;
use dlo_domain::channel::{
    Channel, ChannelFault, ChannelKind, ChannelTest, MOST_CHANNELS, NewChannel, secret_of,
};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::ChannelId;
use rand::TryRngCore as _;
use rand::rngs::OsRng;
use serde_json::Value;
use sqlx::PgConnection;

use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::notifying::{self, Poster};
use crate::store::audit::{self, Note};
use crate::store::channels::{self, posting};
use crate::store::{StoreError, events, shared_time};

#[async_trait]
impl ChannelDesk for PgDesk {
    async fn channels(&self) -> Result<Vec<Channel>, DeskError> {
        let mut conn = self.connection().await?;
        Ok(channels::all(&mut conn).await?)
    }

    async fn add_channel(&self, actor: &Actor, channel: &NewChannel) -> Result<Channel, DeskError> {
        let channel = channel.checked().map_err(of_fault)?;
        let Some(address) = &channel.address else {
            return Err(of_fault(ChannelFault::Address));
        };
        if channel.kind == ChannelKind::Webhook && channel.secret.is_none() {
            return Err(of_fault(ChannelFault::Secret));
        }
        let id = ChannelId(new_id(&*self.clock));
        changing!(self, conn => {
            if channels::all(conn).await?.len() >= MOST_CHANNELS {
                return Err(DeskError::Conflict(format!(
                    "there can be at most {MOST_CHANNELS} channels: remove one first"
                )));
            }
            let now = shared_time(conn, &*self.clock).await?;
            if !channels::insert(conn, id, (&channel, address), (&actor.0, now)).await? {
                return Err(taken(&channel));
            }
            close(conn, note(self, actor, "channel.add"), &channel.name).await?;
            find(conn, id).await
        })
    }

    async fn change_channel(
        &self,
        actor: &Actor,
        id: ChannelId,
        channel: &NewChannel,
    ) -> Result<Channel, DeskError> {
        let channel = channel.checked().map_err(of_fault)?;
        changing!(self, conn => {
            let others = channels::all(conn).await?;
            if others.iter().any(|other| other.id != id && other.name == channel.name) {
                return Err(taken(&channel));
            }
            let before = others.iter().find(|other| other.id == id).map(|other| other.kind);
            let is_new_webhook = channel.kind == ChannelKind::Webhook && before != Some(channel.kind);
            if is_new_webhook && channel.secret.is_none() {
                return Err(of_fault(ChannelFault::Secret));
            }
            let now = shared_time(conn, &*self.clock).await?;
            if !channels::change(conn, id, &channel, (&actor.0, now)).await? {
                return Err(no_channel(id));
            }
            close(conn, note(self, actor, "channel.change"), &channel.name).await?;
            find(conn, id).await
        })
    }

    async fn preview_message(&self, kind: ChannelKind) -> Result<Value, DeskError> {
        let poster = self.poster()?;
        let message = poster.last_message().await?;
        Ok(notifying::payload(kind, &message))
    }

    fn fresh_secret(&self) -> Result<String, DeskError> {
        let mut bytes = [0; 32];
        OsRng.try_fill_bytes(&mut bytes).map_err(|why| DeskError::Internal(Box::new(why)))?;
        Ok(secret_of(&bytes))
    }

    async fn remove_channel(&self, actor: &Actor, id: ChannelId) -> Result<(), DeskError> {
        changing!(self, conn => {
            let now = shared_time(conn, &*self.clock).await?;
            let name = channels::remove(conn, id, now).await?.ok_or_else(|| no_channel(id))?;
            close(conn, note(self, actor, "channel.remove"), &name).await?;
            Ok(())
        })
    }

    async fn test_channel(&self, actor: &Actor, id: ChannelId) -> Result<ChannelTest, DeskError> {
        let poster = self.poster()?;
        let mut conn = self.begin().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let endpoint = posting::endpoint_of(&mut conn, id, now).await?;
        let endpoint = endpoint.ok_or_else(|| no_channel(id))?;
        let tested = Note { detail: Some(&id.to_string()), ..note(self, actor, "channel.test") };
        audit::write_office(&mut conn, tested).await?;
        conn.commit().await.map_err(StoreError::from)?;
        let message = notifying::test_message(&poster.links, now);
        let tested_as = format!("test_{}", new_id(&*self.clock).simple());
        let (taken, answer) = match poster.post(&endpoint, &message, (&tested_as, now)).await {
            Ok(()) => (true, "it was taken".to_owned()),
            Err(refusal) => (false, refusal.answer),
        };
        let mut conn = self.begin().await?;
        let at = shared_time(&mut conn, &*self.clock).await?;
        let test = ChannelTest { taken, answer, at };
        channels::tested(&mut conn, id, &test).await?;
        events::notify(&mut conn, &LiveEvent::Channels).await?;
        conn.commit().await.map_err(StoreError::from)?;
        Ok(test)
    }
}

impl PgDesk {
    fn poster(&self) -> Result<&Poster, DeskError> {
        let poster = self.poster.as_ref();
        poster.ok_or_else(|| {
            DeskError::Unavailable("nothing can be posted from this office".to_owned())
        })
    }
}

async fn find(conn: &mut PgConnection, id: ChannelId) -> Result<Channel, DeskError> {
    let all = channels::all(conn).await?;
    all.into_iter().find(|channel| channel.id == id).ok_or_else(|| no_channel(id))
}

fn no_channel(id: ChannelId) -> DeskError {
    DeskError::NotFound(format!("there is no channel {id}"))
}

fn taken(channel: &NewChannel) -> DeskError {
    DeskError::Conflict(format!(
        "another channel is called `{}`: give it another name",
        channel.name
    ))
}

async fn close(conn: &mut PgConnection, note: Note<'_>, detail: &str) -> Result<(), StoreError> {
    audit::write_office(conn, Note { detail: Some(detail), ..note }).await?;
    events::notify(conn, &LiveEvent::Channels).await
}

fn note<'a>(desk: &PgDesk, actor: &'a Actor, action: &'a str) -> Note<'a> {
    Note { at: desk.clock.now(), actor, action, detail: None, replay: None }
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
fn of_fault(fault: ChannelFault) -> DeskError {
    DeskError::Invalid(fault.to_string())
}
