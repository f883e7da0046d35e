//! The stored letters that a rule would hold for: how many, and which.

use std::collections::HashMap;

use dlo_domain::grouping::SignatureId;
use dlo_domain::ids::{GroupId, LetterId};
use dlo_domain::rule::SeverityCount;
use dlo_domain::severity::Severity;
use sqlx::{PgConnection, QueryBuilder};
use uuid::Uuid;

use crate::store::StoreError;
use crate::store::filter::Matching;

/// How many letters match.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Matched {
    /// All of them, up to the limit.
    pub letters: i64,
    /// The open ones by what they are, worst first.
    pub open: Vec<SeverityCount>,
}

/// Counts the letters that match, the newest `most` of them.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn matched(
    conn: &mut PgConnection,
    matching: &Matching,
    most: i64,
) -> Result<Matched, StoreError> {
    let mut sql = QueryBuilder::new(
        "select severity, state not in ('resolved', 'discarded'), count(*)
         from (select l.severity, l.state from letters l where ",
    );
    matching.write(&mut sql);
    sql.push(" order by l.last_arrived_at desc, l.id desc limit ")
        .push_bind(most)
        .push(") as newest group by 1, 2");
    let rows: Vec<(String, bool, i64)> =
        sql.build_query_as().persistent(false).fetch_all(conn).await?;
    let mut matched = Matched::default();
    for (word, is_open, letters) in rows {
        let severity: Severity =
            word.parse().map_err(|why| StoreError::corrupt("letters", "severity", why))?;
        matched.letters += letters;
        if is_open {
            matched.open.push(SeverityCount { severity, letters });
        }
    }
    matched.open.sort_by_key(|count| count.severity);
    Ok(matched)
}

/// The newest letters that match, with the sizes of their bodies in bytes.
///
/// # Errors
/// When Postgres does not do it.
pub async fn newest(
    conn: &mut PgConnection,
    matching: &Matching,
    most: i64,
) -> Result<Vec<(LetterId, i64)>, StoreError> {
    let mut sql = QueryBuilder::new("select l.id, l.size_bytes from letters l where ");
    matching.write(&mut sql);
    sql.push(" order by l.last_arrived_at desc, l.id desc limit ").push_bind(most);
    let rows: Vec<(Uuid, i64)> = sql.build_query_as().persistent(false).fetch_all(conn).await?;
    let rows = rows.into_iter();
    Ok(rows.map(|(id, size)| (LetterId(id), size)).collect())
}

/// The groups of signatures that have one.
///
/// # Errors
/// When Postgres does not do it.
pub async fn groups_of(
    conn: &mut PgConnection,
    signatures: impl Iterator<Item = SignatureId>,
) -> Result<HashMap<SignatureId, GroupId>, StoreError> {
    let ids: Vec<Vec<u8>> = signatures.map(|id| id.0.to_vec()).collect();
    let rows = sqlx::query!(
        r#"select id, group_id as "group_id!" from signatures
           where id = any($1) and group_id is not null"#,
        &ids,
    )
    .fetch_all(conn)
    .await?;
    let mut groups = HashMap::with_capacity(rows.len());
    for row in rows {
        let id = <[u8; 16]>::try_from(row.id)
            .map_err(|_| StoreError::corrupt("signatures", "id", "it does not have 16 bytes"))?;
        groups.insert(SignatureId(id), GroupId(row.group_id));
    }
    Ok(groups)
}
