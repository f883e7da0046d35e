//! The product's own intake: a whole office, with everything on.

use std::error::Error;
use std::time::Duration;

use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;

use crate::letters::{Bench, QUEUE};
use crate::memory;
use crate::progress::{self, Progress};
use crate::whole_office::WholeOffice;

/// How a queue was drained.
pub struct Drained {
    /// How many letters were stored at each moment, from the wish to watch the queue on.
    pub stored: Progress,
    /// Letters a second until the text index had the last one, too.
    pub indexed: f64,
    /// The most memory that the office had at once, in MiB.
    pub peak_mib: u64,
    /// What a letter takes on the disk with all its rows and indexes, in bytes.
    pub bytes_a_letter: usize,
}

/// What letters take, in all weeks.
const SPACE: &str = "
    select sum(pg_total_relation_size(relid))::bigint
    from unnest(array['letters', 'arrivals', 'extracts', 'texts']::regclass[]) as root,
         pg_partition_tree(root)
    where isleaf";

/// Drains the queue with an office of its own, and ends it when everything is searchable. `meanwhile` is done again and
/// again until everything is stored.
pub async fn drain(
    bench: &Bench,
    count: usize,
    mut meanwhile: impl AsyncFnMut(&PgPool) -> Result<(), sqlx::Error>,
) -> Result<Drained, Box<dyn Error>> {
    forget(bench).await?;
    let office = WholeOffice::open(&bench.servers()).await?;
    let source = json!({"vhost": bench.vhost, "queue": QUEUE, "mode": "take"});
    let mut progress = Progress::begin();
    office.ask(Method::POST, "/api/v1/sources", Some(&source)).await?;
    loop {
        let letters = stored(bench).await?;
        progress.mark(letters);
        if letters >= count {
            break;
        }
        meanwhile(&bench.pool).await?;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let indexed = "select count(*) from texts";
    let unindexed = "select count(*) from (select from unindexed_letters limit 1) as waiting";
    while number(bench, unindexed).await? > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let searchable = progress.elapsed();
    let peak_mib = memory::peak_mib(&office.pid)?;
    office.close().await?;
    let (rows, texts) =
        (number(bench, "select count(*) from arrivals").await?, number(bench, indexed).await?);
    if rows != count || texts != count || bench.depth().await? != 0 {
        return Err(format!("intake stored {rows} and indexed {texts} of {count}").into());
    }
    let indexed = progress::rate(count, searchable.saturating_sub(progress.start_up()));
    let bytes_a_letter = number(bench, SPACE).await? / count;
    Ok(Drained { stored: progress, indexed, peak_mib, bytes_a_letter })
}

/// How many letters are stored, by the counters.
pub async fn stored(bench: &Bench) -> Result<usize, Box<dyn Error>> {
    number(bench, "select coalesce(sum(letters), 0)::bigint from letter_counts").await
}

/// Empties the database of everything that the round before it left.
pub async fn forget(bench: &Bench) -> Result<(), Box<dyn Error>> {
    sqlx::raw_sql(
        "truncate sources, letters, arrivals, extracts, texts, unindexed_letters, signatures, signature_changes,
             signature_totals, letter_counts, death_counts, replays, audit cascade",
    )
    .execute(&bench.pool)
    .await?;
    Ok(())
}

async fn number(bench: &Bench, query: &'static str) -> Result<usize, Box<dyn Error>> {
    let number: i64 = sqlx::query_scalar(query).fetch_one(&bench.pool).await?;
    Ok(usize::try_from(number)?)
}
