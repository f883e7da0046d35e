//! The database and the offices of the model: what `server/src/intake` does, without its waits.

use std::collections::BTreeMap;

use super::super::*;
use super::broker::{Broker, Message};

pub(super) fn fingerprint(content: u8) -> Fingerprint {
    Fingerprint([content; 16])
}

/// A session that is written down.
#[derive(Debug, Default)]
struct Registered {
    is_over: bool,
    /// Everything that it had is in the hands of others, or stored.
    is_cleared: bool,
}

/// What is durable.
#[derive(Debug)]
pub(super) struct Database {
    /// How often each message is stored, by who it is.
    pub(super) stored: Vec<u32>,
    /// How many letters of each content say that they may be stored twice.
    pub(super) noted: BTreeMap<u8, i64>,
    pub(super) batches: BTreeMap<usize, Vec<UnsettledBatch>>,
    sessions: BTreeMap<usize, Registered>,
    /// Ends that are not seen.
    pub(super) ended: Vec<usize>,
    opened: usize,
}

impl Database {
    pub(super) fn new(messages: usize) -> Self {
        Self {
            stored: vec![0; messages],
            noted: BTreeMap::new(),
            batches: BTreeMap::new(),
            sessions: BTreeMap::new(),
            ended: Vec::new(),
            opened: 0,
        }
    }

    pub(super) fn sees_an_end(&mut self) {
        if let Some(session) = self.ended.pop() {
            self.suspect(session);
        }
    }

    pub(super) fn suspect(&mut self, session: usize) {
        if let Some(registered) = self.sessions.get_mut(&session) {
            registered.is_over = true;
        }
    }

    pub(super) fn open_ends(&self) -> usize {
        let mut sessions = self.sessions.values();
        sessions.by_ref().filter(|one| one.is_over && !one.is_cleared).count()
    }

    /// Sessions that ended long ago: one that was taken for dead has found out, and the broker has
    /// given back what they had. That is the one thing which is assumed of time.
    fn known_ends(&self, broker: &Broker) -> Vec<usize> {
        let over = self.sessions.iter().filter(|(_, one)| one.is_over);
        let over = over.map(|(id, _)| *id);
        over.filter(|id| broker.gave_back.contains(id)).collect()
    }
}

/// A session under way.
#[derive(Debug)]
struct Session {
    id: usize,
    is_consuming: bool,
    /// Messages of what it has in flight that are stored.
    stored: usize,
    /// What the receipt says of its last acknowledgement, as far as that is not written down.
    answered: Option<i64>,
    batches: i64,
    /// Sessions that had ended long before it began to consume.
    long_over: Vec<usize>,
}

/// One office.
#[derive(Debug, Default)]
pub(super) struct Office {
    session: Option<Session>,
}

impl Office {
    pub(super) fn session(&self) -> Option<usize> {
        self.session.as_ref().map(|session| session.id)
    }

    pub(super) fn consuming(&self) -> Option<usize> {
        let session = self.session.as_ref()?;
        session.is_consuming.then_some(session.id)
    }

    pub(super) fn open(&mut self, office: usize, database: &mut Database, broker: &mut Broker) {
        database.opened += 1;
        let id = database.opened * 2 + office;
        database.sessions.insert(id, Registered::default());
        broker.receipts.insert(id, 0);
        self.session = Some(Session {
            id,
            is_consuming: true,
            stored: 0,
            answered: None,
            batches: 0,
            long_over: database.known_ends(broker),
        });
    }

    pub(super) fn close(&mut self) -> Option<usize> {
        self.session.take().map(|session| session.id)
    }

    pub(super) fn cancel(&mut self) {
        if let Some(session) = self.session.as_mut() {
            session.is_consuming = false;
        }
    }

    pub(super) fn consume(&mut self, database: &Database, broker: &Broker) {
        if let Some(session) = self.session.as_mut() {
            session.is_consuming = true;
            session.long_over = database.known_ends(broker);
        }
    }

    /// Stores a batch; nothing is acknowledged.
    pub(super) fn store(&mut self, broker: &Broker, database: &mut Database, most: usize) {
        if self.consuming().is_some() {
            self.commit(broker, database, most, false);
        }
    }

    /// Stores all that it has; unless it was taken for dead.
    pub(super) fn store_all(
        &mut self,
        broker: &Broker,
        database: &mut Database,
        is_empty: bool,
    ) -> bool {
        let id = self.session().expect("a session");
        if database.sessions.get(&id).is_none_or(|one| one.is_over) {
            return false;
        }
        self.commit(broker, database, usize::MAX, is_empty);
        true
    }

    /// Writes down that it acknowledges now; unless it was taken for dead.
    pub(super) fn announce(&mut self, broker: &Broker, database: &mut Database) -> bool {
        let id = self.session().expect("a session");
        if database.sessions.get(&id).is_none_or(|one| one.is_over) {
            return false;
        }
        self.forget_answered(database);
        let receipt = broker.receipts.get(&id).map(|carried_out| carried_out + 1);
        for batch in database.batches.entry(id).or_default() {
            if batch.acknowledgement == Acknowledgement::Withheld {
                batch.acknowledgement = Acknowledgement::Announced { receipt };
            }
        }
        true
    }

    /// How many messages of what it has in flight are stored.
    pub(super) fn stored(&self) -> usize {
        self.session.as_ref().map_or(0, |session| session.stored)
    }

    /// The broker answered that it acknowledged them; that is written down with what comes next.
    pub(super) fn hear_answer(&mut self, broker: &Broker) {
        if let Some(session) = self.session.as_mut() {
            session.stored = 0;
            session.answered = broker.receipts.get(&session.id).copied();
        }
    }

    /// Writes down that what was announced is acknowledged.
    pub(super) fn settle(&mut self, database: &mut Database) {
        if let Some(session) = self.session.as_mut() {
            session.answered = None;
            database.batches.remove(&session.id);
        }
    }

    fn forget_answered(&mut self, database: &mut Database) {
        let Some(session) = self.session.as_mut() else { return };
        let Some(answered) = session.answered.take() else { return };
        let batches = database.batches.entry(session.id).or_default();
        let is_settled = |of: Acknowledgement| of.receipt().is_some_and(|one| one <= answered);
        batches.retain(|batch| !is_settled(batch.acknowledgement));
    }

    fn commit(&mut self, broker: &Broker, database: &mut Database, most: usize, is_empty: bool) {
        let id = self.session().expect("a session");
        if !database.sessions[&id].is_over {
            self.forget_answered(database);
        }
        let session = self.session.as_mut().expect("a session");
        let in_flight = broker.in_flight.get(&session.id);
        let has: Vec<Message> = in_flight.cloned().unwrap_or_default();
        let messages: Vec<Message> = has.into_iter().skip(session.stored).take(most).collect();
        let stored = explain(session, broker, database, &messages, is_empty);
        for (message, (is_stored, is_in_doubt)) in messages.iter().zip(stored) {
            database.stored[message.id] += u32::from(!is_stored);
            *database.noted.entry(message.content).or_default() += i64::from(is_in_doubt);
        }
        session.stored += messages.len();
        session.batches += 1;
        let batch = UnsettledBatch {
            batch: session.batches,
            acknowledgement: Acknowledgement::Withheld,
            fingerprints: messages.iter().map(|m| fingerprint(m.content)).collect(),
        };
        database.batches.entry(session.id).or_default().push(batch);
    }
}

/// Which messages are stored already, and which of the others may be; writes down what that says of ended
/// sessions.
fn explain(
    session: &Session,
    broker: &Broker,
    database: &mut Database,
    messages: &[Message],
    is_empty: bool,
) -> Vec<(bool, bool)> {
    // Whose channel is gone is over: its receipt says so.
    for id in &broker.gave_back {
        database.suspect(*id);
    }
    // What a session acknowledges is not known while it has its receipt in hand: an office waits for that.
    let is_held = |id: &usize| !broker.gave_back.contains(id) && broker.receipts.contains_key(id);
    let is_unknown = |id: &usize| {
        let mut batches = database.batches.get(id).into_iter().flatten();
        is_held(id) && batches.any(|batch| batch.acknowledgement != Acknowledgement::Withheld)
    };
    let is_ended =
        |id: &&usize| database.sessions[*id].is_over && **id != session.id && !is_unknown(id);
    let ids: Vec<usize> = database.sessions.keys().filter(is_ended).copied().collect();
    let ended: Vec<EndedSession> = ids
        .iter()
        .map(|id| {
            let batches = database.batches.get(id).cloned().unwrap_or_default();
            let mut left = EndedSession { batches };
            if let Some(receipt) = broker.receipts.get(id) {
                left.learn(*receipt);
            }
            left
        })
        .collect();
    let marked = messages.iter().filter(|message| message.marked);
    let without_id =
        |message: &Message| Redelivery { content: fingerprint(message.content), has_id: false };
    let came: Vec<Redelivery> = marked.map(without_id).collect();
    let settlement = settle(&ended, &came);
    let last_marked = messages.iter().rposition(|message| message.marked);
    let mut fresh = messages.iter().enumerate();
    let is_complete = is_empty
        || fresh.any(|(place, message)| {
            !message.marked && message.priority == 0 && Some(place) > last_marked
        });
    for (id, settled) in ids.iter().zip(settlement.sessions) {
        database.batches.insert(*id, settled.left);
        if let Some(registered) = database.sessions.get_mut(id) {
            registered.is_cleared |= is_complete && session.long_over.contains(id);
        }
    }
    let mut settled = settlement.stored.into_iter().zip(settlement.in_doubt);
    let of = |message: &Message| message.marked.then(|| settled.next()).flatten();
    messages.iter().map(of).map(Option::unwrap_or_default).collect()
}
