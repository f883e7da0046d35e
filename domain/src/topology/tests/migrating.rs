//! The way around queues whose arguments cannot change.

use serde_json::json;

use super::dead_lettering::to;
use super::{Draft, dying_to};
use crate::topology::{NewDeadLettering, Wish, plan};

/// Commands are what a person pastes: each names the queues exactly, and nothing of them is lost.
#[test]
fn the_way_around_takes_bindings_arguments_and_policies_along() {
    let mut declared = Draft::new()
        .queue(
            "a b/c",
            json!({"x-dead-letter-exchange": "old", "x-max-priority": 5, "x-expires": 9}),
        )
        .queue("dead", json!({}))
        .queue("waits", dying_to("", "a b/c"))
        .exchange("x%", "headers", json!({}))
        .bind("x%", "a b/c", "it's")
        .policy("limits", "^a b/c$", 7, json!({"max-length": 3, "queue-mode": "lazy"}));
    declared.0.queues[0]["policy"] = json!("limits");
    declared.0.bindings[0]["arguments"] = json!({"x-match": "any"});
    declared.0.bindings[0]["properties_key"] = json!("it's~h");
    let counting = NewDeadLettering { max_deliveries: Wish::Set(5), ..to("dead") };
    let steps = plan((&declared.read(), "/"), "a b/c", &counting).migration;
    let said: Vec<&str> = steps.iter().map(|step| &*step.says).collect();
    assert!(
        said[1].ends_with(
            "but without x-dead-letter-exchange, with x-queue-type quorum, without x-max-priority, \
             which no quorum queue knows."
        ),
        "{}",
        said[1]
    );
    assert!(said.iter().any(|says| says.contains("the dead-lettering of `waits`")));
    let commands: Vec<&str> =
        steps.iter().skip(1).flat_map(|step| step.commands.iter().map(String::as_str)).collect();
    let json = "-H 'content-type: application/json' -d";
    let wanted = [
        format!(
            r#"curl -fsS -X PUT "$RABBITMQ"'/api/queues/%2F/a%20b%2Fc.next' {json} '{{"arguments":{{"x-expires":9,"x-queue-type":"quorum"}},"auto_delete":false,"durable":true}}'"#
        ),
        format!(
            r#"curl -fsS -X PUT "$RABBITMQ"'/api/policies/%2F/limits.next' {json} '{{"apply-to":"queues","definition":{{"max-length":3}},"pattern":"^a b/c\\.next\\z","priority":7}}'"#
        ),
        format!(
            r#"curl -fsS -X POST "$RABBITMQ"'/api/bindings/%2F/e/x%25/q/a%20b%2Fc.next' {json} '{{"arguments":{{"x-match":"any"}},"routing_key":"it'\''s"}}'"#
        ),
        r#"curl -fsS -X DELETE "$RABBITMQ"'/api/bindings/%2F/e/x%25/q/a%20b%2Fc/it%27s~h'"#.to_owned(),
        r#"curl -fsS -X GET "$RABBITMQ"'/api/queues/%2F/a%20b%2Fc?columns=messages'"#.to_owned(),
        r#"curl -fsS -X DELETE "$RABBITMQ"'/api/queues/%2F/a%20b%2Fc?if-empty=true&if-unused=true'"#
            .to_owned(),
    ];
    assert_eq!(commands, wanted);
}
