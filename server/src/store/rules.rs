//! The book of rules: reading and changing it, and the lock by which a change and intake take
//! turns. What a rule means is `dlo_domain::judge`'s.
//!
//! Every batch of intake shares the lock and then reads the revision; a change takes it alone. So a
//! change waits for the batches under way, and every later batch sees it.

use chrono::{DateTime, Utc};
use dlo_domain::error_report::WAITS_FOR;
use dlo_domain::ids::{RuleId, SourceId};
use dlo_domain::judge::{Judge, LeftOut};
use dlo_domain::rule::{NewRule, Rule, RuleKind, Verdict};
use sqlx::PgConnection;
use sqlx::postgres::types::PgInterval;
use uuid::Uuid;

use super::StoreError;

/// The rules of one revision.
#[derive(Debug, Clone)]
pub struct Book {
    /// Grows with every change.
    pub revision: i64,
    /// Both kinds, each in the order of asking.
    pub rules: Vec<Rule>,
    /// Rows that this version cannot read.
    pub left_out: Vec<LeftOut>,
}

impl Book {
    /// The rules of a kind, in the order of asking.
    pub fn of(&self, kind: RuleKind) -> impl Iterator<Item = &Rule> {
        let rules = self.rules.iter();
        rules.filter(move |rule| rule.rule.verdict.kind() == kind)
    }

    /// What is asked of letters, of a kind: changes of anything else change no letter.
    pub fn asked(&self, kind: RuleKind) -> Vec<(&str, &Verdict)> {
        let rules = self.of(kind).filter(|rule| rule.rule.enabled);
        rules.map(|rule| (rule.rule.filter.as_str(), &rule.rule.verdict)).collect()
    }

    /// A judge by these rules.
    #[must_use]
    pub fn judge(&self) -> Judge {
        Judge::new(self.revision, &self.rules, self.left_out.clone())
    }
}

/// Keeps rules from being changed until the transaction ends; with others who do the same. Ask for
/// the revision only after it, in a statement of its own: a statement sees what was there when it
/// began, and that may be before the lock was had.
///
/// # Errors
/// When Postgres does not do it.
pub async fn hold(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("select pg_advisory_xact_lock_shared(hashtextextended('rules', 0))")
        .execute(conn)
        .await?;
    Ok(())
}

/// Waits until nobody holds the rules, and lets nobody hold them until the transaction ends. To be
/// taken before any other lock.
///
/// # Errors
/// When Postgres does not do it.
pub async fn take(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("select pg_advisory_xact_lock(hashtextextended('rules', 0))")
        .execute(conn)
        .await?;
    Ok(())
}

/// The revision of the rules.
///
/// # Errors
/// When Postgres does not do it.
pub async fn revision(conn: &mut PgConnection) -> Result<i64, StoreError> {
    let revision = sqlx::query_scalar!("select revision from rule_book").fetch_one(conn).await?;
    Ok(revision)
}

/// What intake must know of rules. With the rules held none of it changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// The revision of the rules.
    pub revision: i64,
    /// The name of the source that letters come from.
    pub source: String,
    /// Retry policies are asked of what arrives.
    pub policies_are_asked: bool,
    /// Error reports wait for their letters.
    pub reports_wait: bool,
}

/// How things stand for a source.
///
/// # Errors
/// When Postgres does not do it.
pub async fn standing(conn: &mut PgConnection, source: SourceId) -> Result<Standing, StoreError> {
    let standing = sqlx::query_as!(
        Standing,
        r#"select b.revision, s.name as source, b.policies_are_asked,
               exists (select from error_reports where received_at > now() - $2::interval) as "reports_wait!"
           from rule_book b, sources s where s.id = $1"#,
        source.0,
        PgInterval::try_from(WAITS_FOR).unwrap_or_default(),
    )
    .fetch_one(conn)
    .await?;
    Ok(standing)
}

/// All rules. Both are read in one statement, so that they belong together.
///
/// # Errors
/// When Postgres does not do it.
pub async fn book(conn: &mut PgConnection) -> Result<Book, StoreError> {
    let rows = sqlx::query!(
        r#"select b.revision, r.id as "id?", r.position as "position?", r.name as "name?",
               r.filter as "filter?", r.verdict as "verdict?", r.enabled as "enabled?",
               r.changed_by as "changed_by?", r.changed_at as "changed_at?"
           from rule_book b left join rules r on true
           order by r.kind desc, r.position"#,
    )
    .fetch_all(conn)
    .await?;
    let mut book = Book {
        revision: rows.first().map_or(0, |row| row.revision),
        rules: Vec::with_capacity(rows.len()),
        left_out: Vec::new(),
    };
    for row in rows {
        let (Some(id), Some(changed_at)) = (row.id, row.changed_at) else {
            continue;
        };
        let name = row.name.unwrap_or_default();
        match serde_json::from_value(row.verdict.unwrap_or_default()) {
            Ok(verdict) => book.rules.push(Rule {
                id: RuleId(id),
                position: row.position.unwrap_or_default(),
                rule: NewRule {
                    name,
                    filter: row.filter.unwrap_or_default(),
                    verdict,
                    enabled: row.enabled.unwrap_or_default(),
                },
                changed_by: row.changed_by.unwrap_or_default(),
                changed_at,
            }),
            Err(why) => book.left_out.push(LeftOut {
                id: RuleId(id),
                name,
                why: format!("its verdict cannot be read: {why}"),
                since: changed_at,
            }),
        }
    }
    Ok(book)
}

/// Makes the revision greater.
///
/// # Errors
/// When Postgres does not do it.
pub async fn revise(conn: &mut PgConnection) -> Result<(), StoreError> {
    sqlx::query!("update rule_book set revision = revision + 1").execute(conn).await?;
    Ok(())
}

/// Adds a rule behind all others of its kind.
///
/// # Errors
/// When Postgres does not do it.
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    rule: &NewRule,
    by: &str,
    at: DateTime<Utc>,
) -> Result<(), StoreError> {
    sqlx::query!(
        "insert into rules
             (id, kind, position, name, filter, verdict, enabled, changed_by, changed_at)
         select $1, $2, coalesce(max(position), 0) + 1, $3, $4, $5, $6, $7, $8
         from rules where kind = $2",
        id,
        rule.verdict.kind().as_str(),
        rule.name,
        rule.filter,
        json(&rule.verdict),
        rule.enabled,
        by,
        at,
    )
    .execute(conn)
    .await?;
    Ok(())
}

/// Puts another in the place of a rule; `false` when there is none of that id.
///
/// # Errors
/// When Postgres does not do it.
pub async fn change(
    conn: &mut PgConnection,
    id: RuleId,
    rule: &NewRule,
    by: &str,
    at: DateTime<Utc>,
) -> Result<bool, StoreError> {
    let done = sqlx::query!(
        "update rules set name = $2, filter = $3, verdict = $4, enabled = $5, changed_by = $6,
             changed_at = $7
         where id = $1",
        id.0,
        rule.name,
        rule.filter,
        json(&rule.verdict),
        rule.enabled,
        by,
        at,
    )
    .execute(conn)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Removes a rule; its name, or nothing when there is none of that id. The others move up.
///
/// # Errors
/// When Postgres does not do it.
pub async fn remove(conn: &mut PgConnection, id: RuleId) -> Result<Option<String>, StoreError> {
    let name = sqlx::query_scalar!(
        "with gone as (delete from rules where id = $1 returning kind, position, name),
              moved as (
                  update rules r set position = r.position - 1 from gone
                  where r.kind = gone.kind and r.position > gone.position)
         select name from gone",
        id.0
    )
    .fetch_optional(conn)
    .await?;
    Ok(name)
}

/// Orders the rules of a kind anew; those that are not named come behind, as they were.
///
/// # Errors
/// When Postgres does not do it.
pub async fn order(
    conn: &mut PgConnection,
    kind: RuleKind,
    order: &[RuleId],
) -> Result<(), StoreError> {
    let ids: Vec<Uuid> = order.iter().map(|id| id.0).collect();
    sqlx::query!(
        "update rules r set position = placed.place
         from (
             select id, row_number() over (order by array_position($2::uuid[], id), position) as place
             from rules where kind = $1) as placed
         where r.id = placed.id and r.position <> placed.place",
        kind.as_str(),
        &ids,
    )
    .execute(conn)
    .await?;
    Ok(())
}

fn json(verdict: &Verdict) -> serde_json::Value {
    serde_json::to_value(verdict).expect("a verdict is words and texts")
}

#[cfg(test)]
mod tests;
