//! Sources: the queues that are watched.

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::SourceId;
use dlo_domain::source::{NewSource, NewSourceFault, Source};
use sqlx::PgConnection;

use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::judging;
use crate::store::audit::{self, Note};
use crate::store::topology::Place;
use crate::store::{events, origins, rules, sources};

pub(super) async fn list(desk: &PgDesk) -> Result<Vec<Source>, DeskError> {
    let mut conn = desk.connection().await?;
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
    let note = Note { at, actor, action: "source.add", detail: Some(&detail), replay: None };
    changing!(desk, conn => {
        let Some(id) = sources::insert(conn, id, source, false, at).await? else {
            return Err(DeskError::Conflict(format!(
                "the queue `{}` in vhost `{}` is watched already",
                source.queue, source.vhost
            )));
        };
        let place = Place {
            broker: source.broker_name(),
            vhost: &source.vhost,
        };
        origins::note_of_last_read(conn, place).await?;
        audit::write_source(conn, id, note).await?;
        events::notify(conn, &LiveEvent::Source { source_id: id }).await?;
        find(conn, id).await
    })
}

fn check(desk: &PgDesk, source: &NewSource) -> Result<(), DeskError> {
    source.check().map_err(of_faults)?;
    desk.brokers.get(source.broker_name()).map_err(|why| DeskError::Invalid(why.to_string()))?;
    Ok(())
}

#[expect(clippy::needless_pass_by_value, reason = "so that it can be handed to map_err")]
fn of_faults(faults: Vec<NewSourceFault>) -> DeskError {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    DeskError::Invalid(faults.join("; "))
}

pub(super) async fn find(conn: &mut PgConnection, id: SourceId) -> Result<Source, DeskError> {
    let mut found = sources::list(conn, Some(id)).await?;
    found.pop().ok_or_else(|| no_source(id))
}

pub(super) fn no_source(id: SourceId) -> DeskError {
    DeskError::NotFound(format!("there is no source {id}"))
}

pub(super) async fn change(
    desk: &PgDesk,
    actor: &Actor,
    id: SourceId,
    wanted: &NewSource,
) -> Result<Source, DeskError> {
    let at = desk.clock.now();
    changing!(desk, conn => {
        // Before the source, as intake does: rules may ask for its name.
        rules::take(conn).await?;
        let source = find(conn, id).await?;
        check_change(&source, wanted)?;
        if !sources::change(conn, id, wanted).await? {
            return Err(no_source(id));
        }
        if source.name != wanted.display_name() {
            judging::after_renaming(conn, at).await?;
        }
        let detail = format!(
            "{} in {}: `{}`, {}",
            source.queue,
            source.vhost,
            wanted.display_name(),
            wanted.mode.as_str()
        );
        let note = Note {
            at,
            actor,
            action: "source.change",
            detail: Some(&detail),
            replay: None,
        };
        audit::write_source(conn, id, note).await?;
        events::notify(conn, &LiveEvent::Source { source_id: id }).await?;
        find(conn, id).await
    })
}

/// What of a source can be changed: all but where its queue is, since its letters came from there.
fn check_change(source: &Source, wanted: &NewSource) -> Result<(), DeskError> {
    wanted.check().map_err(of_faults)?;
    refuse_configured(source)?;
    let places = [
        ("broker", wanted.broker_name(), source.broker.as_str()),
        ("vhost", &wanted.vhost, &source.vhost),
        ("queue", &wanted.queue, &source.queue),
    ];
    for (member, wanted, present) in places {
        if wanted != present {
            return Err(DeskError::Invalid(format!(
                "the {member} of a source stays as it is: this one's is `{present}`, not \
                 `{wanted}`; add another source for another queue"
            )));
        }
    }
    Ok(())
}

fn refuse_configured(source: &Source) -> Result<(), DeskError> {
    if source.configured {
        return Err(DeskError::Conflict(format!(
            "the source `{}` is named by the configuration: change it or take it out there",
            source.name
        )));
    }
    Ok(())
}

pub(super) async fn remove(desk: &PgDesk, actor: &Actor, id: SourceId) -> Result<(), DeskError> {
    let at = desk.clock.now();
    changing!(desk, conn => {
        let source = find(conn, id).await?;
        refuse_configured(&source)?;
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
