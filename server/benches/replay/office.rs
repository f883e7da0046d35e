//! The replay, as a person or a program asks a whole office for it over HTTP.

use std::error::Error;
use std::time::{Duration, Instant};

use reqwest::Method;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::letters::Bench;
use crate::whole_office::WholeOffice;

/// How long a replay took.
pub struct Timed {
    /// From the request to the answer: the plan is frozen.
    pub planning: Duration,
    /// From the request until a letter is in the queue.
    pub first: Duration,
    /// From the request until every letter has its outcome.
    pub whole: Duration,
}

/// Replays all that is held, and sees that every letter was confirmed.
pub async fn replay_all(
    bench: &Bench,
    office: &WholeOffice,
    count: usize,
    queue: &str,
) -> Result<Timed, Box<dyn Error>> {
    let wanted = json!({
        "selection": {"filter": "state:held"},
        "target": {"mode": "queue", "queue": queue},
    });
    let began = Instant::now();
    let first = async {
        while bench.depth_of(queue).await? == 0 {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        Ok(began.elapsed())
    };
    let whole = run(office, &wanted, count, Duration::from_millis(50));
    let ((planning, whole), first) = tokio::try_join!(whole, first)?;
    Ok(Timed { planning, first, whole })
}

/// Replays some letters that are held, as a click does; the time from the request to the last outcome.
pub async fn replay_some(
    bench: &Bench,
    office: &WholeOffice,
    count: usize,
    queue: &str,
) -> Result<Duration, Box<dyn Error>> {
    let ids: Vec<Uuid> =
        sqlx::query_scalar("select id from letters where state = 'held' order by id limit $1")
            .bind(i64::try_from(count)?)
            .fetch_all(&bench.pool)
            .await?;
    let wanted = json!({
        "selection": {"ids": ids},
        "target": {"mode": "queue", "queue": queue},
    });
    let (_, whole) = run(office, &wanted, count, Duration::from_millis(3)).await?;
    Ok(whole)
}

/// Asks for a replay and waits for its end; the time until the answer, and until every letter has its outcome.
async fn run(
    office: &WholeOffice,
    wanted: &Value,
    count: usize,
    pause: Duration,
) -> Result<(Duration, Duration), Box<dyn Error>> {
    let began = Instant::now();
    let planned = office.ask(Method::POST, "/api/v1/replays", Some(wanted)).await?;
    let planned: Value = serde_json::from_slice(&planned)?;
    let planning = began.elapsed();
    let id = planned["id"].as_str().ok_or("an id")?;
    let path = format!("/api/v1/replays/{id}");
    loop {
        let replay = office.ask(Method::GET, &path, None).await?;
        let replay: Value = serde_json::from_slice(&replay)?;
        if replay["state"] == "finished" {
            let whole = began.elapsed();
            if replay["outcomes"]["confirmed"] == json!(count) {
                return Ok((planning, whole));
            }
            return Err(format!("{}, and not {count} confirmed", replay["outcomes"]).into());
        }
        tokio::time::sleep(pause).await;
    }
}
