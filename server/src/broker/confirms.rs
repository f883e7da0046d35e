//! The publishes of a channel that wait for their confirms, in one place: what the broker confirmed and
//! what it returned are told apart here (`ledger.rs`), by the message that was returned.
//!
//! Nothing runs by itself. Whoever waits for an answer observes the confirms of all publishes of the
//! channel, those of others and those that nobody waits for any more too: a confirm may carry any
//! publish's returned message. No publish is dropped before its confirm was observed for the same reason.

mod ledger;
#[cfg(test)]
mod tests;
mod wakes;

use std::collections::{HashMap, HashSet};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use dlo_domain::republish::{LETTER, REPLAY};
use futures_util::future::{BoxFuture, poll_fn};
use lapin::message::BasicReturnMessage;
use lapin::types::AMQPValue;
use lapin::{BasicProperties, Confirmation, ErrorKind, PublisherConfirm};
use tokio::time::{Instant, timeout_at};

use self::ledger::{Answer, CANNOT_TELL, Ledger, ReturnedMessage, Tag};
use self::wakes::Wakes;
use super::Published;

/// What a message is known by when it is returned.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum MessageKey {
    /// A letter of a replay.
    Letter { letter: Vec<u8>, replay: Vec<u8> },
    /// Any other message that has an id.
    Message(String),
}

impl MessageKey {
    /// Returns `None` if nothing tells the message from others.
    pub fn of(properties: &BasicProperties) -> Option<Self> {
        let headers = properties.headers().as_ref().map(lapin::types::FieldTable::inner);
        let mark = |name: &str| match headers?.get(name)? {
            AMQPValue::LongString(text) => Some(text.as_bytes().to_vec()),
            _ => None,
        };
        if let (Some(letter), Some(replay)) = (mark(LETTER), mark(REPLAY)) {
            return Some(Self::Letter { letter, replay });
        }
        let id = properties.message_id().as_ref()?;
        Some(Self::Message(id.as_str().to_owned()))
    }
}

/// A publish that is being handed over to lapin.
pub(super) type Handover = BoxFuture<'static, lapin::Result<PublisherConfirm>>;

enum Stage {
    /// Its bytes may not have left.
    Leaving(Handover),
    /// It left, and its confirm is awaited.
    Left(PublisherConfirm),
}

struct Publish {
    stage: Stage,
    waker: Waker,
    /// Whether an error of the channel can be about nothing else.
    is_alone: bool,
}

#[derive(Default)]
struct State {
    ledger: Ledger,
    publishes: HashMap<Tag, Publish>,
    /// What is certain, until whoever published it asks for it.
    decided: HashMap<Tag, Published>,
    /// Publishes that nobody waits for any more.
    abandoned: HashSet<Tag>,
    last_tag: Tag,
}

/// The confirms of a channel.
#[derive(Default)]
pub(super) struct Confirms {
    state: Mutex<State>,
    wakes: Arc<Wakes>,
}

impl std::fmt::Debug for Confirms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Confirms").finish_non_exhaustive()
    }
}

impl Confirms {
    /// Begins to hand a message over: lapin has queued it when this returns.
    pub fn submit(&self, key: Option<MessageKey>, handover: Handover, is_alone: bool) -> Tag {
        let mut state = self.lock();
        state.last_tag += 1;
        let tag = state.last_tag;
        let is_alone = is_alone && state.ledger.unanswered() == 0;
        state.ledger.register(tag, key);
        let publish =
            Publish { stage: Stage::Leaving(handover), waker: self.wakes.waker(tag), is_alone };
        state.publishes.insert(tag, publish);
        state.observe(tag);
        tag
    }

    /// Waits until the bytes of these messages have left, but not after the deadline.
    pub async fn until_left(&self, tags: &[Tag], deadline: Instant) {
        let mut left = 0;
        self.until(deadline, |state| {
            while let Some(tag) = tags.get(left) {
                let publish = state.publishes.get(tag);
                if publish.is_some_and(|one| matches!(one.stage, Stage::Leaving(_))) {
                    return false;
                }
                left += 1;
            }
            true
        })
        .await;
    }

    /// Waits until it is certain what came of messages, but not after the deadline.
    pub async fn until_decided(&self, tags: &[Tag], deadline: Instant) {
        let mut decided = 0;
        self.until(deadline, |state| {
            while let Some(tag) = tags.get(decided) {
                if !state.decided.contains_key(tag) {
                    return false;
                }
                decided += 1;
            }
            true
        })
        .await;
    }

    /// What came of a message, which nobody waits for after this.
    pub fn take(&self, tag: Tag) -> Published {
        let mut state = self.lock();
        if let Some(published) = state.decided.remove(&tag) {
            return published;
        }
        state.abandoned.insert(tag);
        Published::Lost(if state.ledger.is_answered(tag) {
            CANNOT_TELL.to_owned()
        } else {
            "the broker did not answer in time".to_owned()
        })
    }

    /// Observes confirms until `check` holds, but not after the deadline.
    async fn until(&self, deadline: Instant, mut check: impl FnMut(&State) -> bool) {
        let observed = poll_fn(|cx| {
            loop {
                if check(&self.observe_all()) {
                    return Poll::Ready(());
                }
                self.wakes.register(cx.waker());
                // What was completed before the registration woke nobody.
                if self.wakes.is_empty() {
                    return Poll::Pending;
                }
            }
        });
        // Whoever waits for too long takes what is there.
        let _ = timeout_at(deadline, observed).await;
    }

    /// Sweeps until nothing new is to be observed.
    fn observe_all(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        let mut has_news = false;
        loop {
            state.ledger.begin_sweep();
            let woken = self.wakes.take();
            for tag in &woken {
                has_news |= state.observe(*tag);
            }
            has_news |= state.decide(woken.is_empty());
            if woken.is_empty() {
                break;
            }
        }
        if has_news {
            // It may be what others wait for.
            self.wakes.wake_waiters();
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic in between leaves publishes undecided, and so unknown.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Looks how far a publish is. Returns whether it is further than before.
    fn observe(&mut self, tag: Tag) -> bool {
        let Some(publish) = self.publishes.get_mut(&tag) else {
            return false;
        };
        let waker = publish.waker.clone();
        let mut context = Context::from_waker(&waker);
        let mut has_left = false;
        let (answer, carried) = loop {
            match &mut publish.stage {
                Stage::Leaving(handover) => match handover.as_mut().poll(&mut context) {
                    Poll::Pending => return false,
                    Poll::Ready(Ok(confirm)) => {
                        publish.stage = Stage::Left(confirm);
                        has_left = true;
                    }
                    // Once it was handed over, some of its bytes may have left whatever is said after.
                    Poll::Ready(Err(why)) => {
                        break (Answer::Failed(Published::Lost(why.to_string())), None);
                    }
                },
                Stage::Left(confirm) => match Pin::new(confirm).poll(&mut context) {
                    Poll::Pending => return has_left,
                    Poll::Ready(confirmation) => break read(confirmation, publish.is_alone),
                },
            }
        };
        self.publishes.remove(&tag);
        self.ledger.resolve(tag, answer, carried);
        true
    }

    /// Ends a sweep. Returns whether more is certain than before.
    fn decide(&mut self, is_quiet: bool) -> bool {
        let decisions = self.ledger.end_sweep(is_quiet);
        let has_news = !decisions.is_empty();
        for decision in decisions {
            if !self.abandoned.remove(&decision.tag) {
                self.decided.insert(decision.tag, decision.published);
            }
        }
        has_news
    }
}

fn read(
    confirmation: lapin::Result<Confirmation>,
    is_alone: bool,
) -> (Answer, Option<ReturnedMessage>) {
    match confirmation {
        Ok(Confirmation::Ack(returned)) => (Answer::Acked, returned.map(read_returned)),
        Ok(Confirmation::Nack(returned)) => (Answer::Nacked, returned.map(read_returned)),
        Ok(Confirmation::NotRequested) => {
            let why = "the channel has no confirms".to_owned();
            (Answer::Failed(Published::Lost(why)), None)
        }
        Err(why) if is_alone && is_refusal(&why) => {
            let why = format!("the broker refused it: {why}");
            (Answer::Failed(Published::Refused(why)), None)
        }
        Err(why) => (Answer::Failed(Published::Lost(why.to_string())), None),
    }
}

fn read_returned(message: BasicReturnMessage) -> ReturnedMessage {
    let BasicReturnMessage { delivery, reply_code, reply_text } = message;
    ReturnedMessage {
        key: MessageKey::of(&delivery.properties),
        why: format!("the broker returned it: {reply_code} {reply_text}"),
    }
}

/// A channel error answers one publish and is raised before anything is routed: when there was
/// only one on the way, that one was refused. A connection error can come at any time.
fn is_refusal(error: &lapin::Error) -> bool {
    matches!(error.kind(), ErrorKind::ProtocolError(_)) && error.is_amqp_soft_error()
}
