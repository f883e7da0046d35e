//! Groups: what failed alike, and what people do with it.

use dlo_app::desk::DeskError;
use dlo_domain::audit::Actor;
use dlo_domain::group::{Group, GroupEdit, GroupState, GroupSummary, MergeGroups, SplitGroup};
use dlo_domain::ids::GroupId;
use dlo_domain::page::{Cursor, Page};

use super::{PgDesk, changing};
use crate::clock::new_id;
use crate::store::groups::arrange::{self, ArrangeError};
use crate::store::groups::edit::{self, Editor};
use crate::store::groups::read::{self, Place};

pub(super) async fn page(
    desk: &PgDesk,
    state: Option<GroupState>,
    after: Option<Cursor>,
    limit: u32,
) -> Result<Page<GroupSummary>, DeskError> {
    let mut conn = desk.connection().await?;
    let limit = i64::from(limit);
    let after = after.map(place_of);
    // One more than asked for tells whether there is another page.
    let mut found = read::page(&mut conn, state, after, limit + 1, desk.clock.now()).await?;
    let more = i64::try_from(found.len()).unwrap_or(i64::MAX) > limit;
    if more {
        found.pop();
    }
    let last = found.last().map(|(place, _)| *place).filter(|_| more);
    Ok(Page {
        items: found.into_iter().map(|(_, group)| group).collect(),
        next_cursor: last.map(cursor_of),
        estimated_total: read::count(&mut conn, state).await?,
        total_is_least: false,
        searched_back_to: None,
        unread: None,
        texts_read_back_to: None,
    })
}

/// In this list the impact stands in the cursor's place for the time.
fn cursor_of(place: Place) -> Cursor {
    Cursor {
        at: chrono::DateTime::from_timestamp_micros(place.impact).unwrap_or_default(),
        id: place.id,
    }
}

fn place_of(cursor: Cursor) -> Place {
    Place { impact: cursor.at.timestamp_micros(), id: cursor.id }
}

pub(super) async fn one(desk: &PgDesk, id: GroupId) -> Result<Group, DeskError> {
    let mut conn = desk.connection().await?;
    let group = read::group(&mut conn, id, desk.clock.now()).await?;
    group.ok_or_else(|| no_group(id))
}

pub(super) fn no_group(id: GroupId) -> DeskError {
    DeskError::NotFound(format!("there is no group {id}"))
}

pub(super) async fn edit(
    desk: &PgDesk,
    actor: &Actor,
    id: GroupId,
    edit: &GroupEdit,
) -> Result<Group, DeskError> {
    edit.check().map_err(|fault| DeskError::Invalid(fault.to_string()))?;
    let by = Editor { actor: &actor.0, at: desk.clock.now() };
    let until = edit.mute.and_then(|mute| mute.until);
    if until.is_some_and(|until| until <= by.at) {
        let fault = "the mute would end in the past: give a later time";
        return Err(DeskError::Invalid(fault.to_owned()));
    }
    changing!(desk, conn => {
        if !edit::edit(conn, id, edit, by).await? {
            return Err(no_group(id));
        }
        let group = read::group(conn, id, by.at).await?;
        group.ok_or_else(|| no_group(id))
    })
}

pub(super) async fn merge(
    desk: &PgDesk,
    actor: &Actor,
    merge: &MergeGroups,
) -> Result<Group, DeskError> {
    if merge.groups.is_empty() {
        let fault = "`groups` is empty: name the groups to merge into `into`";
        return Err(DeskError::Invalid(fault.to_owned()));
    }
    let at = desk.clock.now();
    changing!(desk, conn => {
        arrange::merge(conn, &merge.groups, merge.into, at, &actor.0).await.map_err(of_arrange)?;
        let group = read::group(conn, merge.into, at).await?;
        group.ok_or_else(|| no_group(merge.into))
    })
}

pub(super) async fn split(
    desk: &PgDesk,
    actor: &Actor,
    split: &SplitGroup,
) -> Result<GroupId, DeskError> {
    if split.signatures.is_empty() {
        let fault = "`signatures` is empty: name those that leave the group";
        return Err(DeskError::Invalid(fault.to_owned()));
    }
    let at = desk.clock.now();
    let new = GroupId(new_id(&*desk.clock));
    changing!(desk, conn => {
        arrange::split(conn, split.group, &split.signatures, new, at, &actor.0)
            .await
            .map_err(of_arrange)?;
        Ok(new)
    })
}

fn of_arrange(why: ArrangeError) -> DeskError {
    match why {
        ArrangeError::NoGroup(_) => DeskError::NotFound(why.to_string()),
        ArrangeError::Itself | ArrangeError::Everything => DeskError::Invalid(why.to_string()),
        ArrangeError::NotThere { .. } => DeskError::Conflict(why.to_string()),
        ArrangeError::Store(why) => why.into(),
    }
}
