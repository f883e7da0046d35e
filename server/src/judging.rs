//! Judges letters by the rules: new ones as they arrive, stored ones again when rules change.
//!
//! Every office keeps a judge made of the newest rules that it has seen. Whether these still are the
//! rules is asked in each transaction that stores judgements.

mod preview;
mod walk;

use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use dlo_domain::ids::SourceId;
use dlo_domain::judge::Judge;
use dlo_domain::type_rule::TypeRules;
use sqlx::PgConnection;

use crate::schemas::message_types;
use crate::store::judging::{self, Due};
use crate::store::rules::Standing;
use crate::store::{StoreError, alerts, registry_schemas, rules, schemas, type_rules};

pub use preview::{DAYS, preview};
pub use walk::{LOOK_EVERY, Walker};

/// The judge of the newest rules that this office has seen.
#[derive(Debug, Default)]
pub struct Judges {
    newest: Mutex<Arc<Judge>>,
}

impl Judges {
    /// That judge, which may be behind: at the beginning it knows no rules.
    #[must_use]
    pub fn newest(&self) -> Arc<Judge> {
        let newest = self.newest.lock();
        newest.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The judge of the rules as this transaction sees them.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub async fn current(&self, conn: &mut PgConnection) -> Result<Arc<Judge>, StoreError> {
        let revision = rules::revision(conn).await?;
        self.of(conn, revision).await
    }

    /// The same, with all else that the transaction must know of a source.
    ///
    /// # Errors
    /// When Postgres does not do it.
    pub async fn current_for(
        &self,
        conn: &mut PgConnection,
        source: SourceId,
    ) -> Result<(Arc<Judge>, Standing), StoreError> {
        let standing = rules::standing(conn, source).await?;
        Ok((self.of(conn, standing.revision).await?, standing))
    }

    async fn of(&self, conn: &mut PgConnection, revision: i64) -> Result<Arc<Judge>, StoreError> {
        let newest = self.newest();
        if revision == newest.revision() {
            return Ok(newest);
        }
        let judge = Arc::new(read(conn).await?);
        for rule in judge.left_out() {
            tracing::warn!(name = %rule.name, why = %rule.why, "a rule cannot be used and is left out");
        }
        *self.newest.lock().unwrap_or_else(PoisonError::into_inner) = judge.clone();
        Ok(judge)
    }
}

/// The judge of the rules as they are, which knows what alert rules count, and the message types that schemas tell of.
async fn read(conn: &mut PgConnection) -> Result<Judge, StoreError> {
    let mut types =
        message_types(&schemas::definitions(conn).await?, &registry_schemas::told(conn).await?);
    types.rules = TypeRules::new(&type_rules::all(conn).await?);
    let mut judge = rules::book(conn).await?.judge().with_types(Arc::new(types));
    // After the revision: should they be newer than it, they are read once more at the next.
    for kept in alerts::rules::all(conn).await?.iter().filter(|kept| kept.rule.rule.enabled) {
        if let Err(why) = judge.count(kept.counter, &kept.rule.rule.signal) {
            tracing::warn!(rule = %kept.rule.id, %why, "an alert rule counts nothing");
        }
    }
    Ok(judge)
}

/// Has letters judged again after a source got another name, if a rule asks for names. The rules
/// must have been taken before the name was changed.
///
/// # Errors
/// When Postgres does not do it.
pub async fn after_renaming(conn: &mut PgConnection, now: DateTime<Utc>) -> Result<(), StoreError> {
    if read(conn).await?.names_sources() {
        rules::revise(conn).await?;
        let all = Due { severity: true, signature: true, contents: false };
        judging::begin(conn, all, now).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
