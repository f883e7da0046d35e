//! The search for letters whose publish is unknown, in the queues that they were sent to.

use std::collections::BTreeMap;

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::delivery_limit::Evidence;
use dlo_domain::ids::ReplayId;
use dlo_domain::replay::{LetterSearch, MOST_SEARCHED, SearchedQueue, search_refusal};
use dlo_domain::topology::Vhost;
use dlo_domain::wire::FieldValue;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::{PgDesk, changing, replays};
use crate::broker::{self, BrokerError, Inlet, Link, Taken};
use crate::store::audit::{self, Note};
use crate::store::replays::unknowns::{self, FoundMessage, UnknownAt};
use crate::store::topology::Place;
use crate::topology::read_now;

/// Queues that are searched at once.
const MOST_QUEUES: usize = 20;
/// Bytes of bodies that are taken into hand of one queue, at most.
const MOST_BYTES: usize = 64 * 1024 * 1024;

/// Looks for the unknown letters of a replay, or tells where it would look.
pub(super) async fn search(
    desk: &PgDesk,
    actor: &Actor,
    id: ReplayId,
    dry_run: bool,
) -> Result<LetterSearch, DeskError> {
    replays::one(desk, id).await?;
    let mut conn = desk.connection().await?;
    let sent = unknowns::unknown_at(&mut conn, id).await?;
    drop(conn);
    let mut search = LetterSearch {
        dry_run,
        unknown: sent.iter().map(|at| at.letters).sum(),
        ..LetterSearch::default()
    };
    // Half of the time that the answer has; the rest is for writing it down.
    let latest = Instant::now() + desk.patience.answer / 2;
    let mut vhosts = Vhosts::default();
    let to_queues = sent.iter().filter_map(|at| Some((at, at.queue.clone()?)));
    for (at, queue) in to_queues.take(MOST_QUEUES) {
        let mut queue = SearchedQueue {
            broker: at.broker.clone(),
            vhost: at.vhost.clone(),
            queue,
            unknown: at.letters,
            ..SearchedQueue::default()
        };
        let vhost = vhosts.read(desk, at).await;
        let found = look_into((desk, vhost), id, &mut queue, (dry_run, latest)).await;
        if !dry_run {
            queue.found = confirm(desk, (actor, id), at, &queue, &found).await?;
            search.found += queue.found;
        }
        search.queues.push(queue);
    }
    let named: i64 = search.queues.iter().map(|queue| queue.unknown).sum();
    search.elsewhere = search.unknown - named;
    Ok(search)
}

/// Vhosts as they are now, each read once; nothing where no management API tells.
#[derive(Default)]
struct Vhosts(BTreeMap<(String, String), Option<Vhost>>);

impl Vhosts {
    async fn read(&mut self, desk: &PgDesk, at: &UnknownAt) -> Option<&Vhost> {
        let place = (at.broker.clone(), at.vhost.clone());
        if !self.0.contains_key(&place) {
            let asked = Place { broker: &at.broker, vhost: &at.vhost };
            let reading = read_now(&desk.brokers, asked);
            let read = tokio::time::timeout(desk.patience.broker, reading).await;
            self.0.insert(place.clone(), read.ok().flatten());
        }
        self.0.get(&place)?.as_ref()
    }
}

/// Looks into one queue, or writes down why it does not.
async fn look_into(
    (desk, vhost): (&PgDesk, Option<&Vhost>),
    id: ReplayId,
    queue: &mut SearchedQueue,
    (dry_run, latest): (bool, Instant),
) -> Vec<FoundMessage> {
    let mut found = Vec::new();
    if Instant::now() >= latest {
        queue.refused = Some("the time for the search was over before: search again".to_owned());
        return found;
    }
    let connecting = broker::connect(&desk.brokers, &queue.broker, &queue.vhost, "search");
    let link = match connecting.await {
        Ok(link) => link,
        Err(why) => {
            queue.refused = Some(format!("the broker does not let us look: {why}"));
            return found;
        }
    };
    queue.refused = refusal(vhost, &link, queue).await;
    if queue.refused.is_none() && !dry_run {
        let read = read_through(&link, id, queue, (latest, &mut found)).await;
        if let Err(why) = read {
            queue.refused = Some(format!("it was not read to its end: {why}"));
        }
    }
    link.close().await;
    found
}

/// Why a queue is not searched, by what its broker says now.
async fn refusal(vhost: Option<&Vhost>, link: &Link, queue: &mut SearchedQueue) -> Option<String> {
    let content = match broker::queue_content(link, &queue.queue).await {
        Ok(Some(content)) => content,
        Ok(None) => return Some("the broker has no queue of this name now".to_owned()),
        Err(why) => return Some(format!("the broker does not let us look: {why}")),
    };
    queue.messages = Some(content.messages);
    let facts = vhost.and_then(|vhost| {
        let found = vhost.queues.iter().find(|one| one.name == queue.queue);
        found.map(|found| (vhost, found))
    });
    match facts {
        Some((vhost, facts)) => search_refusal(vhost, facts, content),
        None => Some(
            "without a management API it is not known whether the queue drops what comes back \
             (DLO_MANAGEMENT_URL)"
                .to_owned(),
        ),
    }
}

/// Takes every message of a queue into hand, and gives all back.
async fn read_through(
    link: &Link,
    id: ReplayId,
    queue: &mut SearchedQueue,
    (latest, found): (Instant, &mut Vec<FoundMessage>),
) -> Result<(), BrokerError> {
    let mut inlet = Inlet::open(link, &queue.queue, Evidence::Nothing).await?;
    let read = take_all(&mut inlet, id, queue, (latest, found)).await;
    inlet.give_back().await;
    read
}

async fn take_all(
    inlet: &mut Inlet,
    id: ReplayId,
    queue: &mut SearchedQueue,
    (latest, found): (Instant, &mut Vec<FoundMessage>),
) -> Result<(), BrokerError> {
    let mut bytes = 0;
    while let Some(taken) = inlet.get().await? {
        queue.looked_at += 1;
        bytes += taken.delivered.body.len();
        found.extend(named_by(&taken, id));
        let is_late = Instant::now() >= latest;
        if is_late || bytes > MOST_BYTES || queue.looked_at > MOST_SEARCHED {
            queue.refused = Some(format!(
                "it was not read to its end: the search stopped after {} messages, its limit of \
                 time or size",
                queue.looked_at
            ));
            break;
        }
    }
    Ok(())
}

/// The letter that a message of this replay names.
fn named_by(taken: &Taken, id: ReplayId) -> Option<FoundMessage> {
    let headers = &taken.delivered.headers;
    let replay: ReplayId = headers.text("x-dlo-replay")?.parse().ok()?;
    let letter = headers.text("x-dlo-letter")?.parse().ok()?;
    let attempt = headers.get("x-dlo-attempt").and_then(FieldValue::as_integer)?;
    let body_sha256 = Sha256::digest(&taken.delivered.body).into();
    let attempt = i32::try_from(attempt).ok().filter(|_| replay == id)?;
    Some(FoundMessage { letter, attempt, body_sha256 })
}

async fn confirm(
    desk: &PgDesk,
    (actor, id): (&Actor, ReplayId),
    at: &UnknownAt,
    queue: &SearchedQueue,
    found: &[FoundMessage],
) -> Result<i64, DeskError> {
    let detail = format!("found in its queue, where {} had it looked for", actor.0);
    let note = Note {
        at: desk.clock.now(),
        actor,
        action: "letter.found",
        detail: Some(&detail),
        replay: None,
    };
    changing!(desk, conn => {
        let letters = unknowns::confirm_found(conn, id, at, found, note).await?;
        let told = told(queue, letters);
        let note = Note { action: "replay.search", detail: Some(&told), ..note };
        audit::write_replay(conn, id, note).await?;
        Ok(i64::try_from(letters).unwrap_or(i64::MAX))
    })
}

/// One line for the trail.
fn told(queue: &SearchedQueue, found: usize) -> String {
    let SearchedQueue { queue: name, unknown, looked_at, refused, .. } = queue;
    let rest = refused.as_ref().map(|why| format!("; {why}")).unwrap_or_default();
    format!("`{name}`: {found} of {unknown} found among {looked_at} messages{rest}")
}
