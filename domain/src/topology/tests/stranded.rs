//! Queues of workers from which nothing comes here when the worker is away.

use serde_json::{Value, json};

use super::{Draft, sound};
use crate::severity::Severity;
use crate::topology::{Finding, FindingKind as Kind, Gap};

const QUEUE: &str = "worker.7.executions";

/// A worker's queue with these arguments, beside a way for dead letters.
fn of_worker(arguments: Value) -> Draft {
    owned(sound().queue(QUEUE, arguments))
}

fn owned(mut draft: Draft) -> Draft {
    draft.1.named.insert(QUEUE.to_owned());
    draft.1.own.insert(QUEUE.to_owned(), "worker-7".to_owned());
    draft
}

fn stranded(draft: &Draft) -> Vec<Finding> {
    let found = draft.findings().into_iter();
    found.filter(|one| one.kind == Kind::Stranded).collect()
}

#[test]
fn a_workers_queue_needs_a_time_limit_and_somewhere_to_go() {
    let dlx = ("x-dead-letter-exchange", json!("dlx"));
    let ttl = ("x-message-ttl", json!(300_000));
    let of = |set: &[(&str, Value)]| {
        let arguments = set.iter().map(|(key, value)| ((*key).to_owned(), value.clone()));
        stranded(&of_worker(Value::Object(arguments.collect())))
    };
    assert_eq!(of(&[dlx.clone(), ttl.clone()]), []);
    for (set, severity, words) in [
        (vec![dlx.clone()], Severity::Low, "for ever"),
        (vec![ttl.clone()], Severity::Normal, "5 minutes (set by its arguments)"),
        (vec![], Severity::Normal, "neither a message-ttl nor"),
    ] {
        let found = of(&set);
        assert_eq!(found.len(), 1, "{set:?}");
        assert_eq!((found[0].severity, &*found[0].subject), (severity, QUEUE));
        let said = format!("{} {}", found[0].title, found[0].lost);
        assert!(said.contains(words) && said.contains("`worker-7`"), "{said}");
    }
    let command = of(&[dlx])[0].command.clone().expect("one command mends it");
    let wanted = r#"'^worker\.7\.executions\z' '{"message-ttl":300000}'"#;
    assert!(command.ends_with(wanted), "{command}");
}

#[test]
fn a_queue_that_has_a_policy_is_not_given_another() {
    let dlx = json!({"dead-letter-exchange": "dlx"});
    let queue = json!({"policy": "letters", "effective_policy_definition": dlx});
    let draft = owned(sound().queue_with(QUEUE, queue)).policy("letters", ".*", 0, dlx);
    let found = stranded(&draft);
    assert!(found[0].fix.contains("the policy `letters`"), "{}", found[0].fix);
    assert_eq!(found[0].command, None);
}

#[test]
fn only_what_one_worker_calls_its_own_and_works_on_is_looked_at() {
    assert_eq!(stranded(&sound().queue(QUEUE, json!({}))), [], "nobody's");
    let mut shared = of_worker(json!({}));
    shared.1.own.clear();
    assert_eq!(stranded(&shared), [], "others take what one leaves");
    for other in
        [json!({"type": "stream"}), json!({"auto_delete": true}), json!({"exclusive": true})]
    {
        let draft = owned(sound().queue_with(QUEUE, other.clone()));
        assert_eq!(stranded(&draft), [], "{other}");
    }
    let mut of_letters = sound();
    of_letters.1.own.insert("dead".to_owned(), "reader".to_owned());
    assert_eq!(stranded(&of_letters), [], "letters come to rest there");
}

#[test]
fn what_may_be_set_unseen_is_not_missed() {
    let mut unseen = of_worker(json!({}));
    for queue in &mut unseen.0.queues {
        let queue = queue.as_object_mut().expect("an object");
        queue.remove("effective_policy_definition");
        queue.remove("consumers");
    }
    assert_eq!(stranded(&unseen).len(), 1, "policies are told: there are none");
    unseen.0.policies = None;
    let told = unseen.lint();
    assert!(told.found.iter().all(|one| one.kind != Kind::Stranded));
    assert!(told.untold.contains(&Kind::Stranded));
    let mut dark = of_worker(json!({}));
    dark.0.gaps.push(Gap::Wiring);
    assert_eq!(stranded(&dark), []);
    let mut cut = of_worker(json!({}));
    cut.1.is_cut = true;
    assert!(cut.lint().untold.contains(&Kind::Stranded), "nothing is taken for mended");
}
