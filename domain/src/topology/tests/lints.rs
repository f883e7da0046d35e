//! The findings.

use serde_json::json;

use super::{Draft, dying, dying_to, sound};
use crate::severity::Severity;
use crate::topology::{FindingKind as Kind, Gap};

#[test]
fn a_sound_vhost_has_no_findings_but_that_classic_queues_forget_early() {
    let found = sound().findings();
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].kind, found[0].severity), (Kind::AtMostOnce, Severity::Low));
    assert_eq!(found[0].subject, "work");
}

#[test]
fn an_exchange_that_is_missing_is_found_where_a_policy_names_it_too() {
    let by_argument = Draft::new().queue("work", dying("dlx")).only();
    assert_eq!(
        (by_argument.kind, by_argument.severity),
        (Kind::ExchangeMissing, Severity::Critical)
    );
    assert_eq!(by_argument.other, "dlx");
    assert!(by_argument.lost.contains("its arguments"), "{}", by_argument.lost);
    let command = by_argument.command.expect("one command mends it");
    assert_eq!(
        command,
        r#"RABBITMQ=http://USER:PASSWORD@HOST:15672; curl -fsS -X PUT "$RABBITMQ"'/api/exchanges/%2F/dlx' -H 'content-type: application/json' -d '{"durable":true,"type":"fanout"}'"#
    );
    let dlx = json!({"dead-letter-exchange": "dlx"});
    let by_policy = Draft::new()
        .queue_with("work", json!({"policy": "dlx-all", "effective_policy_definition": dlx}))
        .policy("dlx-all", ".*", 0, dlx.clone())
        .only();
    assert!(by_policy.lost.contains("policy `dlx-all`"), "{}", by_policy.lost);
}

#[test]
fn at_least_once_keeps_what_cannot_arrive() {
    let arguments = json!({
        "x-dead-letter-exchange": "dlx", "x-dead-letter-strategy": "at-least-once",
        "x-overflow": "reject-publish",
    });
    let found = Draft::new().quorum("work", arguments).only();
    assert_eq!((found.kind, found.severity), (Kind::ExchangeMissing, Severity::High));
    assert!(found.lost.contains("nothing is lost"), "{}", found.lost);
}

#[test]
fn an_exchange_without_bindings_is_found() {
    let bare = || Draft::new().queue("work", dying("dlx")).exchange("dlx", "fanout", json!({}));
    let found = bare().only();
    assert_eq!((found.kind, found.severity), (Kind::Unbound, Severity::Critical));
    let rescued = Draft::new()
        .queue("work", dying("dlx"))
        .exchange("dlx", "fanout", json!({"alternate-exchange": "rest"}))
        .exchange("rest", "fanout", json!({}))
        .queue_with("dead", json!({"consumers": 0}))
        .bind("rest", "dead", "");
    assert_eq!(rescued.kinds(), []);
    // A binding to a queue of another name in the list does not help.
    let other = bare().bind("dlx", "gone", "");
    assert_eq!(other.only().kind, Kind::Unbound);
}

#[test]
fn a_key_that_no_binding_takes_is_found() {
    let of_key = |key| {
        Draft::new()
            .queue("work", dying_to("dlx", key))
            .exchange("dlx", "direct", json!({}))
            .queue_with("dead", json!({"consumers": 0}))
            .bind("dlx", "dead", "work")
    };
    assert_eq!(of_key("work").kinds(), []);
    let found = of_key("other").only();
    assert_eq!((found.kind, found.severity), (Kind::Unbound, Severity::Critical));
    assert!(found.lost.contains("`other`"), "{}", found.lost);
    // It keeps its own keys, of which one is bound.
    let partly = Draft::new()
        .queue("work", dying("dlx"))
        .exchange("in", "direct", json!({}))
        .bind("in", "work", "paid")
        .bind("in", "work", "sent")
        .exchange("dlx", "direct", json!({}))
        .queue_with("dead", json!({"consumers": 0}))
        .bind("dlx", "dead", "paid");
    let found = partly.only();
    assert_eq!((found.kind, found.severity), (Kind::Unbound, Severity::High));
    assert!(found.lost.contains("`sent`") && !found.lost.contains("`paid`"));
}

#[test]
fn an_exchange_that_is_named_for_failed_messages_and_takes_them_nowhere_is_found() {
    for (name, is_named) in [("orders_error", true), ("orders_skipped", true), ("orders", false)] {
        let found = Draft::new().exchange(name, "fanout", json!({})).findings();
        let told: Vec<_> = found.iter().map(|one| (one.kind, &*one.subject)).collect();
        let wanted = is_named.then_some((Kind::ErrorsUnbound, name));
        assert_eq!(told, Vec::from_iter(wanted));
    }
    let bare = || Draft::new().exchange("orders_error", "fanout", json!({}));
    let beside = bare().queue_with("orders_error", json!({"consumers": 0})).only();
    assert!(beside.fix.starts_with("Bind the queue `orders_error`"), "{}", beside.fix);
    let bound = bare().queue_with("failures", json!({"consumers": 0}));
    assert_eq!(bound.bind("orders_error", "failures", "").kinds(), []);
    let rescued = json!({"alternate-exchange": "rest"});
    assert_eq!(Draft::new().exchange("orders_error", "fanout", rescued).kinds(), []);
    // Where a queue dead-letters to it, that is what is found.
    let told = bare().queue("work", dying("orders_error")).only();
    assert_eq!(told.kind, Kind::Unbound);
    let mut unknown = bare();
    unknown.0.gaps.push(Gap::Wiring);
    assert_eq!(unknown.kinds(), []);
}

#[test]
fn the_default_exchange_needs_a_queue_of_that_name() {
    let to = |name: &str| Draft::new().queue("work", dying_to("", name));
    let there = to("dead").queue_with("dead", json!({"consumers": 0}));
    assert_eq!(there.kinds(), []);
    let found = to("dead").only();
    assert_eq!((found.kind, found.subject.as_str()), (Kind::Unbound, "work"));
    assert!(found.fix.contains("`dead`"), "{}", found.fix);
}

#[test]
fn a_hash_on_a_direct_exchange_is_found_where_it_matters() {
    let with = |kind: &str| {
        Draft::new()
            .queue("work", dying("dlx"))
            .exchange("dlx", kind, json!({}))
            .queue_with("dead", json!({"consumers": 0}))
            .bind("dlx", "dead", "#")
    };
    assert_eq!(with("topic").kinds(), []);
    let found = with("direct").only();
    assert_eq!((found.kind, found.severity), (Kind::LiteralHash, Severity::Critical));
    let command = found.command.expect("one command mends it");
    assert!(
        command.contains("-X POST") && command.contains("/api/bindings/%2F/e/dlx/q/dead'"),
        "{command}"
    );
    assert!(command.ends_with(r#"-d '{"routing_key":"work"}'"#), "{command}");
    // Bound with the right key as well, it does no harm.
    assert_eq!(with("direct").bind("dlx", "dead", "work").kinds(), []);
}

#[test]
fn a_dead_letter_queue_that_dead_letters_is_found_and_a_retry_queue_is_not() {
    let on =
        sound().queue_with("dead", json!({"consumers": 0, "arguments": dying_to("", "further")}));
    let mut on = on;
    on.0.queues.remove(1);
    let on = on.queue_with("further", json!({"consumers": 0}));
    assert_eq!(on.kinds(), [(Kind::Chain, "dead".to_owned())]);
    let mut back = sound().queue_with(
        "dead",
        json!({"consumers": 0, "arguments": {
            "x-dead-letter-exchange": "", "x-dead-letter-routing-key": "work",
            "x-message-ttl": 5000,
        }}),
    );
    back.0.queues.remove(1);
    assert_eq!(back.kinds(), []);
}

#[test]
fn a_queue_that_dead_letters_to_itself_is_found() {
    let found = Draft::new().queue("work", dying("")).only();
    assert_eq!((found.kind, found.other.as_str()), (Kind::Chain, "work"));
}

#[test]
fn dead_letter_queues_that_forget_are_found() {
    let of = |arguments: serde_json::Value| {
        let mut draft = sound();
        draft.0.queues[1]["arguments"] = arguments;
        draft.only()
    };
    let found = of(json!({"x-message-ttl": 604_800_000}));
    assert_eq!((found.kind, found.severity), (Kind::LettersExpire, Severity::High));
    assert_eq!(found.title, "`dead` forgets after 7 days");
    assert_eq!(of(json!({"x-expires": 3_600_000})).other, "expires");
    let full = of(json!({"x-max-length": 1000}));
    assert_eq!((full.kind, full.severity), (Kind::LettersOverflow, Severity::High));
    assert!(full.lost.contains("drops the oldest"), "{}", full.lost);
    let refusing = of(json!({"x-max-length-bytes": 1, "x-overflow": "reject-publish"}));
    assert!(refusing.lost.contains("refuses the next"), "{}", refusing.lost);
    // Nobody's dead letters: a limit is its owner's business.
    let other = sound().queue("cache", json!({"x-message-ttl": 1000, "x-max-length": 1}));
    assert_eq!(other.kinds(), []);
}

#[test]
fn a_delivery_limit_with_nowhere_to_go_is_found() {
    let with = |version: &str, arguments| Draft::new().version(version).quorum("work", arguments);
    let found = with("3.13.7", json!({"x-delivery-limit": 10})).only();
    assert_eq!((found.kind, found.severity), (Kind::DeliveriesEnd, Severity::Critical));
    assert!(found.lost.contains("delivery limit of 10, set by its arguments"));
    assert_eq!(found.title, "`work` deletes what comes back more than 10 times");
    assert_eq!(with("3.13.7", json!({})).kinds(), []);
    let usual = with("4.0.1", json!({})).only();
    assert!(usual.lost.contains("limit of 20"), "{}", usual.lost);
    assert_eq!(with("4.0.1", json!({"x-delivery-limit": -1})).kinds(), []);
    let saved = with("4.0.1", dying_to("", "dead")).queue_with("dead", json!({"consumers": 0}));
    assert_eq!(saved.kinds(), []);
    assert_eq!(Draft::new().version("4.0.1").queue("work", json!({})).kinds(), []);
}

#[test]
fn a_quorum_queue_that_forgets_before_the_confirm_is_found() {
    let with = |more: serde_json::Value| {
        let mut arguments = dying("dlx");
        for (key, value) in more.as_object().expect("members") {
            arguments[key] = value.clone();
        }
        let mut draft = sound().quorum("work", arguments);
        draft.0.queues.remove(0);
        draft.findings()
    };
    let usual = with(json!({}));
    assert_eq!((usual[0].kind, usual[0].severity), (Kind::AtMostOnce, Severity::Normal));
    let half = with(json!({"x-dead-letter-strategy": "at-least-once"}));
    assert!(half[0].lost.contains("falls back"), "{}", half[0].lost);
    let whole = json!({
        "x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish",
    });
    assert_eq!(with(whole), []);
}

#[test]
fn a_queue_without_consumers_is_found_after_its_time() {
    let at = |seconds, of: &str| {
        let mut draft =
            sound().queue_with("log", json!({"type": "stream"})).queue("kept", json!({}));
        draft.3.insert("kept".to_owned());
        let mut vhost = draft.read();
        for queue in &mut vhost.queues {
            queue.idle_seconds = (queue.name == of).then_some(seconds);
        }
        let found = draft.lint_of(&vhost).found.into_iter();
        let found = found.filter(|finding| finding.kind == Kind::NoConsumer);
        found.map(|finding| finding.lost).collect::<Vec<_>>()
    };
    assert_eq!(at(899, "work"), [""; 0]);
    assert_eq!(at(900, "work").len(), 1);
    assert!(at(900, "work")[0].contains("3 messages wait"));
    assert_eq!(at(9_000, "dead"), [""; 0], "letters wait there");
    assert_eq!(at(9_000, "log"), [""; 0], "a stream is kept, consumed or not");
    assert_eq!(at(9_000, "kept"), [""; 0], "its source says why nothing is taken");
}

#[test]
fn a_policy_that_shadows_another_is_found() {
    let dlx = json!({"dead-letter-exchange": "dlx"});
    let limits = json!({"max-length": 1000});
    let with = |priority, applying: &str, definition: &serde_json::Value| {
        sound()
            .queue_with(
                "orders",
                json!({"policy": applying, "effective_policy_definition": definition}),
            )
            .policy("letters", ".*", 0, dlx.clone())
            .policy("limits", "^orders", priority, limits.clone())
            .findings()
            .into_iter()
            .filter(|finding| finding.kind == Kind::PolicyShadowed)
            .collect::<Vec<_>>()
    };
    let found = with(5, "limits", &limits);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&*found[0].subject, &*found[0].other), ("letters", "limits"));
    assert_eq!(found[0].severity, Severity::High, "dead letters are lost by it");
    assert!(found[0].lost.contains("`dead-letter-exchange`"), "{}", found[0].lost);
    let tie = with(0, "letters", &dlx);
    assert!(tie[0].lost.contains("is chance"), "{}", tie[0].lost);
    // The applying one says the same and more: nothing is lost.
    let whole = json!({"dead-letter-exchange": "dlx", "max-length": 5});
    let merged = sound()
        .queue_with("orders", json!({"policy": "ours", "effective_policy_definition": whole}))
        .policy("letters", ".*", 0, dlx.clone())
        .policy("ours", "^orders$", 9, whole.clone());
    assert_eq!(merged.kinds(), []);
}

#[test]
fn what_cannot_be_known_is_not_found_and_said_so() {
    let mut draft = Draft::new().queue("work", dying("dlx"));
    draft.0.gaps.push(Gap::Wiring);
    let found = draft.lint();
    assert_eq!(found.found, []);
    assert!(found.untold.contains(&Kind::ExchangeMissing));
    assert!(!found.untold.contains(&Kind::DeliveriesEnd));
    draft.0.policies = None;
    let untold = draft.lint().untold;
    assert!(untold.contains(&Kind::PolicyShadowed));
}

#[test]
fn names_that_a_terminal_would_obey_are_escaped_in_commands() {
    let of = |exchange: &str| {
        let found = Draft::new().queue("work", dying(exchange)).only();
        found.command.expect("one command mends it")
    };
    let command = of("x\u{1b}[2J\n");
    assert!(command.contains("/api/exchanges/%2F/x%1B%5B2J%0A'"), "{command}");
    assert!(!command.chars().any(char::is_control), "{command}");
    let command = of("a'; rm -rf /");
    assert!(command.contains("/api/exchanges/%2F/a%27%3B%20rm%20-rf%20%2F'"), "{command}");
}
