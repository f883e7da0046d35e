//! A model of a broker, a database and two offices, which end at any point, against which the
//! settlement is held: each message is stored once whatever happens; where the broker lost its receipts, or
//! somebody else takes messages away, none is lost, and what is doubled says so.

mod broker;
mod intake;
mod properties;

use std::collections::BTreeMap;

use broker::Broker;
use intake::{Database, Office};

/// What happens next.
#[derive(Debug, Clone, Copy)]
enum Step {
    /// An office opens a session, if it has none.
    Open(usize),
    /// The broker delivers so many messages to an office.
    Deliver(usize, usize),
    /// An office stores so many of the messages that it has.
    Store(usize, usize),
    /// An office acknowledges what it stored and consumes on, or ends at this point of it.
    Acknowledge(usize, Point),
    /// An office fences, and ends at this point of it.
    Fence(usize, Point),
    /// The session of an office ends: the process is killed, or its connection is cut.
    End(usize),
    /// The broker sees the end of a session, and gives back what it had.
    BrokerSees,
    /// The database sees the end of a session.
    DatabaseSees,
    /// The database takes an office for dead that lives.
    Suspect(usize),
    /// Somebody else does something with the queue.
    Foreign(Foreign),
}

/// What others do.
#[derive(Debug, Clone, Copy)]
enum Foreign {
    /// A consumer of theirs takes so many messages.
    Takes(usize),
    /// It gives back what it has.
    GivesBack,
    /// It acknowledges what it has.
    Keeps,
    /// So many messages outlive their time, at the head.
    Expire(usize),
    /// Somebody empties the queue.
    Purge,
    /// The broker loses the receipts that it has by now.
    LosesReceipts,
}

/// Where in a fence a session ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Point {
    Cancelled,
    Stored,
    /// The acknowledgement is on its way, and the broker reads it before it sees the end.
    Sent,
    /// It is announced, and never arrives.
    Cut,
    Acknowledged,
    Settled,
    Nowhere,
}

/// Everything.
struct World {
    broker: Broker,
    database: Database,
    offices: [Office; 2],
    /// Fences so far.
    cancels: usize,
    shuffle: u64,
}

impl World {
    /// A queue; a quorum queue `marks_more`.
    fn new(contents: &[u8], priorities: &[u8], shuffle: u64, marks_more: bool) -> Self {
        Self {
            broker: Broker::new(contents, priorities, marks_more),
            database: Database::new(contents.len()),
            offices: [Office::default(), Office::default()],
            cancels: 0,
            shuffle,
        }
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Open(office) => self.open(office),
            Step::Deliver(office, most) => {
                if let Some(session) = self.offices[office].consuming() {
                    self.broker.deliver(session, most);
                }
            }
            Step::Store(office, most) => {
                self.offices[office].store(&self.broker, &mut self.database, most);
            }
            Step::Acknowledge(office, point) => self.acknowledge(office, point),
            Step::Fence(office, point) => self.fence(office, point),
            Step::End(office) => self.end(office, None),
            Step::BrokerSees => self.broker.sees_an_end(self.shuffle),
            Step::DatabaseSees => self.database.sees_an_end(),
            Step::Suspect(office) => {
                if let Some(session) = self.offices[office].session() {
                    self.database.suspect(session);
                }
            }
            Step::Foreign(foreign) => self.broker.foreign(foreign, self.shuffle),
        }
    }

    fn open(&mut self, office: usize) {
        if self.offices[office].session().is_none() {
            self.offices[office].open(office, &mut self.database, &mut self.broker);
        }
    }

    fn end(&mut self, office: usize, acknowledged: Option<usize>) {
        if let Some(session) = self.offices[office].close() {
            self.broker.end(session, acknowledged);
            self.database.ended.push(session);
        }
    }

    fn fence(&mut self, office: usize, point: Point) {
        let Some(session) = self.offices[office].consuming() else {
            return;
        };
        self.offices[office].cancel();
        let turns = u32::try_from(self.cancels % 64).expect("fits");
        self.cancels += 1;
        let on_their_way = self.shuffle.rotate_right(turns) % 4;
        let on_their_way = usize::try_from(on_their_way).expect("fits");
        self.broker.cancel(on_their_way);
        if point == Point::Cancelled {
            return self.end(office, None);
        }
        let is_empty = self.broker.ready.is_empty();
        let held = &mut self.offices[office];
        if !held.store_all(&self.broker, &mut self.database, is_empty) {
            // It was taken for dead: it acknowledges nothing.
            return self.end(office, None);
        }
        if point == Point::Stored || !self.announce_and_acknowledge(office, session, point) {
            return self.end_if_there(office);
        }
        self.offices[office].settle(&mut self.database);
        if point == Point::Settled {
            return self.end(office, None);
        }
        self.offices[office].consume(&self.database, &self.broker);
    }

    /// Where the broker counts, what is stored is acknowledged while more comes.
    fn acknowledge(&mut self, office: usize, point: Point) {
        let Some(session) = self.offices[office].consuming() else {
            return;
        };
        if !self.broker.receipts.contains_key(&session) {
            return;
        }
        if !self.announce_and_acknowledge(office, session, point) {
            self.end_if_there(office);
        }
    }

    /// Announces that what is stored is acknowledged, and acknowledges it. Returns whether the session goes on.
    fn announce_and_acknowledge(&mut self, office: usize, session: usize, point: Point) -> bool {
        let held = &mut self.offices[office];
        let stored = held.stored();
        if !held.announce(&self.broker, &mut self.database) || point == Point::Cut {
            return false;
        }
        if point == Point::Sent {
            self.end(office, Some(stored));
            return false;
        }
        self.broker.acknowledge(session, stored);
        self.offices[office].hear_answer(&self.broker);
        point != Point::Acknowledged
    }

    fn end_if_there(&mut self, office: usize) {
        if self.offices[office].session().is_some() {
            self.end(office, None);
        }
    }

    /// Nothing ends any more, and all that ended is seen.
    fn calm(&mut self) {
        while self.broker.has_unseen_ends() || !self.database.ended.is_empty() {
            self.broker.sees_an_end(self.shuffle);
            self.database.sees_an_end();
        }
    }

    /// Both offices work on until nothing that ended is open any more and nothing is in flight.
    fn work_on(&mut self) {
        let mut since = 0;
        for round in 0..200 {
            self.calm();
            self.broker.foreign(Foreign::GivesBack, self.shuffle);
            let office = round % 2;
            self.open(office);
            let size = 1 + round % 5;
            self.step(Step::Deliver(office, size));
            self.step(Step::Store(office, 2));
            self.step(Step::Fence(office, Point::Nowhere));
            let is_done = self.broker.is_empty() && self.database.open_ends() == 0;
            since = if is_done { since + 1 } else { 0 };
            // Both have fenced since.
            if since > 2 {
                return;
            }
        }
        panic!("it never comes to an end");
    }

    /// How often each content is stored, less how often it was published.
    fn surplus(&self, contents: &[u8]) -> BTreeMap<u8, i64> {
        let mut surplus = BTreeMap::new();
        for (id, content) in contents.iter().enumerate() {
            *surplus.entry(*content).or_default() += i64::from(self.database.stored[id]) - 1;
        }
        surplus
    }
}
