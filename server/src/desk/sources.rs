//! Sources: the queues that are watched.

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::{LetterId, SourceId};
use dlo_domain::source::{NewSource, Source};
use sqlx::PgConnection;

use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::intake::{self, EjectError, Settings, eject_head as eject};
use crate::store::audit::{self, Note};
use crate::store::{events, sources};

pub(super) async fn list(desk: &PgDesk) -> Result<Vec<Source>, DeskError> {
    let mut conn = desk.begin().await?;
    Ok(sources::list(&mut conn, None).await?)
}

pub(super) async fn add(
    desk: &PgDesk,
    actor: &Actor,
    source: &NewSource,
) -> Result<Source, DeskError> {
    check(desk, source)?;
    let at = desk.clock.now();
    let id = new_id(&*desk.clock);
    let detail = format!("{} in {}", source.queue, source.vhost);
    let note = Note {
        at,
        actor,
        action: "source.add",
        detail: Some(&detail),
        replay: None,
    };
    changing!(desk, conn => {
        let Some(id) = sources::insert(conn, id, source, false, at).await? else {
            return Err(DeskError::Conflict(format!(
                "the queue `{}` in vhost `{}` is watched already",
                source.queue, source.vhost
            )));
        };
        audit::write_source(conn, id, note).await?;
        events::notify(conn, &LiveEvent::Source { source_id: id }).await?;
        find(conn, id).await
    })
}

fn check(desk: &PgDesk, source: &NewSource) -> Result<(), DeskError> {
    source.check().map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        DeskError::Invalid(faults.join("; "))
    })?;
    desk.brokers
        .get(source.broker_name())
        .map_err(|why| DeskError::Invalid(why.to_string()))?;
    Ok(())
}

async fn find(conn: &mut PgConnection, id: SourceId) -> Result<Source, DeskError> {
    let mut found = sources::list(conn, Some(id)).await?;
    found.pop().ok_or_else(|| no_source(id))
}

fn no_source(id: SourceId) -> DeskError {
    DeskError::NotFound(format!("there is no source {id}"))
}

pub(super) async fn remove(desk: &PgDesk, actor: &Actor, id: SourceId) -> Result<(), DeskError> {
    let at = desk.clock.now();
    changing!(desk, conn => {
        let source = find(conn, id).await?;
        if source.configured {
            return Err(DeskError::Conflict(format!(
                "the source `{}` is named by the configuration: take it out there",
                source.name
            )));
        }
        if !sources::remove(conn, id, at).await? {
            return Err(no_source(id));
        }
        let detail = format!("{} in {}", source.queue, source.vhost);
        let note = Note {
            at,
            actor,
            action: "source.remove",
            detail: Some(&detail),
            replay: None,
        };
        audit::write_source(conn, id, note).await?;
        events::notify(conn, &LiveEvent::Source { source_id: id }).await?;
        Ok(())
    })
}

pub(super) async fn eject_head(
    desk: &PgDesk,
    actor: &Actor,
    id: SourceId,
) -> Result<LetterId, DeskError> {
    let mut conn = desk.begin().await?;
    let watched = sources::watched(&mut conn).await?;
    drop(conn);
    let source = watched
        .iter()
        .find(|source| source.id == id)
        .ok_or_else(|| no_source(id))?;
    let deps = intake::Deps {
        pool: desk.pool.clone(),
        brokers: desk.brokers.clone(),
        clock: desk.clock.clone(),
        office_id: desk.office_id,
        settings: Settings::default(),
    };
    let letter = eject(&deps, source).await.map_err(of_eject)?;
    let note = Note {
        at: desk.clock.now(),
        actor,
        action: "letter.eject",
        detail: None,
        replay: None,
    };
    changing!(desk, conn => Ok(audit::write_letters(conn, &[letter.0], note).await?))?;
    Ok(letter)
}

fn of_eject(why: EjectError) -> DeskError {
    match why {
        EjectError::Empty => DeskError::Conflict(why.to_string()),
        EjectError::Store(why) => why.into(),
        EjectError::Broker(_) | EjectError::Management(_) => {
            DeskError::Unavailable(format!("{why}. The message is still in the queue."))
        }
    }
}
