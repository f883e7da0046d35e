//! A worker that goes on beating while servers stand still.

use std::time::Duration;

use dlo_server::broker::Brokers;
use lapin::options::BasicPublishOptions;
use lapin::{BasicProperties, Connection, ConnectionProperties};
use serde_json::json;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};

/// A worker that says every second that it lives, whatever becomes of its connection.
pub struct Beating(JoinHandle<()>);

impl Beating {
    /// Starts it.
    pub fn start(brokers: &Brokers, vhost: &str, worker: &'static str) -> Self {
        let uri = brokers.uri("main", vhost).expect("an address");
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        Self(tokio::spawn(async move {
            loop {
                let connect = Connection::connect_uri(uri.clone(), ConnectionProperties::default());
                if let Ok(Ok(connection)) = timeout(Duration::from_secs(5), connect).await {
                    beat_while_it_lasts(&connection, worker).await;
                }
                sleep(Duration::from_secs(1)).await;
            }
        }))
    }

    /// Ends it.
    pub fn stop(self) {
        self.0.abort();
    }
}

async fn beat_while_it_lasts(connection: &Connection, worker: &str) {
    let Ok(channel) = connection.create_channel().await else {
        return;
    };
    let (key, options) = (format!("heartbeat.{worker}"), BasicPublishOptions::default());
    loop {
        let said = json!({
            "worker": worker, "interval_seconds": 1.0, "queue": format!("worker.{worker}.executions"),
        })
        .to_string();
        let sent = channel.basic_publish(
            "dlo.fleet".into(),
            key.as_str().into(),
            options,
            said.as_bytes(),
            BasicProperties::default(),
        );
        // A broker that stands still does not answer.
        if let Ok(Err(_)) = timeout(Duration::from_secs(2), sent).await {
            return;
        }
        sleep(Duration::from_secs(1)).await;
    }
}
