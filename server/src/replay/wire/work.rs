//! What a wire does with its letters: which of them leave, what is noted of them, and what comes back.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use dlo_domain::ids::ReplayId;
use dlo_domain::replay::Outcome;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt as _, StreamExt as _};
use sqlx::Postgres;
use sqlx::pool::PoolConnection;
use tokio::sync::mpsc;

use super::{Arrived, Order};
use crate::broker::{Published, Publisher};
use crate::replay::Engine;
use crate::replay::exchanges::exchanges_of;
use crate::replay::halt::{Halt, pauses};
use crate::replay::lane::{Line, PATIENCE, START};
use crate::replay::prepare::Ready;
use crate::replay::writing::{InFlight, Marked, recorded};
use crate::store::replays::progress::{self, Progress};
use crate::store::replays::work::Lane;

/// A batch is a quarter of what may be on its way, so that others are while one is noted.
const BATCHES: usize = 4;

enum Event {
    Noted(i32, Noted),
    Arrived(Arrived),
}

/// What came of a note, and the connection for the next one.
struct Noted {
    done: Result<bool, Halt>,
    connection: Option<PoolConnection<Postgres>>,
}

/// The letters of a lane that are marked and have no answer.
pub(super) struct Work {
    engine: Arc<Engine>,
    replay: ReplayId,
    lane: Lane,
    publisher: Publisher,
    /// So many letters may be on their way at once.
    most: usize,
    arrive: mpsc::UnboundedSender<Arrived>,
    /// At most one note, and the batches on their way.
    under_way: FuturesUnordered<BoxFuture<'static, Event>>,
    /// Notes follow each other closely, so their connection is kept.
    connection: Option<PoolConnection<Postgres>>,
    /// What is being noted as confirmed, while it is.
    noting: Option<Vec<i32>>,
    /// Marked, and not on their way, in order.
    waiting: VecDeque<Ready>,
    /// Those at later positions are not noted as sent.
    sent_through: i32,
    /// Noted as sent, and neither noted as confirmed nor written down: after a kill they are unknown.
    open: BTreeSet<i32>,
    /// Those of them that were confirmed since the last note.
    fresh: BTreeSet<i32>,
    /// Confirmed, and not written down.
    confirmed: BTreeSet<i32>,
    is_held: bool,
    done: Result<(), Halt>,
}

impl Work {
    pub(super) fn new(
        line: &Line<'_>,
        publisher: &Publisher,
        arrive: mpsc::UnboundedSender<Arrived>,
    ) -> Self {
        Self {
            engine: Arc::clone(line.engine),
            replay: line.replay,
            lane: line.lane.clone(),
            publisher: publisher.clone(),
            most: line.most_on_the_way,
            arrive,
            under_way: FuturesUnordered::new(),
            connection: None,
            noting: None,
            waiting: VecDeque::new(),
            sent_through: START,
            open: BTreeSet::new(),
            fresh: BTreeSet::new(),
            confirmed: BTreeSet::new(),
            is_held: false,
            done: Ok(()),
        }
    }

    /// Works until nobody orders more and what left has its answer.
    pub(super) async fn run(
        mut self,
        mut orders: mpsc::UnboundedReceiver<Order>,
    ) -> Result<(), Halt> {
        loop {
            self.begin();
            tokio::select! {
                Some(order) = orders.recv() => self.follow(order),
                Some(event) = self.under_way.next() => match event {
                    Event::Noted(sent_through, noted) => self.noted(sent_through, noted),
                    Event::Arrived(arrived) => self.arrived(arrived),
                },
                else => break,
            }
        }
        self.done
    }

    fn follow(&mut self, order: Order) {
        match order {
            Order::Send(marked) => self.take(marked),
            Order::Written(positions) => {
                for position in positions {
                    self.open.remove(&position);
                    self.fresh.remove(&position);
                    self.confirmed.remove(&position);
                }
            }
            Order::Hold => self.hold(),
        }
    }

    fn take(&mut self, marked: Marked) {
        if let Some(position) = marked.sent_through {
            self.sent_through = position;
            self.confirmed.clear();
            self.fresh.clear();
            self.open = marked.ready.iter().map(|one| one.seat.position).collect();
            self.open.retain(|one| *one <= position);
        }
        self.waiting.extend(marked.ready);
        if self.is_held {
            self.hold();
        }
    }

    /// Lets no more letters leave. Those that wait are still pending.
    fn hold(&mut self) {
        self.is_held = true;
        let answers = vec![Published::NotSent; self.waiting.len()];
        self.waiting.clear();
        self.tell(Arrived { exchanges: BTreeSet::new(), answers, recorded: Vec::new() });
    }

    fn tell(&self, arrived: Arrived) {
        // Nobody listens when the work is given up: then this ends too.
        let _ = self.arrive.send(arrived);
    }

    /// Begins what may be done now.
    fn begin(&mut self) {
        let most = self.most;
        let of_a_batch = most.div_ceil(BATCHES);
        loop {
            let batch = self.next_batch(of_a_batch);
            if batch.is_empty() {
                break;
            }
            self.depart(batch);
        }
        let room = (most + self.fresh.len()).saturating_sub(self.open.len());
        // Worth a note where a batch fits in, or all that waits.
        let is_worth_it = room > 0 && room >= of_a_batch.min(self.waiting.len());
        if self.noting.is_none() && !self.waiting.is_empty() && is_worth_it {
            self.note(room);
        }
    }

    /// The next letters that are noted as sent. One that is to travel alone does.
    fn next_batch(&mut self, most: usize) -> Vec<Ready> {
        let mut batch: Vec<Ready> = Vec::new();
        while let Some(next) = self.waiting.front() {
            let has_room = batch.len() < most && next.seat.position <= self.sent_through;
            let is_alone = next.alone || batch.first().is_some_and(|first| first.alone);
            if !has_room || is_alone && !batch.is_empty() {
                break;
            }
            batch.extend(self.waiting.pop_front());
        }
        batch
    }

    fn depart(&mut self, batch: Vec<Ready>) {
        let (messages, in_flight): (Vec<_>, Vec<InFlight>) =
            batch.into_iter().map(Ready::depart).unzip();
        let (publisher, exchanges) = (self.publisher.clone(), exchanges_of(&messages));
        let travel = async move {
            let answers = publisher.publish(messages, PATIENCE).await;
            let recorded = recorded(in_flight, &answers);
            Event::Arrived(Arrived { exchanges, answers, recorded })
        };
        self.under_way.push(travel.boxed());
    }

    /// Notes what was confirmed, and so many more letters as sent.
    fn note(&mut self, letters: usize) {
        self.noting = Some(std::mem::take(&mut self.fresh).into_iter().collect());
        let next = self.waiting.iter().take(letters).map(|one| one.seat.position);
        self.open.extend(next);
        let sent_through = self.open.last().copied().unwrap_or(self.sent_through);
        let confirmed = self.confirmed.iter().copied().collect();
        let progress = Progress { sent_through, confirmed };
        let (engine, replay, lane) = (Arc::clone(&self.engine), self.replay, self.lane.clone());
        let connection = self.connection.take();
        let noting = async move {
            let noted = engine.note((replay, &lane), connection, &progress).await;
            Event::Noted(sent_through, noted)
        };
        self.under_way.push(noting.boxed());
    }

    fn noted(&mut self, sent_through: i32, noted: Noted) {
        let confirmed = self.noting.take().unwrap_or_default();
        self.connection = noted.connection;
        match noted.done {
            Ok(true) => {
                self.sent_through = sent_through;
                for position in confirmed {
                    self.open.remove(&position);
                }
            }
            // It is to be marked anew, if it is ours.
            Ok(false) => self.hold(),
            Err(halt) => {
                self.done = Err(halt);
                self.hold();
            }
        }
    }

    fn arrived(&mut self, arrived: Arrived) {
        for one in arrived.recorded.iter().filter(|one| one.outcome == Outcome::Confirmed) {
            self.confirmed.insert(one.seat.position);
            self.fresh.insert(one.seat.position);
        }
        let has_losses = arrived.has_losses();
        self.tell(arrived);
        if has_losses {
            self.hold();
        }
    }
}

impl Engine {
    async fn note(
        &self,
        (replay, lane): (ReplayId, &Lane),
        mut held: Option<PoolConnection<Postgres>>,
        progress: &Progress,
    ) -> Noted {
        let (pool, me) = (&self.pool, self.office_id);
        let mut pauses = pauses();
        loop {
            let noting = async {
                let mut conn = match held.take() {
                    Some(conn) => conn,
                    None => pool.acquire().await?,
                };
                let is_noted = progress::note(&mut conn, replay, me, lane, progress).await?;
                Ok((is_noted, conn))
            };
            let noted = self.again(noting.await, &mut pauses).await;
            match noted {
                // Where the others have none left, they need it more.
                Some(Ok((is_noted, conn))) => {
                    let connection = (pool.num_idle() > 0).then_some(conn);
                    return Noted { done: Ok(is_noted), connection };
                }
                Some(Err(halt)) => return Noted { done: Err(halt), connection: None },
                None => {}
            }
        }
    }
}
