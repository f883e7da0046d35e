//! The part of the noting desk that is about causes.

use async_trait::async_trait;
use dlo_app::desk::{CauseDesk, DeskError};
use dlo_domain::causes::{Behind, Causes};
use dlo_domain::ids::GroupId;
use dlo_domain::timeline::{About, BARS, Reach, Timeline};
use serde_json::json;

use super::NotingDesk;
use crate::support::samples::sample;

#[async_trait]
impl CauseDesk for NotingDesk {
    async fn causes(&self) -> Result<Causes, DeskError> {
        self.note("causes".to_owned())?;
        Ok(sample(json!({
            "at": "2026-11-21T12:00:00Z", "stale_workers": 2, "stuck_executions": 10_000,
            "stuck_is_least": true, "queues_without_consumers": 1,
            "findings": [["critical", 1], ["high", 0], ["normal", 1], ["low", 0]],
        })))
    }

    async fn timeline(&self, about: &About, reach: Reach) -> Result<Timeline, DeskError> {
        self.note(format!("timeline {about:?} {}", reach.as_str()))?;
        let with = |last: i64| {
            let mut bars = vec![0; BARS - 1];
            bars.push(last);
            bars
        };
        Ok(self.told(sample(json!({
            "at": "2026-11-21T12:00:00Z", "reach": reach, "from": "2026-11-21T06:05:00Z",
            "bar_seconds": 300, "deaths": with(412),
            "workers": [{"worker": "<b>7", "bands": [
                {"since": "2026-11-21T11:00:00Z", "until": null, "away": "silent"}]}],
            "workers_left": 2,
            "queues": [{"broker": "main", "vhost": "/", "queue": "orders.work",
                "depths": with(1_204)}],
            "queues_left": 0,
        }))))
    }

    async fn behind_group(&self, id: GroupId) -> Result<Behind, DeskError> {
        self.note(format!("behind {id}"))?;
        Ok(self.told(Behind {
            letters: 3,
            workers: vec![("worker 7".to_owned(), 2)],
            executions: vec![("job/42".to_owned(), 1)],
        }))
    }
}
