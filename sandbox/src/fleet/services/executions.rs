//! The executor: dispatches `ExecutionRequested` envelopes to `worker.{id}.executions`, where
//! they expire when their worker is away. Workers 1 and 2 are there; 3 comes late; 7 is gone.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::message::text;
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use lapin::types::AMQPValue;
use serde_json::json;

const ACTIONS: &[&str] = &[
    "core.echo",
    "core.local",
    "slack.post_message",
    "aws.snapshot_volume",
    "jira.create_issue",
];
/// Milliseconds that an urgent execution waits: shorter than the time to live of its queue.
const URGENT_MS: &str = "2500";

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let worker = match failure {
        Some(Failure::WorkerAway) => 3,
        Some(Failure::WorkerGone) => 7,
        _ => desk.dice.pick(&[1, 2]),
    };
    let failed = failure == Some(Failure::ActionFailed);
    let action = if failed {
        "core.http_request"
    } else {
        desk.dice.pick(ACTIONS)
    };
    let execution = desk.dice.number(410_000, 499_999);
    let host = format!("api-{}.partners.example", desk.dice.number(1, 9));
    let body = json!({
        "message_id": desk.dice.uuid(),
        "message_type": "ExecutionRequested",
        "version": "1.0",
        "source": "executor-service",
        "timestamp": desk.moment().to_rfc3339(),
        "payload": {
            "execution_id": execution,
            "action_ref": action,
            "worker_id": worker,
            "attempt": 1,
            "config": {
                "parameters": { "url": format!("https://{host}/v2/hooks"), "timeout": 30, "verify": !failed },
                "timeout_seconds": 300
            }
        }
    });
    let message = Publication::new(
        topology::EXECUTIONS_EXCHANGE,
        format!("execution.dispatch.worker.{worker}"),
    )
    .json(&body)
    .header("x-execution-id", AMQPValue::LongLongInt(execution))
    .header(
        "x-scheduled-at",
        AMQPValue::Timestamp(desk.moment().timestamp().unsigned_abs()),
    )
    .header("x-policy", text("round-robin"));
    let message = desk.dress(message, "executor", "ExecutionRequested", "1.18.2");
    match failure {
        Some(Failure::WorkerGone) => {
            message.with(|properties| properties.with_expiration(URGENT_MS.into()))
        }
        _ => message,
    }
}

pub(super) fn diagnose(reading: &Reading) -> Option<Failure> {
    let refused = reading.is("/payload/action_ref", "core.http_request")
        && reading.is("/payload/config/parameters/verify", "false");
    refused.then_some(Failure::ActionFailed)
}

pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    (failure == Failure::ActionFailed).then(|| Report {
        class: "attune_worker::ActionError",
        message: format!(
            "execution {} of core.http_request failed: error sending request for url ({}): connection reset by peer (os error 104)",
            reading.field("/payload/execution_id"),
            reading.field("/payload/config/parameters/url"),
        ),
        trace: String::new(),
        dialect: Dialect::Rust,
    })
}
