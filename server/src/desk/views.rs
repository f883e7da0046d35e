//! Saved views: each sees their own and the shared ones, and removes their own only.

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::ids::ViewId;
use dlo_domain::view::{NewView, View};

use super::PgDesk;
use crate::clock::new_id;
use crate::store::views;

/// More views than anybody finds their way in.
const MOST_VIEWS: i64 = 200;

pub(super) async fn list(desk: &PgDesk, actor: &Actor) -> Result<Vec<View>, DeskError> {
    let mut conn = desk.connection().await?;
    Ok(views::seen_by(&mut conn, &actor.0).await?)
}

pub(super) async fn save(desk: &PgDesk, actor: &Actor, view: &NewView) -> Result<View, DeskError> {
    let view = view.checked().map_err(|fault| DeskError::Invalid(fault.to_string()))?;
    let mut transaction = desk.begin().await?;
    if views::count_of(&mut transaction, &actor.0).await? >= MOST_VIEWS {
        return Err(DeskError::Conflict(format!(
            "there are {MOST_VIEWS} views of yours: remove one first"
        )));
    }
    let id = new_id(&*desk.clock);
    let now = desk.clock.now();
    let saved = views::put(&mut transaction, id, &actor.0, &view, now).await?;
    transaction.commit().await.map_err(super::error::of_commit)?;
    Ok(saved)
}

pub(super) async fn remove(desk: &PgDesk, actor: &Actor, id: ViewId) -> Result<(), DeskError> {
    let mut transaction = desk.begin().await?;
    let removed = views::remove(&mut transaction, id, &actor.0).await?;
    transaction.commit().await.map_err(super::error::of_commit)?;
    if removed {
        Ok(())
    } else {
        Err(DeskError::NotFound(format!(
            "there is no view {id} of yours: another's can be removed by its owner only"
        )))
    }
}
