//! Workers: their heartbeats, the list, and what people have them do.

use async_trait::async_trait;
use chrono::TimeDelta;
use dlo_app::desk::{DeskError, FleetDesk};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::worker::{
    Condition, Heartbeat, HeartbeatAnswer, KindSummary, Worker, WorkerCursor, WorkerPage,
    WorkerReport, opinion,
};
use sqlx::PgConnection;

use super::{PgDesk, changing};
use crate::fleet::BeatError;
use crate::store::audit::{self, Note};
use crate::store::workers::{self, Wanted, consumers};
use crate::store::{events, shared_time};

/// For how long what a broker told of consumers is an opinion: some reads may fail.
const OPINION_LASTS: TimeDelta = TimeDelta::minutes(5);

#[async_trait]
impl FleetDesk for PgDesk {
    async fn heartbeat(&self, name: &str, beat: Heartbeat) -> Result<HeartbeatAnswer, DeskError> {
        beat.check(name).map_err(|why| DeskError::Invalid(why.to_string()))?;
        let (beat, queue_refused) = self.beats.admit(name.to_owned(), beat);
        let taken = self.beats.take(beat).await;
        let state = taken.map_err(|why| match why {
            BeatError::Away => DeskError::Unavailable(why.to_string()),
            BeatError::Failed => DeskError::Internal(Box::new(why)),
        })?;
        Ok(HeartbeatAnswer { state, queue_refused })
    }

    async fn workers(
        &self,
        condition: Option<Condition>,
        kind: Option<&str>,
        after: Option<&WorkerCursor>,
        limit: u32,
    ) -> Result<WorkerPage, DeskError> {
        let texts = [kind, after.map(|after| &*after.name)];
        if texts.into_iter().flatten().any(|text| text.contains('\0')) {
            let why = "`kind` and `cursor` hold no NUL character";
            return Err(DeskError::Invalid(why.to_owned()));
        }
        let mut conn = self.connection().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let wanted = Wanted {
            condition,
            kind,
            after,
            // One more tells whether there is another page.
            limit: i64::try_from(limit).unwrap_or(i64::MAX).saturating_add(1),
        };
        let mut items = workers::page(&mut conn, wanted, now).await?;
        let estimated_total = total(&workers::kinds(&mut conn).await?, condition, kind);
        let is_last = items.len() <= limit;
        items.truncate(limit);
        let last = items.last().filter(|_| !is_last);
        Ok(WorkerPage {
            next_cursor: last.map(|last: &Worker| WorkerCursor::after(last).to_string()),
            items,
            estimated_total,
        })
    }

    async fn worker_kinds(&self) -> Result<Vec<KindSummary>, DeskError> {
        let mut conn = self.connection().await?;
        Ok(workers::kinds(&mut conn).await?)
    }

    async fn worker(&self, name: &str) -> Result<WorkerReport, DeskError> {
        let mut conn = self.connection().await?;
        find(self, &mut conn, name).await
    }

    async fn drain_worker(
        &self,
        actor: &Actor,
        name: &str,
        is_to_drain: bool,
    ) -> Result<WorkerReport, DeskError> {
        changing!(self, conn => {
            find(self, conn, name).await?;
            let at = shared_time(conn, &*self.clock).await?;
            let (action, is_done) = if is_to_drain {
                ("worker.drain", workers::drain(conn, name, &actor.0, at).await?)
            } else {
                ("worker.activate", workers::activate(conn, name, at).await?)
            };
            if !is_done {
                return Err(DeskError::Conflict(if is_to_drain {
                    format!("the worker {name} has stopped: there is nothing to drain")
                } else {
                    format!("the worker {name} is not draining: it is as it was")
                }));
            }
            let note = Note {
                at,
                actor,
                action,
                detail: Some(name),
                replay: None,
            };
            audit::write_office(conn, note).await?;
            events::notify(conn, &LiveEvent::Workers).await?;
            find(self, conn, name).await
        })
    }
}

pub(super) async fn find(
    desk: &PgDesk,
    conn: &mut PgConnection,
    name: &str,
) -> Result<WorkerReport, DeskError> {
    let now = shared_time(conn, &*desk.clock).await?;
    let found = if name.contains('\0') { None } else { workers::one(conn, name, now).await? };
    let mut found = found.ok_or_else(|| {
        DeskError::NotFound(format!(
            "there is no worker `{name}`: it never reported, or was silent for so long that it \
             was removed"
        ))
    })?;
    if let Some(queue) = &found.worker.queue {
        found.queues = consumers::of_queue(conn, queue, now - OPINION_LASTS).await?;
        found.opinion = opinion(name, found.worker.condition, &found.queues);
    }
    Ok(found)
}

/// How many workers match, by what is known of their kinds.
fn total(kinds: &[KindSummary], condition: Option<Condition>, kind: Option<&str>) -> i64 {
    let of_kind = kinds.iter().filter(|one| kind.is_none_or(|kind| kind == one.kind));
    of_kind
        .map(|one| match condition {
            None => one.total(),
            Some(Condition::Fresh) => one.fresh,
            Some(Condition::Stale) => one.stale,
            Some(Condition::Draining) => one.draining,
            Some(Condition::Stopped) => one.stopped,
        })
        .sum()
}
