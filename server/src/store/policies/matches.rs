//! Which letters a policy is for: of those that arrived, and of those that are stored.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use dlo_domain::filter::{Expr, LetterFilter};
use dlo_domain::ids::LetterId;
use sqlx::{PgConnection, QueryBuilder};
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::filter::Matching;

/// Takes those letters that match out of `letters`, and tells which they are.
///
/// # Errors
/// When Postgres does not do it.
pub async fn first_matches(
    conn: &mut PgConnection,
    filter: &LetterFilter,
    letters: &BTreeSet<LetterId>,
    now: DateTime<Utc>,
) -> Result<BTreeSet<LetterId>, StoreError> {
    if letters.is_empty() || filter.is_empty() {
        return Ok(letters.clone());
    }
    let matching = Matching::look_up(conn, filter, now).await?.by_letter();
    let ids: Vec<Uuid> = letters.iter().map(|id| id.0).collect();
    let mut sql = QueryBuilder::new("select l.id from letters l where l.id = any(");
    sql.push_bind(ids).push(") and ");
    matching.write(&mut sql);
    let found: Vec<Uuid> = sql.build_query_scalar().persistent(false).fetch_all(conn).await?;
    Ok(found.into_iter().map(LetterId).collect())
}

/// Stored letters that a policy would have been the first to match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matched {
    /// The newest of them, with the times at which they arrived last.
    pub letters: Vec<(LetterId, DateTime<Utc>)>,
    /// How many more match, but an earlier policy too; up to the same limit.
    pub taken_before: i64,
}

/// Letters that match a filter and none of `before`, the newest `most` of them.
///
/// # Errors
/// When Postgres does not do it, or not in time.
pub async fn matched(
    conn: &mut PgConnection,
    filter: &LetterFilter,
    before: &[LetterFilter],
    most: i64,
    now: DateTime<Utc>,
) -> Result<Matched, StoreError> {
    let mut matched = Matched::default();
    if before.iter().any(LetterFilter::is_empty) {
        // Nothing comes past that one.
        matched.taken_before = count(conn, filter, most, now).await?;
        return Ok(matched);
    }
    let before = before.iter().filter_map(|filter| filter.root().cloned());
    let any = Expr::any(before.collect());
    let not_before = any.clone().map(|any| Expr::Not(Box::new(any)));
    let own = filter.and(&LetterFilter::of(not_before));
    let matching = Matching::look_up(conn, &own, now).await?;
    let mut sql = QueryBuilder::new("select l.id, l.last_arrived_at from letters l where ");
    matching.write(&mut sql);
    sql.push(" order by l.last_arrived_at desc, l.id desc limit ").push_bind(most);
    let rows: Vec<(Uuid, DateTime<Utc>)> =
        sql.build_query_as().persistent(false).fetch_all(&mut *conn).await?;
    let letters = rows.into_iter().map(|(id, at)| (LetterId(id), at));
    matched.letters = letters.collect();
    if any.is_some() {
        let both = filter.and(&LetterFilter::of(any));
        matched.taken_before = count(conn, &both, most, now).await?;
    }
    Ok(matched)
}

async fn count(
    conn: &mut PgConnection,
    filter: &LetterFilter,
    most: i64,
    now: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let matching = Matching::look_up(conn, filter, now).await?;
    let mut sql = QueryBuilder::new("select count(*) from (select from letters l where ");
    matching.write(&mut sql);
    sql.push(" limit ").push_bind(most).push(") as some_letters");
    let counted = sql.build_query_scalar().persistent(false).fetch_one(conn).await?;
    Ok(counted)
}
