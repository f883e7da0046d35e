//! From what a management API answered to what is known. Nothing here can fail: what cannot be read
//! is left out, and said to be.

use std::collections::BTreeSet;

use serde_json::Value;

use super::applying::{ready, reckon};
use super::model::{
    Binding, Exchange, Figures, Gap, MOST_NAME_BYTES, Policy, Queue, QueueKind, Settings, Vhost,
};

/// Arguments or keys of a definition that are kept of one thing.
const MOST_SETTINGS: usize = 64;
/// The longest arguments or definition of one thing, in bytes of JSON.
const MOST_SETTINGS_BYTES: usize = 8_192;
/// Policies that are asked which queue they apply to.
const MOST_POLICIES: usize = 1_000;

/// What a management API answered. What was not answered is nothing.
#[derive(Debug, Clone, Default)]
pub struct Answers {
    /// The broker's version.
    pub version: Option<String>,
    /// Queues, each as an object.
    pub queues: Vec<Value>,
    /// Exchanges.
    pub exchanges: Vec<Value>,
    /// Bindings.
    pub bindings: Vec<Value>,
    /// Policies, where they may be read.
    pub policies: Option<Vec<Value>>,
    /// Operator policies, where they may be read.
    pub operator_policies: Option<Vec<Value>>,
    /// What is known to be missing.
    pub gaps: Vec<Gap>,
}

/// Reads a vhost, with the policies that the broker says apply to each queue.
///
/// What it says of that is as old as its figures, so some seconds; it is reckoned only where it says
/// nothing: some versions do not with stats off.
#[must_use]
pub fn read(answers: &Answers) -> Vhost {
    let mut vhost = as_told(answers);
    let queues = answers.queues.iter();
    let told: BTreeSet<&str> = queues
        .filter(|json| json.get("effective_policy_definition").is_some())
        .filter_map(|json| json.get("name")?.as_str())
        .collect();
    reckon(&mut vhost, |queue| !told.contains(queue));
    vhost
}

/// Reads a vhost, with what applies to each queue by the policies as they are this moment: for whoever is
/// about to set one. Where policies may not be read it is as the broker says.
#[must_use]
pub fn read_now(answers: &Answers) -> Vhost {
    if answers.policies.is_none() || answers.operator_policies.is_none() {
        return read(answers);
    }
    let mut vhost = as_told(answers);
    reckon(&mut vhost, |_| true);
    vhost
}

fn as_told(answers: &Answers) -> Vhost {
    let mut left_out = 0_usize;
    let mut gaps = answers.gaps.clone();
    let policies = |given: &Option<Vec<Value>>, left_out: &mut usize| {
        let given = given.as_deref().unwrap_or_default();
        sorted(all(&given[..given.len().min(MOST_POLICIES)], policy, left_out), |p: &Policy| {
            p.name.clone()
        })
    };
    if answers.policies.is_none() {
        gaps.push(Gap::Policies);
    }
    if answers.operator_policies.is_none() {
        gaps.push(Gap::OperatorPolicies);
    }
    let mut vhost = Vhost {
        version: answers.version.clone().filter(|version| is_name(version)),
        queues: sorted(all(&answers.queues, queue, &mut left_out), |q: &Queue| q.name.clone()),
        exchanges: sorted(all(&answers.exchanges, exchange, &mut left_out), |x: &Exchange| {
            x.name.clone()
        }),
        bindings: all(&answers.bindings, binding, &mut left_out),
        policies: policies(&answers.policies, &mut left_out),
        operator_policies: policies(&answers.operator_policies, &mut left_out),
        gaps: Vec::new(),
    };
    vhost.exchanges.retain(|exchange| !exchange.name.is_empty());
    vhost.bindings.retain(|binding| !binding.source.is_empty());
    vhost.bindings.sort();
    if left_out > 0 {
        gaps.push(Gap::Unreadable);
    }
    let knows_no_consumers = |queue: &Queue| queue.figures.consumers.is_none();
    if !vhost.queues.is_empty() && vhost.queues.iter().all(knows_no_consumers) {
        gaps.push(Gap::Figures);
    }
    gaps.sort_unstable();
    gaps.dedup();
    vhost.gaps = gaps;
    fill_in_alternates(&mut vhost);
    vhost
}

/// What could be read; what could not is counted.
fn all<T>(given: &[Value], one: fn(&Value) -> Option<T>, left_out: &mut usize) -> Vec<T> {
    let read: Vec<T> = given.iter().filter_map(one).collect();
    *left_out += given.len() - read.len();
    read
}

fn sorted<T>(mut all: Vec<T>, name: fn(&T) -> String) -> Vec<T> {
    all.sort_by_cached_key(name);
    all.dedup_by_key(|one| name(one));
    all
}

fn is_name(text: &str) -> bool {
    text.len() <= MOST_NAME_BYTES && !text.contains('\0')
}

fn name(json: &Value, member: &str) -> Option<String> {
    let text = json.get(member)?.as_str()?;
    is_name(text).then(|| text.to_owned())
}

fn flag(json: &Value, member: &str) -> bool {
    json.get(member).and_then(Value::as_bool).unwrap_or(false)
}

/// An object of settings; an empty one is also written as `[]` or `""`, by version.
fn settings(json: Option<&Value>) -> Option<Settings> {
    let Some(Value::Object(given)) = json else {
        return Some(Settings::new());
    };
    if given.len() > MOST_SETTINGS {
        return None;
    }
    // Escaped in JSON, but Postgres keeps no NUL in any form.
    let text = serde_json::to_string(given).ok()?;
    (text.len() <= MOST_SETTINGS_BYTES && !text.contains("\\u0000")).then(|| given.clone())
}

fn queue(json: &Value) -> Option<Queue> {
    let arguments = settings(json.get("arguments"))?;
    let kind =
        name(json, "type").or_else(|| name(&Value::Object(arguments.clone()), "x-queue-type"));
    Some(Queue {
        name: name(json, "name")?,
        kind: kind.map_or(QueueKind::Classic, |kind| QueueKind::of_type(&kind)),
        durable: flag(json, "durable"),
        auto_delete: flag(json, "auto_delete"),
        // A name in 3.10: the owner's.
        exclusive: flag(json, "exclusive")
            || json.get("owner_pid_details").is_some_and(|o| !o.is_null()),
        arguments,
        policy: name(json, "policy").filter(|name| !name.is_empty()),
        operator_policy: name(json, "operator_policy").filter(|name| !name.is_empty()),
        by_policy: settings(json.get("effective_policy_definition"))?,
        told_limit: told_limit(json),
        figures: figures(json),
        idle_seconds: None,
    })
}

/// A number, or `unlimited` where figures are kept; a policy's −1 is told as a number.
fn told_limit(json: &Value) -> Option<i64> {
    match json.get("delivery_limit")? {
        Value::String(word) if word == "unlimited" => Some(-1),
        limit => limit.as_i64(),
    }
}

fn figures(json: &Value) -> Figures {
    let number = |member: &str| json.get(member).and_then(Value::as_i64).filter(|n| *n >= 0);
    let rate = |member: &str| {
        let rate = json.get("message_stats")?.get(member)?.get("rate")?.as_f64()?;
        (rate.is_finite() && rate >= 0.0).then_some(rate)
    };
    Figures {
        // With stats off only the sum is told, if that.
        ready: number("messages_ready").or_else(|| number("messages")),
        unacknowledged: number("messages_unacknowledged"),
        consumers: number("consumers"),
        dying: number("messages_dlx"),
        delayed: number("messages_delayed"),
        in_per_second: rate("publish_details"),
        out_per_second: rate("deliver_get_details"),
    }
}

fn exchange(json: &Value) -> Option<Exchange> {
    let arguments = settings(json.get("arguments"))?;
    Some(Exchange {
        name: name(json, "name")?,
        kind: name(json, "type")?,
        alternate: name(&Value::Object(arguments), "alternate-exchange"),
    })
}

fn binding(json: &Value) -> Option<Binding> {
    let arguments = settings(json.get("arguments"))?;
    Some(Binding {
        source: name(json, "source")?,
        destination: name(json, "destination")?,
        is_to_queue: json.get("destination_type")?.as_str()? == "queue",
        key: name(json, "routing_key")?,
        arguments: if arguments.is_empty() {
            String::new()
        } else {
            Value::Object(arguments).to_string()
        },
        properties_key: json
            .get("properties_key")
            .and_then(Value::as_str)
            .filter(|key| key.len() <= MOST_SETTINGS_BYTES && !key.contains('\0'))
            .unwrap_or_default()
            .to_owned(),
    })
}

fn policy(json: &Value) -> Option<Policy> {
    let pattern = json.get("pattern")?.as_str()?;
    Some(Policy {
        name: name(json, "name")?,
        pattern: (pattern.len() <= MOST_SETTINGS_BYTES && !pattern.contains('\0'))
            .then(|| pattern.to_owned())?,
        apply_to: name(json, "apply-to")?,
        priority: json.get("priority").and_then(Value::as_i64).unwrap_or(0),
        definition: settings(json.get("definition"))?,
    })
}

/// An alternate exchange may be set by a policy, too.
fn fill_in_alternates(vhost: &mut Vhost) {
    const KEY: &str = "alternate-exchange";
    let mut policies = vhost.policies.clone();
    policies.retain(|policy| matches!(policy.apply_to.as_str(), "exchanges" | "all"));
    policies.sort_by_key(|policy| -policy.priority);
    let policies = ready(&policies);
    for exchange in vhost.exchanges.iter_mut().filter(|x| x.alternate.is_none()) {
        let mut matching = policies.iter();
        let first = matching.find(|(_, pattern)| {
            let pattern = pattern.as_ref();
            pattern.is_some_and(|pattern| pattern.is_match(&exchange.name))
        });
        let named = first.and_then(|(policy, _)| policy.definition.get(KEY)?.as_str());
        exchange.alternate = named.map(str::to_owned);
    }
}
