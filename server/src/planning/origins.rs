//! Which letters of a plan have an origin that only the message itself claims, and how many they are.
//!
//! It is asked when the plan is made, by the last read of the brokers' queues and the lists of the sources.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, HashMap, HashSet};

use dlo_domain::ids::{LetterId, SourceId};
use dlo_domain::replay::{ClaimTally, ClaimedOrigins, ClaimedPlace, Target};
use dlo_domain::topology::{Map, Vhost};
use sqlx::PgConnection;

use crate::store::StoreError;
use crate::store::origins::{self, KnownOrigins, NamedOrigin};
use crate::store::replays::candidates::Candidate;
use crate::store::replays::plan::Planned;
use crate::store::topology::{self, Place};

/// Why a letter is left out. It names no queue: messages can name any number of them.
pub(super) const CLAIMED: &str = "only the message itself says where it died: look at the queues that such letters \
    name, then take them along with `claimed_origins`, or add the queue to the `origins` of their source";

/// What of a letter is to be known before it may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Question {
    /// Nothing: a person named where it goes.
    Nothing,
    /// The queue that it died in.
    Queue,
    /// Every queue that gets what is published to its exchange.
    Exchange,
}

/// Asks letters for their origins.
pub(super) struct OriginCheck {
    question: Question,
    /// Vhosts as they were last read, by broker and name.
    vhosts: HashMap<(String, String), Option<Vhost>>,
}

impl OriginCheck {
    /// A check of the letters that go to this target. Without a person who looked at it, a letter that goes
    /// elsewhere is asked where it came from, too.
    pub(super) fn new(target: &Target, is_automatic: bool) -> Self {
        let question = match target {
            Target::OriginExchange => Question::Exchange,
            Target::OriginQueue => Question::Queue,
            _ if is_automatic => Question::Queue,
            _ => Question::Nothing,
        };
        Self { question, vhosts: HashMap::new() }
    }

    /// Marks those of the letters whose origin only their message claims.
    ///
    /// # Errors
    /// Returns an error if a query fails or a row cannot be read.
    pub(super) async fn mark(
        &mut self,
        conn: &mut PgConnection,
        letters: &mut [Candidate],
    ) -> Result<(), StoreError> {
        match self.question {
            Question::Nothing => {}
            Question::Queue => {
                let known = origins::known_of(conn, letters.iter().map(named)).await?;
                for letter in letters {
                    letter.origin_claimed = !known.is_known(named(letter));
                }
            }
            Question::Exchange => {
                let claimed = self.claimed_by_exchange(conn, letters).await?;
                for letter in letters {
                    letter.origin_claimed = claimed.contains(&letter.id);
                }
            }
        }
        Ok(())
    }

    async fn claimed_by_exchange(
        &mut self,
        conn: &mut PgConnection,
        letters: &[Candidate],
    ) -> Result<HashSet<LetterId>, StoreError> {
        for letter in letters {
            self.read_vhost(conn, letter).await?;
        }
        let receivers = self.receivers(letters);
        let sources: BTreeSet<SourceId> = letters.iter().map(|one| one.source_id).collect();
        let queues = receivers.values().flatten().flatten();
        let queues: BTreeSet<&str> = queues.map(String::as_str).collect();
        let known = origins::known(conn, &sources, &queues).await?;
        let is_claimed = |letter: &&Candidate| {
            let there = receivers.get(&route_of(letter)).and_then(Option::as_ref);
            !known.trusts_all(letter.source_id) && !leads_to_known(&known, letter, there)
        };
        let claimed = letters.iter().filter(is_claimed);
        Ok(claimed.map(|one| one.id).collect())
    }

    async fn read_vhost(
        &mut self,
        conn: &mut PgConnection,
        letter: &Candidate,
    ) -> Result<(), StoreError> {
        let key = (letter.broker.clone(), letter.vhost.clone());
        if let Entry::Vacant(entry) = self.vhosts.entry(key) {
            let place = Place { broker: &letter.broker, vhost: &letter.vhost };
            let kept = topology::one(conn, place).await?;
            entry.insert(kept.map(|kept| kept.vhost));
        }
        Ok(())
    }

    /// The queues that get what is published to the exchanges of the letters, each way looked at once.
    fn receivers<'l>(
        &self,
        letters: &'l [Candidate],
    ) -> HashMap<Route<'l>, Option<BTreeSet<String>>> {
        let vhosts = self.vhosts.iter();
        let maps: HashMap<_, Map<'_>> =
            vhosts.filter_map(|(key, vhost)| Some((key, Map::of(vhost.as_ref()?)))).collect();
        let mut receivers = HashMap::new();
        for letter in letters {
            let map = maps.get(&(letter.broker.clone(), letter.vhost.clone()));
            receivers.entry(route_of(letter)).or_insert_with(|| receivers_of(map, letter));
        }
        receivers
    }
}

/// Where a letter was published to.
type Route<'l> = (&'l str, &'l str, Option<&'l str>, Option<&'l str>);

fn route_of(letter: &Candidate) -> Route<'_> {
    let (exchange, key) = (letter.exchange.as_deref(), letter.routing_key.as_deref());
    (&letter.broker, &letter.vhost, exchange, key)
}

fn receivers_of(map: Option<&Map<'_>>, letter: &Candidate) -> Option<BTreeSet<String>> {
    let (exchange, key) = (letter.exchange.as_deref()?, letter.routing_key.as_deref()?);
    // The default exchange leads to the queue of that name, whatever was read.
    if exchange.is_empty() {
        return Some(BTreeSet::from([key.to_owned()]));
    }
    map?.receivers(exchange, key)
}

/// Whether all queues that would get a letter are known origins of its source, and there is one.
fn leads_to_known(
    known: &KnownOrigins,
    letter: &Candidate,
    receivers: Option<&BTreeSet<String>>,
) -> bool {
    let is_known =
        |queue: &String| known.is_known(NamedOrigin { queue: Some(queue), ..named(letter) });
    receivers.is_some_and(|queues| !queues.is_empty() && queues.iter().all(is_known))
}

fn named(letter: &Candidate) -> NamedOrigin<'_> {
    NamedOrigin {
        source: letter.source_id,
        queue: letter.queue.as_deref(),
        arrived_at: letter.last_arrived_at,
    }
}

/// The letters of a plan whose origin is claimed so far.
#[derive(Debug)]
pub(super) struct PlanClaims {
    included: bool,
    by_exchange: bool,
    tally: ClaimTally,
}

impl PlanClaims {
    /// None yet. With `included` they are among the letters of the replay.
    pub(super) fn new(target: &Target, included: bool) -> Self {
        Self {
            included,
            by_exchange: matches!(target, Target::OriginExchange),
            tally: ClaimTally::default(),
        }
    }

    /// Counts those of the letters that go.
    pub(super) fn add_planned(&mut self, planned: &[Planned]) {
        let claimed = planned.iter().filter(|one| one.letter.origin_claimed);
        claimed.for_each(|one| self.add(&one.letter));
    }

    /// Counts a letter.
    pub(super) fn add(&mut self, letter: &Candidate) {
        let by_exchange = |part: &Option<String>| part.clone().filter(|_| self.by_exchange);
        self.tally.add(ClaimedPlace {
            source_id: letter.source_id,
            source: letter.source.clone(),
            queue: letter.queue.clone().filter(|_| !self.by_exchange),
            exchange: by_exchange(&letter.exchange),
            routing_key: by_exchange(&letter.routing_key),
        });
    }

    /// How many there are, and where they claim to come from; `None` if there are none.
    pub(super) fn into_claimed(self) -> Option<ClaimedOrigins> {
        self.tally.into_claimed(self.included)
    }
}
