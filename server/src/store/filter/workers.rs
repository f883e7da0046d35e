//! Workers that a filter names: as the queues that they work on, and as what their executions are.
//!
//! There are few workers beside the letters, and most letters of a worker's executions died in its own
//! queue, where an index finds them. Only where some did not are executions looked at.

use dlo_domain::filter::Test;
use sqlx::PgConnection;

use super::lookup::Lookup;
use super::{Sql, columns};
use crate::store::StoreError;

/// What is known of the workers that a filter's tests may mean.
#[derive(Debug, Clone, Default)]
pub(super) struct Known {
    /// Workers with the queues that they work on.
    queues: Vec<(String, String)>,
    /// Letters that died in none of these queues name executions of such workers.
    pub(super) are_elsewhere: bool,
}

/// The column that tests of workers ask for, beside the letter's queue.
const EXECUTIONS_WORKER: &str = "e.worker";

/// Looks up the workers that tests may mean: those of their names, or all of them when a test asks for
/// more than names.
pub(super) async fn look_up(conn: &mut PgConnection, tests: &[&Test]) -> Result<Known, StoreError> {
    if tests.is_empty() {
        return Ok(Known::default());
    }
    let names: Option<Vec<String>> = tests
        .iter()
        .map(|test| names(test))
        .collect::<Option<Vec<_>>>()
        .map(|names| names.concat());
    let rows = sqlx::query!(
        r#"select name, queue as "queue!" from workers
           where queue is not null and ($1::text[] is null or name = any($1))"#,
        names.as_deref(),
    )
    .fetch_all(&mut *conn)
    .await?;
    let queues: Vec<(String, String)> = rows.into_iter().map(|row| (row.name, row.queue)).collect();
    let are_elsewhere = match &names {
        Some(names) => are_elsewhere(conn, names, &queues).await?,
        None => true,
    };
    Ok(Known { queues, are_elsewhere })
}

/// The names that a test asks for, when it asks for nothing else.
fn names(test: &Test) -> Option<Vec<String>> {
    if *test == Test::Exists {
        return None;
    }
    let patterns = columns::patterns(test).into_iter();
    patterns.map(|pattern| pattern.as_literal().map(str::to_owned)).collect()
}

/// Whether letters of the executions of these workers died in another queue than their own.
async fn are_elsewhere(
    conn: &mut PgConnection,
    names: &[String],
    queues: &[(String, String)],
) -> Result<bool, StoreError> {
    let (of, own): (Vec<&str>, Vec<&str>) =
        queues.iter().map(|(name, queue)| (name.as_str(), queue.as_str())).unzip();
    let found = sqlx::query_scalar!(
        r#"select exists (
               select from executions e
               join letter_executions n on n.execution_id = e.id
               join letters l on l.id = n.letter_id
               where e.worker = any($1) and not exists (
                   select from unnest($2::text[], $3::text[]) as own (worker, queue)
                   where own.worker = e.worker and own.queue = l.queue)
           ) as "found!""#,
        names,
        &of as &[&str],
        &own as &[&str],
    )
    .fetch_one(conn)
    .await?;
    Ok(found)
}

/// Writes that a letter died in the queue of a worker that passes, or names an execution of one.
pub(super) fn write(sql: &mut Sql, known: &Known, by_letter: bool, test: &Test) {
    if !known.are_elsewhere {
        write_queues(sql, known, test);
        return;
    }
    sql.push("(");
    write_queues(sql, known, test);
    sql.push(" or ");
    if by_letter || names(test).is_none() {
        Lookup::ExecutionsWorker.write(sql, by_letter, |sql| write_worker(sql, test));
    } else {
        // Looked up once, so that an index finds these letters beside those of the queues.
        sql.push(
            "l.id = any(array(select n.letter_id from executions e \
             join letter_executions n on n.execution_id = e.id where ",
        );
        write_worker(sql, test);
        sql.push("))");
    }
    sql.push(")");
}

fn write_worker(sql: &mut Sql, test: &Test) {
    if *test == Test::Exists {
        sql.push(EXECUTIONS_WORKER).push(" is not null");
    } else {
        columns::write_name(sql, EXECUTIONS_WORKER, test);
    }
}

fn write_queues(sql: &mut Sql, known: &Known, test: &Test) {
    let passing = known.queues.iter().filter(|(name, _)| test.passes_name(name));
    let mut queues: Vec<String> = passing.map(|(_, queue)| queue.clone()).collect();
    queues.sort_unstable();
    queues.dedup();
    match &queues[..] {
        // Only an equality lets an index give the order too.
        [one] => sql.push("l.queue = ").push_bind(one.clone()),
        _ => sql.push("l.queue = any(").push_bind(queues).push(")"),
    };
}
