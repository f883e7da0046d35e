//! The floor: the broker's own shovel, which has no database and knows no letters.

use std::error::Error;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::letters::{Bench, QUEUE};
use crate::{TARGET, variable};

/// Moves all letters from the dead-letter queue to the target; letters a second.
pub async fn run(bench: &Bench, count: usize) -> Result<f64, Box<dyn Error>> {
    let management = variable("DLO_TEST_MANAGEMENT_URL")?;
    let address = format!("{management}/api/parameters/shovel/{}/bench", bench.vhost);
    let uri = format!("amqp:///{}", bench.vhost);
    let shovel = json!({"value": {
        "src-protocol": "amqp091", "src-uri": uri, "src-queue": QUEUE,
        "src-prefetch-count": 1000,
        "dest-protocol": "amqp091", "dest-uri": uri, "dest-queue": TARGET,
        "ack-mode": "on-confirm",
    }});
    let client = reqwest::Client::new();
    let began = Instant::now();
    client.put(&address).json(&shovel).send().await?.error_for_status()?;
    while usize::try_from(bench.depth_of(TARGET).await?)? < count {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let took = began.elapsed();
    client.delete(&address).send().await?.error_for_status()?;
    // What it had not acknowledged yet is in its queue again when it is gone.
    tokio::time::sleep(Duration::from_secs(1)).await;
    purge(bench, QUEUE).await?;
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let rate = count as f64 / took.as_secs_f64();
    Ok(rate)
}

/// Declares a durable queue.
pub async fn declare(bench: &Bench, queue: &str) -> Result<(), Box<dyn Error>> {
    let client = reqwest::Client::new();
    let request = client.put(address(bench, queue)?);
    let durable = json!({"durable": true});
    request.json(&durable).send().await?.error_for_status()?;
    Ok(())
}

/// Empties a queue.
pub async fn purge(bench: &Bench, queue: &str) -> Result<(), Box<dyn Error>> {
    let client = reqwest::Client::new();
    let request = client.delete(format!("{}/contents", address(bench, queue)?));
    request.send().await?.error_for_status()?;
    Ok(())
}

fn address(bench: &Bench, queue: &str) -> Result<String, Box<dyn Error>> {
    let management = variable("DLO_TEST_MANAGEMENT_URL")?;
    Ok(format!("{management}/api/queues/{}/{queue}", bench.vhost))
}
