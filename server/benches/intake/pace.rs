//! Letters that come at an even pace for a while: how far the text index is behind.

use std::error::Error;
use std::time::Duration;

use chrono::DateTime;
use dlo_server::clock::{Clock as _, SystemClock};
use reqwest::Method;
use serde_json::json;
use sqlx::PgPool;
use tokio::time::{Instant, MissedTickBehavior};
use uuid::Uuid;

use crate::drain;
use crate::letters::{Bench, QUEUE};
use crate::progress;
use crate::whole_office::WholeOffice;

/// Letters that come at once, so many times a second.
const AT_ONCE: usize = 100;
/// How often it is looked how far behind the index is.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// How long the index may take to catch up when nothing comes any more.
const PATIENCE: Duration = Duration::from_mins(2);

/// How letters came, and how far the index was behind.
pub struct Paced {
    /// Letters that came a second: fewer than wanted where the broker or this program could not.
    pub a_second: f64,
    /// The longest time, in seconds, that a letter was stored and not searchable.
    pub behind: f64,
}

/// Lets letters of a size come, so many a second.
pub async fn run(
    bench: &Bench,
    size: usize,
    a_second: usize,
    lasts: Duration,
) -> Result<Paced, Box<dyn Error>> {
    drain::forget(bench).await?;
    let office = WholeOffice::open(&bench.servers()).await?;
    let source = json!({"vhost": bench.vhost, "queue": QUEUE, "mode": "take"});
    office.ask(Method::POST, "/api/v1/sources", Some(&source)).await?;
    let coming = async {
        let mut ticks = tokio::time::interval(Duration::from_secs(1) / times(a_second));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
        let began = Instant::now();
        let mut sent = 0;
        while began.elapsed() < lasts {
            ticks.tick().await;
            bench.publish(size, sent..sent + AT_ONCE).await?;
            sent += AT_ONCE;
        }
        Ok::<_, Box<dyn Error>>((sent, progress::rate(sent, began.elapsed())))
    };
    let give_up = Instant::now() + lasts + PATIENCE;
    let mut worst = Duration::ZERO;
    let mut sent = None;
    tokio::pin!(coming);
    loop {
        tokio::select! {
            all = &mut coming, if sent.is_none() => sent = Some(all?),
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
        let oldest = oldest_unindexed(&bench.pool).await?;
        worst = worst.max(oldest.unwrap_or_default());
        if let Some((sent, a_second)) = sent.filter(|_| oldest.is_none())
            && drain::stored(bench).await? == sent
        {
            office.close().await?;
            return Ok(Paced { a_second, behind: worst.as_secs_f64() });
        }
        if Instant::now() > give_up {
            return Err("the text index never caught up".into());
        }
    }
}

/// How often letters come at once.
fn times(a_second: usize) -> u32 {
    u32::try_from(a_second / AT_ONCE).unwrap_or(u32::MAX).max(1)
}

/// For how long the oldest letter is stored that the index does not have; its id begins with the time.
async fn oldest_unindexed(pool: &PgPool) -> Result<Option<Duration>, sqlx::Error> {
    let oldest: Option<Uuid> =
        sqlx::query_scalar("select letter_ids[1] from unindexed_letters order by number limit 1")
            .fetch_optional(pool)
            .await?;
    let Some((seconds, _)) = oldest.and_then(|id| id.get_timestamp()).map(|time| time.to_unix())
    else {
        return Ok(None);
    };
    let since = DateTime::from_timestamp_secs(seconds.try_into().unwrap_or_default());
    let waited = since.map(|since| SystemClock.now() - since);
    Ok(waited.and_then(|waited| waited.to_std().ok()))
}
