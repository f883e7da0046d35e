//! Publishing letters again.

use std::time::Duration;

use dlo_domain::globs::Globs;
use dlo_domain::worker::WorkerQueueNames;

use super::file::Reader;
use super::value::{globs, number, seconds, switch};

/// The section `[replay]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplayConfig {
    /// Whether this office publishes.
    pub enabled: bool,
    /// At most so many letters of a lane are on their way at once: so many may be unknown after a crash. 0 goes by
    /// how many letters there are.
    pub window: u16,
    /// A letter that was replayed so often is left out of further replays, unless whoever asks says
    /// that it is to be taken all the same.
    pub loop_cap: u16,
    /// What the queue of a worker is called: `{worker}` stands for its name.
    pub worker_queue: String,
    /// Other names that the queues of workers have.
    pub worker_queues: Globs,
    /// A replayed letter that has not come back for so long is resolved.
    pub settle_after: Duration,
    /// A replay that changes bodies waits for a second person, whether that was asked for or not.
    pub transforms_need_approval: bool,
}

impl Default for ReplayConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            window: 0,
            loop_cap: 20,
            worker_queue: WorkerQueueNames::default().template,
            worker_queues: Globs::default(),
            settle_after: Duration::from_hours(24),
            transforms_need_approval: false,
        }
    }
}

impl ReplayConfig {
    /// What the queues of workers are called.
    #[must_use]
    pub fn worker_queue_names(&self) -> WorkerQueueNames {
        WorkerQueueNames { template: self.worker_queue.clone(), others: self.worker_queues.clone() }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> ReplayConfig {
    let usual = ReplayConfig::default();
    let mut table = reader.table("replay");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_REPLAY"), switch);
    let window = reader.setting(&mut table, "window", Some("DLO_REPLAY_WINDOW"), number(0, 10_000));
    let loop_cap =
        reader.setting(&mut table, "loop_cap", Some("DLO_REPLAY_LOOP_CAP"), number(1, 10_000));
    let worker_queue = reader.setting(
        &mut table,
        "worker_queue",
        Some("DLO_REPLAY_WORKER_QUEUE"),
        queue_of_worker,
    );
    let worker_queues =
        reader.setting(&mut table, "worker_queues", Some("DLO_REPLAY_WORKER_QUEUES"), globs);
    let settle_after = reader.setting(
        &mut table,
        "settle_after_secs",
        Some("DLO_REPLAY_SETTLE_AFTER_SECS"),
        seconds(1, 31_536_000),
    );
    let transforms_need_approval = reader.setting(
        &mut table,
        "transforms_need_approval",
        Some("DLO_REPLAY_TRANSFORMS_NEED_APPROVAL"),
        switch,
    );
    reader.close(table);
    ReplayConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        window: window.unwrap_or(usual.window),
        loop_cap: loop_cap.unwrap_or(usual.loop_cap),
        worker_queue: worker_queue.unwrap_or(usual.worker_queue),
        worker_queues: worker_queues.unwrap_or(usual.worker_queues),
        settle_after: settle_after.unwrap_or(usual.settle_after),
        transforms_need_approval: transforms_need_approval
            .unwrap_or(usual.transforms_need_approval),
    }
}

fn queue_of_worker(text: &str) -> Result<String, String> {
    if text.contains("{worker}") && text.len() <= 200 {
        Ok(text.to_owned())
    } else {
        let why = "the name of a worker's queue holds `{worker}` and has at most 200 bytes";
        Err(why.to_owned())
    }
}
