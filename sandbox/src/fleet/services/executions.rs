//! The executor: dispatches `ExecutionRequested` envelopes to `worker.{id}.executions`, where
//! they expire when their worker is away. Workers 1 and 2 are there; 3 comes late; 7 is gone; 9 stopped
//! in good order, and its queue keeps whatever comes. What is told of executions is made here too.

use super::{Desk, Failure, Publication, Reading, Report};
use crate::fleet::message::{REPLAY_ATTEMPT_HEADER, text};
use crate::fleet::reports::Dialect;
use crate::fleet::topology;
use chrono::{DateTime, Utc};
use lapin::types::AMQPValue;
use serde_json::{Value, json};

const ACTIONS: &[&str] =
    &["core.echo", "core.local", "slack.post_message", "aws.snapshot_volume", "jira.create_issue"];
/// Milliseconds that an urgent execution waits: shorter than the time to live of its queue.
const URGENT_MS: &str = "2500";
/// Seconds since 1970 of the first moment of 2020: executions are numbered from there.
const FIRST_MOMENT: i64 = 1_577_836_800;

/// The number of the first execution of a fleet that starts now: later than all of a fleet that started
/// before on the same broker, which may have dispatched ten a second.
pub(in crate::fleet) fn first_number(started: DateTime<Utc>) -> i64 {
    (started.timestamp() - FIRST_MOMENT) * 10
}

pub(super) fn compose(failure: Option<Failure>, desk: &mut Desk) -> Publication {
    let worker = match failure {
        Some(Failure::WorkerAway) => 3,
        Some(Failure::WorkerGone) => 7,
        Some(Failure::WorkerStopped) => 9,
        _ => desk.dice.pick(&[1, 2]),
    };
    // Few may go to another worker: each that does is a replay of its own.
    let may_move = failure == Some(Failure::WorkerGone) && desk.dice.once_in(4);
    let failed = failure == Some(Failure::ActionFailed);
    let action = if failed { "core.http_request" } else { desk.dice.pick(ACTIONS) };
    let execution = desk.execution;
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
            "max_attempts": if may_move { 2 } else { 1 },
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
    .header("x-scheduled-at", AMQPValue::Timestamp(desk.moment().timestamp().unsigned_abs()))
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

/// What the executor tells of an execution before it hands it to a worker.
pub(in crate::fleet) fn handed_out(message: &Publication) -> Vec<Value> {
    let reading = Reading::new("", &message.properties, &message.body);
    let worker = format!("{}{}", topology::EXECUTION_WORKER, reading.field("/payload/worker_id"));
    let id = reading.field("/payload/execution_id");
    let most = &reading.fields["payload"]["max_attempts"];
    vec![
        json!({"id": id, "state": "requested", "max_attempts": most}),
        json!({"id": id, "state": "scheduling"}),
        json!({"id": id, "state": "scheduled", "worker": worker}),
    ]
}

/// How far a worker is with an execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::fleet) enum Stage<'a> {
    Begun,
    Done,
    /// With the error.
    WentWrong(&'a str),
}

/// What a worker tells of the execution that a message names, with the attempt that it is: a replay is
/// one more. Nothing when the message names none.
pub(in crate::fleet) fn told(worker: &str, reading: &Reading, stage: Stage) -> Option<Value> {
    let id = reading.field("/payload/execution_id");
    if id.is_empty() {
        return None;
    }
    let first = reading.fields["payload"]["attempt"].as_i64().unwrap_or(1);
    let replays =
        reading.header(REPLAY_ATTEMPT_HEADER).and_then(AMQPValue::as_long_int).unwrap_or_default();
    let mut report = json!({"id": id, "worker": worker, "attempt": first + i64::from(replays)});
    match stage {
        Stage::Begun => report["state"] = json!("running"),
        Stage::Done => {
            report["state"] = json!("completed");
            report["result"] = json!({
                "exit_code": 0,
                "action": reading.field("/payload/action_ref"),
                "bytes_written": reading.salt() % 8_192,
            });
        }
        Stage::WentWrong(error) => {
            report["state"] = json!("failed");
            report["error"] = json!(error);
        }
    }
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::{Stage, first_number, handed_out, told};
    use crate::fleet::dice::Dice;
    use crate::fleet::failures::Failure;
    use crate::fleet::message::{Publication, Reading};
    use crate::fleet::services::Desk;
    use chrono::{DateTime, TimeDelta};
    use lapin::types::AMQPValue;
    use serde_json::json;

    fn execution(failure: Failure) -> Publication {
        let mut desk =
            Desk { dice: &mut Dice::seeded(1), started: DateTime::UNIX_EPOCH, execution: 42 };
        super::compose(Some(failure), &mut desk)
    }

    fn reading(message: &Publication) -> Reading<'_> {
        Reading::new("worker.7.executions", &message.properties, &message.body)
    }

    #[test]
    fn an_execution_is_told_before_it_is_handed_out() {
        let told = handed_out(&execution(Failure::WorkerAway));
        let states: Vec<_> = told.iter().map(|report| report["state"].clone()).collect();
        assert_eq!(states, ["requested", "scheduling", "scheduled"]);
        assert!(told.iter().all(|report| report["id"] == "42"));
        assert_eq!(told[0]["max_attempts"], 1);
        assert_eq!(told[2]["worker"], "attune-worker-3");
    }

    #[test]
    fn a_replay_is_one_attempt_more() {
        let message = execution(Failure::WorkerGone);
        let first = told("w", &reading(&message), Stage::Begun);
        let wanted = json!({"id": "42", "worker": "w", "attempt": 1, "state": "running"});
        assert_eq!(first, Some(wanted));
        let again = message.header("x-dlo-attempt", AMQPValue::LongInt(2));
        let done = told("w", &reading(&again), Stage::Done).expect("it names one");
        assert_eq!((&done["attempt"], &done["state"]), (&json!(3), &json!("completed")));
        let failed = told("w", &reading(&again), Stage::WentWrong("reset")).expect("likewise");
        assert_eq!((&failed["error"], &failed["state"]), (&json!("reset"), &json!("failed")));
    }

    #[test]
    fn a_message_that_names_no_execution_tells_nothing() {
        for body in ["", "{}", "[1]", r#"{"payload": 7}"#, r#"{"payload": {"execution_id": null}}"#]
        {
            let message = Publication::new("", "").body("application/json", body);
            assert_eq!(told("w", &reading(&message), Stage::Begun), None, "{body}");
        }
    }

    #[test]
    fn a_fleet_that_starts_again_numbers_on() {
        let start = DateTime::UNIX_EPOCH + TimeDelta::days(20_000);
        assert_eq!(first_number(start + TimeDelta::seconds(7)) - first_number(start), 70);
        assert!(first_number(start) > 0);
    }
}
