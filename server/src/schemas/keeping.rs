//! Schemas are kept and removed. Each is a change of what letters are read by: it is made as one of the rules is, and
//! stored letters are read again after it.

use chrono::{DateTime, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::event::LiveEvent;
use dlo_domain::schema::{NewSchema, Schema};
use sqlx::PgConnection;

use super::Compiled;
use crate::store::audit::{self, Note};
use crate::store::judging::{Due, begin};
use crate::store::schemas::{self, NewVersion};
use crate::store::{StoreError, events, rules};

/// Who changes schemas, and when.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// Who.
    pub actor: &'a Actor,
    /// When.
    pub at: DateTime<Utc>,
}

/// Keeps a schema that was compiled, as the next version of its name.
///
/// # Errors
/// Returns an error if Postgres does not do it: then the transaction must be given up.
pub async fn add(
    conn: &mut PgConnection,
    change: Change<'_>,
    schema: &NewSchema,
    compiled: &Compiled,
) -> Result<Schema, StoreError> {
    rules::take(conn).await?;
    let new = NewVersion {
        name: &schema.name,
        files: &schema.files,
        descriptor_set: compiled.descriptor_set.as_deref(),
        message_types: &compiled.message_types,
        by: &change.actor.0,
        at: change.at,
    };
    let version = schemas::insert(conn, new).await?;
    let types = compiled.message_types.len();
    let detail = format!("`{}` version {version}, {types} message types", schema.name);
    read_anew(conn, change, "schema.add", &detail).await?;
    Ok(Schema {
        name: schema.name.clone(),
        version,
        files: schema.files.keys().cloned().collect(),
        message_types: compiled.message_types.clone(),
        uploaded_by: change.actor.0.clone(),
        uploaded_at: change.at,
        is_used: true,
    })
}

/// Has a schema used no longer. Returns whether it was.
///
/// # Errors
/// Returns an error if Postgres does not do it: then the transaction must be given up.
pub async fn remove(
    conn: &mut PgConnection,
    change: Change<'_>,
    name: &str,
) -> Result<bool, StoreError> {
    rules::take(conn).await?;
    let was_used = schemas::remove(conn, name, change.at).await?;
    if was_used {
        read_anew(conn, change, "schema.remove", &format!("`{name}`")).await?;
    }
    Ok(was_used)
}

/// Has letters read by the schemas as they are now: new ones, and those that are stored.
pub(super) async fn read_anew(
    conn: &mut PgConnection,
    Change { actor, at }: Change<'_>,
    action: &str,
    detail: &str,
) -> Result<(), StoreError> {
    rules::revise(conn).await?;
    begin(conn, Due { contents: true, ..Due::default() }, at).await?;
    let note = Note { at, actor, action, detail: Some(detail), replay: None };
    audit::write_office(conn, note).await?;
    events::notify(conn, &LiveEvent::Rules).await
}
