//! The product's own intake: a whole office, with everything on.

use std::error::Error;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::json;

use crate::letters::{Bench, QUEUE};
use crate::memory;
use crate::whole_office::WholeOffice;

/// How fast a queue was drained.
pub struct Drained {
    /// Letters a second until the last one was stored.
    pub stored: f64,
    /// Letters a second until the text index had the last one, too.
    pub indexed: f64,
    /// The most memory that the office had at once, in MiB.
    pub peak_mib: u64,
}

/// Drains the queue with an office of its own, and ends it when everything is searchable.
pub async fn drain(bench: &Bench, count: usize) -> Result<Drained, Box<dyn Error>> {
    forget(bench).await?;
    let office = WholeOffice::open(&bench.servers()).await?;
    let source = json!({"vhost": bench.vhost, "queue": QUEUE, "mode": "take"});
    let began = Instant::now();
    office.ask(Method::POST, "/api/v1/sources", Some(&source)).await?;
    let letters = "select coalesce(sum(letters), 0)::bigint from letter_counts";
    while usize::try_from(number(bench, letters).await?)? < count {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let stored = began.elapsed();
    // Each letter has an extract, and each is in the index.
    let indexed = "select count(*) from extracts where is_indexed";
    let unindexed =
        "select count(*) from (select from extracts where not is_indexed limit 1) as waiting";
    while number(bench, unindexed).await? > 0 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let searchable = began.elapsed();
    let peak_mib = memory::peak_mib(&office.pid)?;
    office.close().await?;
    let rows = number(bench, "select count(*) from arrivals").await?;
    let texts = number(bench, indexed).await?;
    let (rows, texts) = (usize::try_from(rows)?, usize::try_from(texts)?);
    if rows != count || texts != count || bench.depth().await? != 0 {
        return Err(format!("intake stored {rows} and indexed {texts} of {count}").into());
    }
    #[expect(clippy::cast_precision_loss, reason = "a count of letters")]
    let rate = |took: Duration| count as f64 / took.as_secs_f64();
    Ok(Drained { stored: rate(stored), indexed: rate(searchable), peak_mib })
}

/// Empties the database of everything that the round before it left.
async fn forget(bench: &Bench) -> Result<(), Box<dyn Error>> {
    sqlx::raw_sql(
        "truncate sources, letters, arrivals, extracts, signatures, signature_changes,
             signature_totals, letter_counts, death_counts, replays, audit cascade",
    )
    .execute(&bench.pool)
    .await?;
    Ok(())
}

async fn number(bench: &Bench, query: &'static str) -> Result<i64, Box<dyn Error>> {
    Ok(sqlx::query_scalar(query).fetch_one(&bench.pool).await?)
}
