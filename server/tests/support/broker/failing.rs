//! A program that fails at every message.

use std::time::Duration;

use futures_util::StreamExt as _;
use lapin::options::{BasicConsumeOptions, BasicGetOptions, BasicQosOptions, BasicRejectOptions};
use lapin::types::FieldTable;
use tokio::time::Instant;

use super::Vhost;

impl Vhost {
    /// Fails at every message of a queue, again and again, until all of them died.
    pub async fn fail_all(&self, queue: &str) {
        let channel = self.connection.create_channel().await.expect("a channel");
        let qos = channel.basic_qos(200, BasicQosOptions::default());
        qos.await.expect("set");
        let (options, none) = (BasicConsumeOptions::default(), FieldTable::default());
        let consuming = channel.basic_consume(queue.into(), "fails".into(), options, none);
        let mut deliveries = consuming.await.expect("consuming");
        let deadline = Instant::now() + Duration::from_mins(5);
        loop {
            let next = tokio::time::timeout(Duration::from_millis(200), deliveries.next()).await;
            if let Ok(delivery) = next {
                let delivery = delivery.expect("it consumes").expect("delivered");
                let back = BasicRejectOptions { requeue: true };
                delivery.reject(back).await.expect("rejected");
            } else if self.depth(queue).await == 0 {
                break;
            }
            assert!(Instant::now() < deadline, "they do not die");
        }
        channel.close(200, "done".into()).await.expect("closed");
    }

    /// Takes so many messages of a queue, and loses the channel with them: each comes back once.
    pub async fn give_back_all(&self, queue: &str, count: u32) {
        let channel = self.connection.create_channel().await.expect("a channel");
        for _ in 0..count {
            let got = channel.basic_get(queue.into(), BasicGetOptions::default());
            assert!(got.await.expect("asked").is_some(), "it is there");
        }
        channel.close(200, "done".into()).await.expect("closed");
        super::super::until("they are back", || async { self.depth(queue).await == count }).await;
    }
}
