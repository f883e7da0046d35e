//! What people change of a group, with its lines in the timeline.

use chrono::{DateTime, Utc};
use dlo_domain::group::{GroupEdit, GroupState, Mute};
use dlo_domain::ids::GroupId;
use sqlx::PgConnection;

use crate::store::StoreError;

/// Who changes a group, and when.
#[derive(Debug, Clone, Copy)]
pub struct Editor<'a> {
    /// Who.
    pub actor: &'a str,
    /// When.
    pub at: DateTime<Utc>,
}

/// Changes a group; false when there is none, or it is part of another by now. The edit was
/// checked.
///
/// # Errors
/// When Postgres does not do it: then the transaction must be given up.
pub async fn edit(
    conn: &mut PgConnection,
    id: GroupId,
    edit: &GroupEdit,
    by: Editor<'_>,
) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar!(
        "select owner from groups where id = $1 and merged_into is null for update",
        id.0,
    )
    .fetch_optional(&mut *conn)
    .await?;
    let Some(owner) = found else {
        return Ok(false);
    };
    if let Some(state) = edit.state {
        set_state(conn, id, state, edit.mute.unwrap_or_default(), by).await?;
    }
    let takes_it = edit.state == Some(GroupState::Investigating) && owner.is_none();
    let owner = match &edit.owner {
        None if takes_it => Some(Some(by.actor.to_owned())),
        owner => owner.clone(),
    };
    set_texts(conn, id, edit, owner.as_ref(), by).await?;
    Ok(true)
}

async fn set_state(
    conn: &mut PgConnection,
    id: GroupId,
    state: GroupState,
    mute: Mute,
    by: Editor<'_>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "update groups set state = $2, state_since = $3, muted_until = $4, muted_arrivals = $5,
             muted_per_hour = $6, arrivals_when_muted = case when $2 = 'muted' then (
                 select coalesce(sum(c.arrivals), 0) from signatures s
                 join (select signature, arrivals from signature_totals
                       union all select signature, arrivals from signature_changes) as c
                     on c.signature = s.id
                 where s.group_id = $1) end
         where id = $1",
        id.0,
        state.as_str(),
        by.at,
        mute.until,
        mute.arrivals,
        mute.per_hour,
    )
    .execute(&mut *conn)
    .await?;
    tell(conn, id, state.as_str(), ending(mute).as_deref(), by).await
}

fn ending(mute: Mute) -> Option<String> {
    let parts = [
        mute.until.map(|time| format!("until {}", time.format("%Y-%m-%d %H:%M UTC"))),
        mute.arrivals.map(|count| format!("until {count} more letters arrive")),
        mute.per_hour.map(|count| format!("until {count} letters arrive within an hour")),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    (!parts.is_empty()).then(|| parts.join(" or "))
}

async fn set_texts(
    conn: &mut PgConnection,
    id: GroupId,
    edit: &GroupEdit,
    owner: Option<&Option<String>>,
    by: Editor<'_>,
) -> Result<(), StoreError> {
    if let Some(owner) = owner {
        sqlx::query!("update groups set owner = $2 where id = $1", id.0, *owner)
            .execute(&mut *conn)
            .await?;
        let action = if owner.is_some() { "owned by" } else { "owned by nobody" };
        tell(conn, id, action, owner.as_deref(), by).await?;
    }
    if let Some(url) = &edit.ticket_url {
        sqlx::query!("update groups set ticket_url = $2 where id = $1", id.0, *url)
            .execute(&mut *conn)
            .await?;
        tell(conn, id, "ticket", url.as_deref(), by).await?;
    }
    if let Some(tags) = &edit.tags {
        sqlx::query!("update groups set tags = $2 where id = $1", id.0, tags)
            .execute(&mut *conn)
            .await?;
        tell(conn, id, "tagged", Some(&tags.join(", ")), by).await?;
    }
    if let Some(note) = &edit.note {
        tell(conn, id, "note", Some(note), by).await?;
    }
    Ok(())
}

async fn tell(
    conn: &mut PgConnection,
    id: GroupId,
    action: &str,
    detail: Option<&str>,
    by: Editor<'_>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into group_events (group_id, at, actor, action, detail)
         values ($1, $2, $3, $4, $5)",
        id.0,
        by.at,
        by.actor,
        action,
        detail,
    )
    .execute(conn)
    .await?;
    Ok(())
}
