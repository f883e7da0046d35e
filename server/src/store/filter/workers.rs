//! Workers that a filter names, as the queues that they work on. There are few of them beside the
//! letters, which an index then finds by their queue.

use dlo_domain::filter::Test;
use sqlx::PgConnection;

use super::{Sql, columns};
use crate::store::StoreError;

/// The workers that tests may mean, with their queues: those of these names, or all of them when a
/// test asks for more than names.
pub(super) async fn look_up(
    conn: &mut PgConnection,
    tests: &[&Test],
) -> Result<Vec<(String, String)>, StoreError> {
    if tests.is_empty() {
        return Ok(Vec::new());
    }
    let names: Option<Vec<String>> = tests
        .iter()
        .flat_map(|test| match test {
            Test::Exists => vec![None],
            test => columns::patterns(test)
                .into_iter()
                .map(|pattern| pattern.as_literal().map(str::to_owned))
                .collect(),
        })
        .collect();
    let rows = sqlx::query!(
        r#"select name, queue as "queue!" from workers
           where queue is not null and ($1::text[] is null or name = any($1))"#,
        names.as_deref(),
    )
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|row| (row.name, row.queue)).collect())
}

/// Writes that a letter died in the queue of a worker that passes.
pub(super) fn write(sql: &mut Sql, workers: &[(String, String)], test: &Test) {
    let passing = workers.iter().filter(|(name, _)| test.passes_name(name));
    let mut queues: Vec<String> = passing.map(|(_, queue)| queue.clone()).collect();
    queues.sort_unstable();
    queues.dedup();
    match &queues[..] {
        // Only an equality lets an index give the order too.
        [one] => sql.push("l.queue = ").push_bind(one.clone()),
        _ => sql.push("l.queue = any(").push_bind(queues).push(")"),
    };
}
