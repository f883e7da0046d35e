//! Whose queue it is, by what workers say in their heartbeats.

use dlo_domain::worker::Condition;
use sqlx::PgConnection;

use crate::store::StoreError;

/// Workers of one queue that are told.
const MOST: i64 = 20;

/// The workers that name this queue, by name, and how each is; the first 20.
///
/// # Errors
/// When Postgres does not do it or a row cannot be read.
pub async fn of_queue(
    conn: &mut PgConnection,
    queue: &str,
) -> Result<Vec<(String, Condition)>, StoreError> {
    let rows = sqlx::query!(
        r#"select name, case when state = 'stopped' then 'stopped' when state = 'draining' then 'draining'
               when silent_since is null then 'fresh' else 'stale' end as "condition!"
           from workers where queue = $1 order by name limit $2"#,
        queue,
        MOST,
    )
    .fetch_all(conn)
    .await?;
    rows.into_iter()
        .map(|row| {
            let condition = row.condition.parse();
            let condition =
                condition.map_err(|why| StoreError::corrupt("workers", "state", why))?;
            Ok((row.name, condition))
        })
        .collect()
}
