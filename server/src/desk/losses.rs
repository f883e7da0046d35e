//! The loss that somebody accepts for a source whose queue drops letters that come back.

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::delivery_limit::{AcceptedLoss, NewAcceptedLoss};
use dlo_domain::event::LiveEvent;
use dlo_domain::ids::SourceId;
use dlo_domain::source::{Source, SourceCondition};

use super::sources::{find, no_source};
use super::{PgDesk, changing};
use crate::store::audit::{self, Note};
use crate::store::events;
use crate::store::sources::losses;

pub(super) async fn accept(
    desk: &PgDesk,
    actor: &Actor,
    id: SourceId,
    wanted: NewAcceptedLoss,
) -> Result<Source, DeskError> {
    wanted.check().map_err(DeskError::Invalid)?;
    let at = desk.clock.now();
    let loss = AcceptedLoss {
        letters: wanted.letters,
        delivery_limit: wanted.delivery_limit,
        by: actor.0.clone(),
        at,
    };
    let detail = detail(&loss);
    changing!(desk, conn => {
        refuse(&find(conn, id).await?, wanted)?;
        if !losses::accept(conn, id, &loss).await? {
            return Err(no_source(id));
        }
        let note = Note {
            at,
            actor,
            action: "source.accept_loss",
            detail: Some(&detail),
            replay: None,
        };
        audit::write_source(conn, id, note).await?;
        events::notify(conn, &LiveEvent::Source { source_id: id }).await?;
        find(conn, id).await
    })
}

fn detail(loss: &AcceptedLoss) -> String {
    let letters = match loss.letters {
        1 => "1 letter".to_owned(),
        many => format!("{many} letters"),
    };
    match loss.delivery_limit {
        Some(limit) => format!("{letters} may be lost at once, at a delivery limit of {limit}"),
        None => format!("{letters} may be lost at once, at a delivery limit that is not known"),
    }
}

/// A loss is accepted of what is on the screen, and of nothing else.
fn refuse(source: &Source, wanted: NewAcceptedLoss) -> Result<(), DeskError> {
    let name = &source.name;
    let has_limit = source.delivery_limit.is_some();
    if !has_limit
        && source.condition != SourceCondition::DeliveryLimit
        && source.accepted_loss.is_none()
    {
        return Err(DeskError::Conflict(format!(
            "the queue of `{name}` is not known to drop letters, so there is no loss to accept"
        )));
    }
    if source.delivery_limit != wanted.delivery_limit {
        let now = match source.delivery_limit {
            Some(limit) => limit.to_string(),
            None => "not known".to_owned(),
        };
        return Err(DeskError::Conflict(format!(
            "the delivery limit of the queue of `{name}` is {now} by now, so nothing was accepted: look again"
        )));
    }
    Ok(())
}

pub(super) async fn withdraw(
    desk: &PgDesk,
    actor: &Actor,
    id: SourceId,
) -> Result<Source, DeskError> {
    let at = desk.clock.now();
    changing!(desk, conn => {
        find(conn, id).await?;
        if losses::withdraw(conn, id).await? {
            let note = Note {
                at,
                actor,
                action: "source.withdraw_loss",
                detail: None,
                replay: None,
            };
            audit::write_source(conn, id, note).await?;
            events::notify(conn, &LiveEvent::Source { source_id: id }).await?;
        }
        find(conn, id).await
    })
}
