//! A consumer with a bug that can be mended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use futures_util::StreamExt as _;
use lapin::options::{BasicAckOptions, BasicConsumeOptions, BasicRejectOptions};
use lapin::types::FieldTable;
use tokio::task::JoinHandle;

use super::broker::Vhost;

/// Takes messages of a queue: rejects them while it has its bug, and processes them after.
pub struct Consumer {
    has_bug: Arc<AtomicBool>,
    processed: Arc<AtomicU32>,
    task: JoinHandle<()>,
}

impl Consumer {
    /// Starts it, with its bug.
    pub async fn start(vhost: &Vhost, queue: &str) -> Self {
        let has_bug = Arc::new(AtomicBool::new(true));
        let processed = Arc::new(AtomicU32::new(0));
        let consume = vhost.channel.basic_consume(
            queue.into(),
            format!("consumer of {queue}").into(),
            BasicConsumeOptions::default(),
            FieldTable::default(),
        );
        let mut deliveries = consume.await.expect("consuming");
        let (bug, count) = (has_bug.clone(), processed.clone());
        let work = async move {
            while let Some(Ok(delivery)) = deliveries.next().await {
                let done = if bug.load(Ordering::SeqCst) {
                    let dead = BasicRejectOptions { requeue: false };
                    delivery.reject(dead).await
                } else {
                    count.fetch_add(1, Ordering::SeqCst);
                    delivery.ack(BasicAckOptions::default()).await
                };
                done.expect("answered");
            }
        };
        #[expect(clippy::disallowed_methods, reason = "the test owns the task and ends it")]
        let task = tokio::spawn(work);
        Self { has_bug, processed, task }
    }

    /// Takes the bug out.
    pub fn mend(&self) {
        self.has_bug.store(false, Ordering::SeqCst);
    }

    /// How many messages were processed.
    pub fn processed(&self) -> u32 {
        self.processed.load(Ordering::SeqCst)
    }

    /// Ends it.
    pub fn stop(self) {
        self.task.abort();
    }
}
