//! Exchanges that letters go through: those that are not there, or may not be written to, must harm no
//! letter but their own. Publishing to either closes the channel, which leaves all that is on its way
//! unknown.

use std::collections::{BTreeMap, BTreeSet};

use super::halt::Halt;
use super::lane::Line;
use super::prepare::{self, Ready};
use crate::broker::{Outgoing, Publisher};
use crate::store::replays::outcomes::Recorded;

/// What is known of exchanges through the connection in use. The first letter to one of which nothing
/// is known travels alone: when the right to write there is missing, the broker closes the channel.
#[derive(Debug, Default)]
pub(super) struct Exchanges {
    /// They took a letter.
    pub proven: BTreeSet<String>,
    /// They were not there when they were asked for.
    pub missing: BTreeSet<String>,
}

impl Exchanges {
    /// Whether letters may go there. The default exchange is always there.
    pub(super) fn takes(&self, exchange: &str) -> bool {
        exchange.is_empty() || self.proven.contains(exchange)
    }

    /// Whether nothing is known of it.
    pub(super) fn is_news(&self, exchange: &str) -> bool {
        !self.takes(exchange) && !self.missing.contains(exchange)
    }
}

/// Where messages go, beside the default exchange.
pub(super) fn exchanges_of(messages: &[Outgoing]) -> BTreeSet<String> {
    let exchanges = messages.iter().map(|message| &message.address.exchange);
    exchanges.filter(|name| !name.is_empty()).cloned().collect()
}

impl Line<'_> {
    /// Letters that have a place at the broker; those whose exchange is not there are told so.
    pub(super) async fn placed(
        &self,
        publisher: &Publisher,
        known: &mut Exchanges,
        ready: Vec<Ready>,
    ) -> Result<Vec<Ready>, Halt> {
        let (ready, mut refused) = framed(publisher, ready);
        let mut kept = Vec::with_capacity(ready.len());
        let mut asked: BTreeMap<String, bool> = BTreeMap::new();
        for one in ready {
            let exchange = &one.message.address.exchange;
            if known.takes(exchange) {
                kept.push(one);
                continue;
            }
            let is_there = match asked.get(exchange) {
                Some(is_there) => *is_there,
                // Where that may not be asked, the broker's answer to the letter tells.
                None => publisher.has_exchange(exchange).await.unwrap_or(true),
            };
            asked.insert(exchange.clone(), is_there);
            if !is_there {
                let why = format!("the broker has no exchange `{exchange}`");
                known.missing.insert(exchange.clone());
                refused.push(prepare::unroutable(one.seat, &why));
                continue;
            }
            // Where it is there again, its letters go, one alone first, when the lane starts over.
            let was_missing = known.missing.remove(exchange);
            if one.alone && !was_missing {
                kept.push(one);
            }
        }
        self.record(&refused).await?;
        Ok(kept)
    }
}

/// Letters whose properties and headers fit into a frame, as it was agreed on with the broker: one that
/// does not would end the connection, and leave all that is on its way unknown.
fn framed(publisher: &Publisher, ready: Vec<Ready>) -> (Vec<Ready>, Vec<Recorded>) {
    let most = publisher.most_header_bytes();
    let (kept, too_large): (Vec<_>, Vec<_>) =
        ready.into_iter().partition(|one| one.header_bytes <= most);
    let refused = too_large.iter().map(|one| {
        let why = format!(
            "its properties and headers have about {} bytes; the broker takes {most} (frame_max)",
            one.header_bytes
        );
        prepare::refusal(one.seat, &why)
    });
    let refused = refused.collect();
    (kept, refused)
}
