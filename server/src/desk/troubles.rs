//! What is not well, as sentences for the banner: the database, sources, waiting replays.

use std::sync::PoisonError;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_app::desk::DeskError;
use dlo_domain::channel::Channel;
use dlo_domain::judge::LeftOut;
use dlo_domain::office::Trouble;
use dlo_domain::source::{Source, SourceCondition};

use super::PgDesk;
use crate::register;
use crate::store::executions::links;
use crate::store::registers::{self, Standing};
use crate::store::workers::watches;
use crate::store::{channels, offices, shared_time, sources};

/// How long dead letters may wait for the handler of executions before it is told. It takes a second.
const UNHANDLED: TimeDelta = TimeDelta::seconds(60);

/// How long a channel refuses before it is told.
const REFUSING: TimeDelta = TimeDelta::seconds(60);

/// How long heartbeats are not heard before it is told.
const CLOSED: TimeDelta = TimeDelta::seconds(30);

pub(super) async fn list(desk: &PgDesk) -> Vec<Trouble> {
    let answer = tokio::time::timeout(desk.patience.page, ask(desk)).await;
    let mut troubles = match answer {
        Ok(Ok(asked)) => {
            remember(desk, None);
            let of_sources = asked.sources.iter().filter_map(of_source);
            let of_register = asked.register.as_ref().and_then(of_register);
            // Why it is closed is told already.
            let is_told = |way: &str| of_register.is_some() && way == register::WAY;
            let ways = asked.closed.iter().filter(|(way, _)| !is_told(way));
            of_sources
                .chain(ways.map(of_way))
                .chain(of_register.clone())
                .chain(asked.unhandled_since.map(of_handler))
                .chain(asked.of_duties)
                .chain(asked.channels.iter().filter_map(|channel| of_channel(channel, asked.at)))
                .collect()
        }
        Ok(Err(_)) | Err(_) => vec![database_away(desk)],
    };
    troubles.extend(desk.waits.troubles());
    // What was read last: a database that is away is told already.
    troubles.extend(desk.judges.newest().left_out().iter().map(of_rule));
    troubles
}

/// A way that heartbeats came by, and when it was open last.
type Closed = (String, DateTime<Utc>);

/// What is known of what may not be well.
struct Asked {
    sources: Vec<Source>,
    closed: Vec<Closed>,
    register: Option<Standing>,
    unhandled_since: Option<DateTime<Utc>>,
    /// Duties that fail.
    of_duties: Vec<Trouble>,
    channels: Vec<Channel>,
    at: DateTime<Utc>,
}

async fn ask(desk: &PgDesk) -> Result<Asked, DeskError> {
    let mut conn = desk.connection().await?;
    desk.judges.current(&mut conn).await?;
    let now = shared_time(&mut conn, &*desk.clock).await?;
    let closed = watches::closed_since(&mut conn, now - CLOSED).await?;
    let unhandled_since = links::waits_since(&mut conn).await?;
    Ok(Asked {
        register: registers::standing(&mut conn).await?,
        sources: sources::list(&mut conn, None).await?,
        unhandled_since: unhandled_since.filter(|since| *since < now - UNHANDLED),
        closed,
        of_duties: offices::troubles(&mut conn).await?,
        channels: channels::all(&mut conn).await?,
        at: now,
    })
}

fn of_register(standing: &Standing) -> Option<Trouble> {
    let (why, since) = (standing.trouble.as_deref()?, standing.trouble_since?);
    let what = if standing.hides_workers {
        format!(
            "The register of workers and executions cannot be read to the end. Its workers keep \
             their last state. {why}"
        )
    } else {
        format!(
            "The register of workers and executions holds what cannot be used. Workers that are \
             silent are found all the same. {why}"
        )
    };
    Some(Trouble { what, since })
}

fn of_handler(since: DateTime<Utc>) -> Trouble {
    Trouble {
        what: "Dead letters that name executions are not handled: no office does so, or none \
            keeps up. The letters are kept, and handled once an office runs in which DLO_EXECUTIONS \
               is on; until then their executions stand where they stood."
            .to_owned(),
        since,
    }
}

fn of_way((way, since): &Closed) -> Trouble {
    Trouble {
        what: format!(
            "Heartbeats by {way} are not received. Workers that report that way keep their last \
             state until they are received again."
        ),
        since: *since,
    }
}

/// A channel that is away for a moment is none.
fn of_channel(channel: &Channel, now: DateTime<Utc>) -> Option<Trouble> {
    let since =
        channel.failing_since.filter(|since| channel.enabled && *since <= now - REFUSING)?;
    let answer = channel.last_answer.as_deref().unwrap_or("no answer");
    let what = format!(
        "The channel `{}` takes no messages: {answer}. {} notifications wait for it and are posted once it does; \
         fix its address, or switch it off.",
        channel.name, channel.waiting
    );
    Some(Trouble { what, since })
}

fn of_rule(rule: &LeftOut) -> Trouble {
    Trouble {
        what: format!(
            "The rule `{}` cannot be used by this version and is skipped: {}. The other rules \
             apply.",
            rule.name, rule.why
        ),
        since: rule.since,
    }
}

/// Keeps since when the database is away; `None` when it is back.
fn remember(desk: &PgDesk, away: Option<DateTime<Utc>>) -> Option<DateTime<Utc>> {
    let mut since = desk.database_away.lock().unwrap_or_else(PoisonError::into_inner);
    *since = away.map(|now| since.unwrap_or(now));
    *since
}

fn database_away(desk: &PgDesk) -> Trouble {
    let now = desk.clock.now();
    Trouble {
        what: "The database does not answer. Meanwhile nothing is taken or published: all \
            messages are safe where they are."
            .to_owned(),
        since: remember(desk, Some(now)).unwrap_or(now),
    }
}

fn of_source(source: &Source) -> Option<Trouble> {
    let Source { name, queue, .. } = source;
    let what = match source.condition {
        SourceCondition::Starting | SourceCondition::Running => return None,
        SourceCondition::QueueMissing => format!(
            "The queue `{queue}` of the source `{name}` does not exist. It is looked for every \
             few seconds; the other sources go on."
        ),
        SourceCondition::Refused => format!(
            "The broker refuses the source `{name}`. Its messages stay in the queue; the other \
             sources go on."
        ),
        SourceCondition::BrokerAway => format!(
            "The broker of the source `{name}` does not answer. Intake goes on by itself when it \
             is back."
        ),
        SourceCondition::DatabaseAway => {
            format!("The source `{name}` waits for the database. Its messages stay in the queue.")
        }
        SourceCondition::UndecodableHead => format!(
            "A message of the source `{name}` cannot be read and holds up its queue. Nothing is lost."
        ),
        SourceCondition::DeliveryLimit => {
            format!("Nothing is taken for the source `{name}`: its queue would lose letters.")
        }
        SourceCondition::Stopped => {
            format!("The source `{name}` is not being read. Its messages stay in the queue.")
        }
    };
    let detail = source.condition_detail.as_deref().unwrap_or_default();
    Some(Trouble {
        what: format!("{what} {detail}").trim_end().to_owned(),
        since: source.condition_since,
    })
}
