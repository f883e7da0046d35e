//! Posts what channels are to be told. What is posted was written down with the change that it tells of, so that
//! nothing is lost however long a channel is away: it gets one message then, about all that happened meanwhile.
//!
//! One office posts to a channel at a time. What was taken by a channel is written down before anything else is
//! posted to it, however long Postgres is away in between; an office that is killed in between has it posted once
//! more, since nobody can tell then.

mod composing;
mod facts;
mod signing;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::channel::ChannelKind;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::ChannelId;
use dlo_domain::notice::{self, Message, Notice};
use dlo_domain::reading::cut;
use dlo_domain::visible_text::visible;
use futures_util::future::join_all;
use reqwest::header::HeaderMap;
use serde_json::Value;
use sqlx::PgPool;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use crate::breakdown::Comparisons;
use crate::clock::SharedClock;
use crate::duty::{Duty, Next};
use crate::outbound::{Outbound, OutboundError, PostAnswer};
use crate::store::channels::posting::{self, Batch, Endpoint, Taken};
use crate::store::{StoreError, events, shared_time};

pub use composing::Links;
pub use facts::{About, around};

/// How often is looked for something to post. An alert that begins wakes it at once.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long a channel may take to answer.
pub const POST_WITHIN: Duration = Duration::from_secs(10);

/// What allows addresses of channels that are not public.
pub const ALLOW: &str = "DLO_ALERTS_ALLOW";

/// Channels that are posted to at the same time.
const AT_ONCE: i64 = 16;

/// Slack bears one message a second. What happens soon after another is told with it.
const PAUSE: TimeDelta = TimeDelta::seconds(2);

/// The longest pause after failures: someone who mends a channel at the other side waits no longer.
const LONGEST_PAUSE: TimeDelta = TimeDelta::minutes(5);

/// The longest time that a channel may ask not to be posted to.
const LONGEST_ASKED: TimeDelta = TimeDelta::hours(1);

/// Bytes of an answer that are kept.
const MOST_ANSWER: usize = 300;

/// Posts to channels.
#[derive(Debug, Clone)]
pub struct Poster {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The office's clock.
    pub clock: SharedClock,
    /// What posts.
    pub outbound: Outbound,
    /// Where the buttons of a message lead.
    pub links: Links,
    /// What letters are compared with.
    pub comparisons: Arc<Comparisons>,
}

impl Duty for Poster {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        while !stop.is_cancelled() && self.post_some(stop).await? > 0 {}
        Ok(Next::Usual)
    }

    fn is_woken_by(&self, event: &LiveEvent) -> bool {
        *event == LiveEvent::Alerts
    }
}

impl Poster {
    /// Posts to every channel that it is time for, once. Tells to how many.
    ///
    /// # Errors
    /// Returns an error if a query fails. What was posted by then is posted again only if the office stops before it
    /// is written down.
    pub async fn post_some(&self, stop: &CancellationToken) -> Result<usize, StoreError> {
        let mut conn = self.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let taken = posting::take(&mut conn, now, AT_ONCE).await?;
        drop(conn);
        // To the end of all of them: what one channel is about to take is not cut off for the fault of another.
        let posted = join_all(taken.iter().map(|channel| self.post_to(channel, stop))).await;
        posted.into_iter().collect::<Result<Vec<()>, _>>()?;
        Ok(taken.len())
    }

    async fn post_to(&self, channel: &Taken, stop: &CancellationToken) -> Result<(), StoreError> {
        let mut conn = self.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let Batch { ids, mut notices } = posting::batch(&mut conn, channel.id, now).await?;
        drop(conn);
        // Of many each is told in a line.
        if let [notice] = &mut notices[..] {
            self.complete(notice).await?;
        }
        let posted = if notices.is_empty() {
            Ok(())
        } else {
            let message = Message { notices, list_url: self.links.list() };
            self.post(&channel.endpoint, &message, (&message_id(channel.id, &ids), now)).await
        };
        let outcome = if posted.is_ok() { "sent" } else { "failed" };
        metrics::counter!("dlo_notifications_total", "outcome" => outcome)
            .increment(ids.len().try_into().unwrap_or(u64::MAX));
        if let Err(refusal) = &posted {
            tracing::warn!(channel = %channel.id, answer = %refusal.answer, "a channel took no message; it is posted again");
        }
        loop {
            match self.write_down(channel, &ids, &posted).await {
                // Nobody else knows what came of it.
                Err(why) if why.is_passing() && !stop.is_cancelled() => sleep(LOOK_EVERY).await,
                done => return done,
            }
        }
    }

    async fn write_down(
        &self,
        channel: &Taken,
        ids: &[i64],
        posted: &Result<(), Refusal>,
    ) -> Result<(), StoreError> {
        let mut transaction = self.pool.begin().await?;
        let conn = &mut *transaction;
        let now = shared_time(conn, &*self.clock).await?;
        match posted {
            Ok(()) => posting::sent(conn, channel.id, ids, (now, now + PAUSE)).await?,
            Err(refusal) => {
                let due_at = now + refusal.pause(channel.failures);
                posting::failed(conn, channel.id, &refusal.answer, (now, due_at)).await?;
            }
        }
        events::notify(conn, &LiveEvent::Channels).await?;
        transaction.commit().await?;
        Ok(())
    }

    /// Adds what is known around an alert, and where something can be done.
    async fn complete(&self, notice: &mut Notice) -> Result<(), StoreError> {
        if !notice.change.is_end() {
            let about = About {
                rule: notice.rule,
                signal: &notice.signal,
                subject: &notice.subject,
                figure: notice.figure,
            };
            notice.facts = around(&self.pool, &self.comparisons, about, notice.at).await?;
        }
        composing::add_buttons(&self.links, notice);
        Ok(())
    }

    /// The message about the alert that was told last; about an example, where none was.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub async fn last_message(&self) -> Result<Message, StoreError> {
        let mut conn = self.pool.acquire().await?;
        let last = posting::last(&mut conn).await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        drop(conn);
        let notice = match last {
            Some(mut notice) => {
                self.complete(&mut notice).await?;
                notice
            }
            None => composing::example(now),
        };
        Ok(Message { notices: vec![notice], list_url: self.links.list() })
    }

    /// Posts a message; in a shorter form, when the first one is refused for what is in it. `known_as` is by what
    /// a webhook knows that it is told the same again, and the time.
    ///
    /// # Errors
    /// When it was not taken, with the answer.
    pub async fn post(
        &self,
        endpoint: &Endpoint,
        message: &Message,
        known_as: (&str, DateTime<Utc>),
    ) -> Result<(), Refusal> {
        let posted = self.post_once(endpoint, &payload(endpoint.kind, message), known_as).await;
        let short = match endpoint.kind {
            ChannelKind::Slack => notice::slack_shortly(message),
            ChannelKind::Teams => notice::teams_shortly(message),
            ChannelKind::Webhook => return posted,
        };
        match posted {
            Err(refusal) if refusal.is_of_content => {
                self.post_once(endpoint, &short, known_as).await
            }
            posted => posted,
        }
    }

    async fn post_once(
        &self,
        endpoint: &Endpoint,
        payload: &Value,
        (id, at): (&str, DateTime<Utc>),
    ) -> Result<(), Refusal> {
        let body = payload.to_string();
        let headers = match endpoint.kind {
            ChannelKind::Webhook => signing::headers(&endpoint.secrets, id, at, &body),
            ChannelKind::Slack | ChannelKind::Teams => HeaderMap::new(),
        };
        let address = endpoint.address.expose();
        match self.outbound.post(address, headers, body).await {
            Ok(answer) => Refusal::of(answer, address),
            Err(why) => Err(Refusal::without_answer(&why)),
        }
    }
}

/// A message as a channel of this kind is posted it.
#[must_use]
pub fn payload(kind: ChannelKind, message: &Message) -> Value {
    match kind {
        ChannelKind::Slack => notice::slack(message),
        ChannelKind::Teams => notice::teams(message),
        ChannelKind::Webhook => notice::webhook(message),
    }
}

/// By what a receiver knows a message that it was sent before.
fn message_id(channel: ChannelId, notifications: &[i64]) -> String {
    let (first, last) = (notifications.first().copied(), notifications.last().copied());
    format!("msg_{}_{}_{}", channel.0.simple(), first.unwrap_or_default(), last.unwrap_or_default())
}

/// Why a message was not taken, as far as is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The answer, or what came instead of one.
    pub answer: String,
    /// For how long the channel asks not to be posted to.
    asked: Option<TimeDelta>,
    /// It is for what is in the message.
    is_of_content: bool,
}

impl Refusal {
    /// An answer is a refusal unless it is 2xx; Slack says `ok` beside. Pages of errors often repeat the address,
    /// which is a secret.
    fn of(answer: PostAnswer, address: &str) -> Result<(), Self> {
        let PostAnswer { status, retry_after, body } = answer;
        if (200..300).contains(&status) {
            return Ok(());
        }
        let is_of_content = status == 413
            || status == 400 && (body.contains("invalid_") || body.contains("too_long"));
        let body = cut(&visible(without(body.trim(), address).trim()), MOST_ANSWER);
        let asked = retry_after.filter(|_| status == 429 || status == 503);
        let asked = asked.map(|seconds| TimeDelta::seconds(i64::from(seconds)).min(LONGEST_ASKED));
        let answer = format!("{status} {body}").trim_end().to_owned();
        Err(Self { answer, asked, is_of_content })
    }

    fn without_answer(why: &OutboundError) -> Self {
        Self { answer: why.to_string(), asked: None, is_of_content: false }
    }

    /// How long nothing is posted, after so many failures before this one.
    fn pause(&self, failures: i32) -> TimeDelta {
        let doubled = TimeDelta::seconds(1 << failures.clamp(0, 9));
        self.asked.unwrap_or_default().max(doubled.min(LONGEST_PAUSE))
    }
}

/// A text without the parts of an address that are secret: all that follows its host.
fn without(text: &str, address: &str) -> String {
    let after_host = address.split_once("://").map_or(address, |(_, rest)| rest);
    let path = after_host.find('/').map_or("", |at| &after_host[at..]);
    let mut parts: Vec<&str> =
        path.split(['/', '?', '&', '=']).filter(|part| part.len() >= 4).collect();
    parts.push(path);
    // The longest first, so that none is found within another that is gone by then.
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    let hidden = parts.into_iter().filter(|part| part.len() >= 4);
    hidden.fold(text.to_owned(), |text, part| text.replace(part, "…"))
}

/// A message that shows that a channel works.
#[must_use]
pub fn test_message(links: &Links, now: DateTime<Utc>) -> Message {
    Message { notices: vec![composing::example(now)], list_url: links.list() }
}

#[cfg(test)]
mod tests;
