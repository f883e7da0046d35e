//! Figures of the last days, minute by minute, for the preview of a rule. Letters are read here, the newest
//! only: nothing of this is asked when rules are evaluated.

use chrono::{DateTime, Utc};
use dlo_domain::ids::AlertRuleId;
use sqlx::{PgConnection, QueryBuilder};

use crate::store::StoreError;
use crate::store::filter::Matching;

/// How many there were in a minute.
pub type Minute = (DateTime<Utc>, i64);

/// The last arrivals of letters that match, of the newest `most` letters.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn arrivals(
    conn: &mut PgConnection,
    matching: &Matching,
    from: DateTime<Utc>,
    most: i64,
) -> Result<Vec<Minute>, StoreError> {
    let mut sql = QueryBuilder::new(
        "select date_trunc('minute', at), count(*) from (
             select l.last_arrived_at as at from letters l where l.last_arrived_at >= ",
    );
    sql.push_bind(from).push(" and ");
    matching.write(&mut sql);
    sql.push(" order by l.last_arrived_at desc, l.id desc limit ")
        .push_bind(most)
        .push(") as newest group by 1 order by 1");
    Ok(sql.build_query_as().persistent(false).fetch_all(conn).await?)
}

/// All arrivals.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn all_arrivals(
    conn: &mut PgConnection,
    from: DateTime<Utc>,
) -> Result<Vec<Minute>, StoreError> {
    let rows = sqlx::query!(
        r#"select minute, sum(arrivals)::bigint as "arrivals!" from death_counts
           where minute >= $1 group by minute order by minute"#,
        from,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.minute, row.arrivals)).collect())
}

/// Executions that timed out.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn timeouts(
    conn: &mut PgConnection,
    from: DateTime<Utc>,
) -> Result<Vec<Minute>, StoreError> {
    let rows = sqlx::query!(
        r#"select minute, sum(timeouts)::bigint as "timeouts!" from execution_minutes
           where minute >= $1 group by minute order by minute"#,
        from,
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.minute, row.timeouts)).collect())
}

/// From when until when letters that match waited: of those that wait the one that has done so for the longest,
/// and of the others the newest `most`, from when they arrived last until they were replayed or done.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn waited(
    conn: &mut PgConnection,
    matching: &Matching,
    (from, now): (DateTime<Utc>, DateTime<Utc>),
    most: i64,
) -> Result<Vec<(DateTime<Utc>, DateTime<Utc>)>, StoreError> {
    let mut sql = QueryBuilder::new("select l.state_since, ");
    sql.push_bind(now).push("::timestamptz from letters l where l.state = 'held' and ");
    matching.write(&mut sql);
    sql.push(" order by l.state_since limit 1");
    let mut waited: Vec<_> = sql.build_query_as().persistent(false).fetch_all(&mut *conn).await?;
    let mut sql = QueryBuilder::new(
        "select l.last_arrived_at, least(l.state_since,
             case when l.claimed_at > l.last_arrived_at then l.claimed_at end)
         from letters l where l.state <> 'held' and l.state_since >= ",
    );
    sql.push_bind(from).push(" and ");
    matching.write(&mut sql);
    sql.push(" order by l.last_arrived_at desc, l.id desc limit ").push_bind(most);
    let left: Vec<(DateTime<Utc>, DateTime<Utc>)> =
        sql.build_query_as().persistent(false).fetch_all(conn).await?;
    waited.extend(left);
    Ok(waited)
}

/// How often alerts of a rule fired.
///
/// # Errors
/// Returns an error if a query fails.
pub async fn fired(
    conn: &mut PgConnection,
    rule: AlertRuleId,
    from: DateTime<Utc>,
) -> Result<i64, StoreError> {
    let fired = sqlx::query_scalar!(
        r#"select count(*) as "fired!" from alerts where rule_id = $1 and fired_at >= $2"#,
        rule.0,
        from,
    )
    .fetch_one(conn)
    .await?;
    Ok(fired)
}
