//! Watches the queues of every configured broker: reads them through the management API, looks for
//! what can lose messages, and writes both down for all offices and pages.
//!
//! One office reads a broker at a time; whoever moves its time on does. A broker that does not answer
//! keeps what was last read, and says since when. Nothing is changed at a broker here.

mod now;
mod unread;

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::event::LiveEvent;
use dlo_domain::topology::{
    Gap, MOST_DEPTHS, Map, Queue, Regard, WorkerQueues, depths, lint, read, retentions,
    seen_consumers,
};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use crate::broker::{BrokerOverview, Brokers, Management, ManagementError};
use crate::clock::SharedClock;
use crate::config::TopologyConfig;
use crate::duty::{Duties, Duty, Next};
use crate::store::topology::{self as kept, Place, depths as history, findings, set_here};
use crate::store::workers::consumers;
use crate::store::{StoreError, events, origins, overview, shared_time, sources};

pub(crate) use now::read_now;

/// How often is looked whether a broker is due.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// How soon a broker is read again when letters came from queues that no read has shown.
const AT_SOONEST: TimeDelta = TimeDelta::seconds(5);

/// How long reading all of a broker may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// What a pause between two reads counts as time without consumers, at most: so many times the usual.
const MOST_PAUSES: u32 = 2;

/// Reads brokers, and looks for what can lose messages.
#[derive(Debug, Clone)]
pub struct Surveyor {
    /// Connections to Postgres.
    pub pool: PgPool,
    /// The brokers.
    pub brokers: Arc<Brokers>,
    /// The office's clock, for ids.
    pub clock: SharedClock,
    /// How often, and how patient.
    pub config: TopologyConfig,
}

impl Surveyor {
    /// Has the watch begin over every broker: one that is slow does not hold up the others.
    pub fn begin(&self, duties: &Duties) {
        for broker in self.brokers.0.keys() {
            let watch = BrokerWatch { surveyor: self.clone(), broker: broker.clone() };
            duties.every(format!("reading the queues of {broker}"), LOOK_EVERY, watch);
        }
    }
}

/// The watch over one broker.
struct BrokerWatch {
    surveyor: Surveyor,
    broker: String,
}

impl Duty for BrokerWatch {
    async fn step(&mut self, _: &CancellationToken) -> Result<Next, StoreError> {
        look(&self.surveyor, &self.broker).await.map(|_| Next::Usual)
    }
}

/// Reads a broker if it is due. Tells whether it was.
///
/// # Errors
/// When Postgres does not do it.
pub async fn look(surveyor: &Surveyor, broker: &str) -> Result<bool, StoreError> {
    let mut conn = surveyor.pool.acquire().await?;
    let now = shared_time(&mut conn, &*surveyor.clock).await?;
    let every = TimeDelta::from_std(surveyor.config.every).unwrap_or(TimeDelta::MAX);
    let unread = origins::unread_places(&mut conn, now).await?;
    let every = if unread.iter().any(|place| place.broker == broker) {
        every.min(AT_SOONEST)
    } else {
        every
    };
    if !kept::claim(&mut conn, broker, now, every).await? {
        return Ok(false);
    }
    drop(conn);
    let asked = tokio::time::timeout(PATIENCE, survey(surveyor, broker)).await;
    let trouble = match asked {
        Ok(Ok(())) => None,
        Ok(Err(Fault::Store(why))) => return Err(why),
        Ok(Err(why)) => Some(why.to_string()),
        Err(_) => Some(format!(
            "the management API took more than {} s to list all queues",
            PATIENCE.as_secs()
        )),
    };
    let mut transaction = surveyor.pool.begin().await?;
    let now = shared_time(&mut transaction, &*surveyor.clock).await?;
    kept::set_trouble(&mut transaction, broker, trouble.as_deref(), now).await?;
    findings::tidy(&mut transaction, now).await?;
    events::notify(&mut transaction, &LiveEvent::Topology).await?;
    transaction.commit().await?;
    Ok(true)
}

/// How long one vhost may take.
const PATIENCE_WITH_ONE: Duration = Duration::from_secs(40);

/// Why a broker was not read to the end.
#[derive(Debug, thiserror::Error)]
enum Fault {
    #[error(transparent)]
    Management(#[from] ManagementError),
    #[error("the management API took more than {} s to answer", PATIENCE_WITH_ONE.as_secs())]
    Slow,
    #[error(transparent)]
    Store(#[from] StoreError),
}

async fn survey(surveyor: &Surveyor, broker: &str) -> Result<(), Fault> {
    let management = surveyor.brokers.management(broker)?;
    let overview = management.overview().await?;
    let mut vhosts = management.vhosts().await?;
    let mut conn = surveyor.pool.acquire().await.map_err(StoreError::from)?;
    let now = shared_time(&mut conn, &*surveyor.clock).await?;
    let unseen = kept::unseen(&mut conn, broker, &vhosts).await?;
    let troubled = kept::troubled(&mut conn, broker).await?;
    let mut drawn = Drawn {
        of_workers: history::of_workers(&mut conn).await?,
        of_letters: overview::queues(&mut conn).await?,
        room: MOST_DEPTHS,
    };
    drop(conn);
    let hidden = unread::hidden((surveyor, &management), broker, unseen, now).await?;
    let known: Vec<String> = vhosts.iter().cloned().chain(hidden).collect();
    let mut conn = surveyor.pool.acquire().await.map_err(StoreError::from)?;
    kept::forget_others(&mut conn, broker, &known, now).await?;
    consumers::forget(&mut conn).await?;
    drop(conn);
    // Those that could not be read are read last, and the last one may take all the time that is left.
    vhosts.sort_by_key(|vhost| troubled.contains(vhost));
    let mut failures = 0;
    for (place, vhost) in vhosts.iter().enumerate() {
        let is_last = place + 1 == vhosts.len();
        let patience = if is_last { PATIENCE } else { PATIENCE_WITH_ONE };
        let place = Place { broker, vhost };
        let read = survey_vhost((surveyor, &management), &overview, place, &mut drawn);
        let read = tokio::time::timeout(patience, read).await;
        let read = read.unwrap_or(Err(Fault::Slow));
        if let Err(why) = read {
            unread::excuse((surveyor, &management), place, why, &mut failures).await?;
        }
    }
    Ok(())
}

/// Which queues are of interest beyond this read.
struct Drawn {
    /// Those that workers name.
    of_workers: WorkerQueues,
    /// Those that letters died in.
    of_letters: Vec<String>,
    /// How many more depths there is room for.
    room: usize,
}

async fn survey_vhost(
    (surveyor, management): (&Surveyor, &Management),
    overview: &BrokerOverview,
    place: Place<'_>,
    drawn: &mut Drawn,
) -> Result<(), Fault> {
    let answers = management.survey(place.vhost, overview).await?;
    let mut vhost = read(&answers);
    let is_named = |queue: &Queue| drawn.of_workers.named.contains(&queue.name);
    let told = if vhost.queues.iter().any(is_named) {
        management.consumers(place.vhost).await?
    } else {
        None
    };
    if vhost.lacks(Gap::Unreadable) {
        tracing::debug!(?place, "some of it cannot be read");
    }
    let mut transaction = surveyor.pool.begin().await.map_err(StoreError::from)?;
    let now = shared_time(&mut transaction, &*surveyor.clock).await?;
    // What this version cannot read was written by a newer one: it begins anew.
    let before = kept::one(&mut transaction, place).await.ok().flatten();
    let passed = before.as_ref().map_or(0, |kept| seconds_between(kept.read_at, now));
    let usual = u32::try_from(surveyor.config.every.as_secs()).unwrap_or(u32::MAX);
    vhost.carry_idle(
        before.as_ref().map(|kept| &kept.vhost),
        passed,
        usual.max(1).saturating_mul(MOST_PAUSES),
    );
    let set_here = set_here::who(&mut transaction, place, &retentions(&vhost)).await?;
    let watched = sources::taken_from(&mut transaction, place.broker, place.vhost).await?;
    let patience = u32::try_from(surveyor.config.idle_after.as_secs()).unwrap_or(u32::MAX);
    let findings = lint(
        &vhost,
        place.vhost,
        Regard { patience, workers: &drawn.of_workers, set_here: &set_here, watched: &watched },
    );
    kept::keep(&mut transaction, place, &vhost, now).await?;
    let mut named = drawn.of_workers.named.clone();
    named.extend(drawn.of_letters.iter().cloned());
    named.extend(watched);
    let map = Map::of(&vhost);
    origins::note(&mut transaction, place, &map).await?;
    let seen = depths(&map, &named, drawn.room);
    drawn.room -= seen.len();
    history::note(&mut transaction, place, &seen, now).await?;
    let seen = seen_consumers(&vhost, told.as_deref(), &drawn.of_workers.named);
    consumers::keep(&mut transaction, place, &seen, now).await?;
    let (fresh, gone) =
        findings::note(&mut transaction, &*surveyor.clock, place, &findings, now).await?;
    transaction.commit().await.map_err(StoreError::from)?;
    if fresh + gone > 0 {
        let Place { broker, vhost } = place;
        tracing::info!(broker, vhost, fresh, gone, "what can lose messages changed");
    }
    Ok(())
}

fn seconds_between(before: DateTime<Utc>, now: DateTime<Utc>) -> i64 {
    (now - before).num_seconds()
}
