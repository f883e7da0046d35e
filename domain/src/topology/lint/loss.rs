//! Dead letters that never arrive: no exchange, no binding, nowhere to go, no confirm.

use serde_json::json;

use super::super::model::{Queue, QueueKind};
use super::super::request::ask_at_once;
use super::super::route::{DeadRoute, End, has_wildcard};
use super::super::setting::Origin;
use super::text::{counted, some};
use super::{Finding, FindingKind, Look, dropping};
use crate::routing::Choice;
use crate::severity::Severity;

/// Exchange missing, unbound, or bound with a `#` that a direct exchange takes literally.
pub(super) fn of_route(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    let route = look.map.route(&queue.name)?;
    match route.end {
        End::Unknown => None,
        End::ExchangeMissing => Some(missing(look, queue, route)),
        End::Nowhere | End::Arrives if has_literal_hash(look, route) => {
            Some(literal_hash(look, queue, route))
        }
        End::Nowhere => Some(unbound(look, queue, route)),
        End::Arrives if route.lost_keys.is_empty() => None,
        End::Arrives => Some(partly_bound(queue, route)),
    }
}

/// What becomes of a letter that no queue takes.
fn fate(look: &Look<'_>, queue: &Queue) -> (Severity, &'static str) {
    if look.map.effective(queue).is_at_least_once() {
        (
            Severity::High,
            "Each stays in the queue and is tried again and again (at-least-once), so nothing is \
             lost, but the queue grows and nobody sees why",
        )
    } else {
        (Severity::Critical, "The broker drops each of them silently")
    }
}

fn missing(look: &Look<'_>, queue: &Queue, route: &DeadRoute) -> Finding {
    let Queue { name, .. } = queue;
    let exchange = &route.exchange;
    let (severity, fate) = fate(look, queue);
    let origin = look.map.effective(queue).dead_letter_exchange.as_ref();
    let origin = origin.map_or_else(String::new, |set| set.origin.says());
    Finding {
        kind: FindingKind::ExchangeMissing,
        severity,
        subject: name.clone(),
        other: exchange.clone(),
        title: format!("`{name}` dead-letters to `{exchange}`, which does not exist"),
        lost: format!(
            "Every message of `{name}` that is rejected, expires or does not fit any more: {fate}. \
             The exchange is named by {origin}."
        ),
        fix: format!(
            "Declare the exchange `{exchange}` (fanout) and bind a queue to it, or name another \
             exchange."
        ),
        command: declare(look, exchange),
    }
}

fn declare(look: &Look<'_>, exchange: &str) -> Option<String> {
    let body = json!({"type": "fanout", "durable": true});
    let place = ("exchanges", &[exchange][..], "");
    ask_at_once(look.vhost_name, "PUT", place, &body)
}

/// Whether a direct exchange on which letters are lost has a binding that somebody took for a pattern.
fn has_literal_hash(look: &Look<'_>, route: &DeadRoute) -> bool {
    let exchange = look.map.exchange(&route.exchange);
    let is_direct = exchange.is_some_and(|x| Choice::of_type(&x.kind) == Choice::Direct);
    let loses = route.end == End::Nowhere || !route.lost_keys.is_empty();
    is_direct
        && loses
        && look.map.bound_to(&route.exchange).any(|binding| has_wildcard(&binding.key))
}

fn literal_hash(look: &Look<'_>, queue: &Queue, route: &DeadRoute) -> Finding {
    let Queue { name, .. } = queue;
    let exchange = &route.exchange;
    let (severity, fate) = match route.end {
        End::Nowhere => fate(look, queue),
        _ => (Severity::High, fate(look, queue).1),
    };
    let literal = look.map.bound_to(exchange).find(|b| has_wildcard(&b.key));
    let (key, target) = literal.map_or(("#", ""), |b| (&*b.key, &*b.destination));
    let wanted = route.lost_keys.iter().next();
    let fix = match wanted {
        Some(wanted) => format!(
            "Bind `{target}` to `{exchange}` with the key `{wanted}` too, or make the exchange a \
             topic or a fanout. The binding with `{key}` does no harm."
        ),
        None => format!(
            "Bind `{target}` to `{exchange}` with each key that dies, or make the exchange a topic \
             or a fanout, or set a dead-letter-routing-key. The binding with `{key}` does no harm."
        ),
    };
    let lost = match wanted {
        Some(_) => format!("letters with the key {}", keys(route)),
        None => "every letter".to_owned(),
    };
    Finding {
        kind: FindingKind::LiteralHash,
        severity,
        subject: name.clone(),
        other: exchange.clone(),
        title: format!("The binding `{key}` of `{exchange}` catches nothing"),
        lost: format!(
            "`{exchange}` is a direct exchange, which compares keys letter by letter: only a \
             message whose key is `{key}` itself would pass. Of `{name}` that concerns {lost}. {fate}."
        ),
        fix,
        command: wanted.and_then(|wanted| bind(look, exchange, target, wanted)),
    }
}

fn keys(route: &DeadRoute) -> String {
    some(route.lost_keys.iter().map(String::as_str))
}

fn bind(look: &Look<'_>, exchange: &str, queue: &str, key: &str) -> Option<String> {
    let body = json!({"routing_key": key});
    let place = ("bindings", &["e", exchange, "q", queue][..], "");
    ask_at_once(look.vhost_name, "POST", place, &body)
}

fn unbound(look: &Look<'_>, queue: &Queue, route: &DeadRoute) -> Finding {
    let Queue { name, .. } = queue;
    let (severity, fate) = fate(look, queue);
    let DeadRoute { exchange, key, .. } = route;
    let (title, why, fix) = if exchange.is_empty() {
        let named = key.as_deref().map_or_else(|| keys(route), |key| format!("`{key}`"));
        (
            format!("`{name}` dead-letters to a queue that does not exist"),
            format!(
                "The default exchange hands each to the queue named {named}, and there is none."
            ),
            format!("Declare the queue {named}, or set another dead-letter-routing-key."),
        )
    } else if look.map.bound_to(exchange).next().is_none() {
        (
            format!("Nothing is bound to `{exchange}`, where `{name}` dead-letters to"),
            format!("The exchange `{exchange}` is there, and no queue is bound to it."),
            format!("Bind a dead-letter queue to `{exchange}`."),
        )
    } else {
        let with = if route.lost_keys.is_empty() {
            "their keys".to_owned()
        } else {
            format!("the key {}", keys(route))
        };
        (
            format!("`{exchange}` takes no dead letter of `{name}`"),
            format!("No binding of `{exchange}` takes letters with {with}."),
            format!("Bind a dead-letter queue to `{exchange}` with {with}."),
        )
    };
    Finding {
        kind: FindingKind::Unbound,
        severity,
        subject: name.clone(),
        other: exchange.clone(),
        title,
        lost: format!("Every dead letter of `{name}`. {why} {fate}."),
        fix,
        command: None,
    }
}

fn partly_bound(queue: &Queue, route: &DeadRoute) -> Finding {
    let Queue { name, .. } = queue;
    let exchange = match route.exchange.as_str() {
        "" => "the default exchange".to_owned(),
        exchange => format!("`{exchange}`"),
    };
    let keys = keys(route);
    Finding {
        kind: FindingKind::Unbound,
        severity: Severity::High,
        subject: name.clone(),
        other: route.exchange.clone(),
        title: format!("Some dead letters of `{name}` get nowhere"),
        lost: format!(
            "Messages come to `{name}` with the key {keys} as well, keep it when they die, and no \
             binding of {exchange} takes it: they are dropped. Others arrive."
        ),
        fix: format!(
            "Bind the dead-letter queue with {keys} too, or set a dead-letter-routing-key for \
             `{name}` that is bound."
        ),
        command: None,
    }
}

/// A quorum queue that counts deliveries and has nowhere to put what had too many.
pub(super) fn of_deliveries(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    let effective = look.map.effective(queue);
    let limit = effective.delivery_limit.as_ref()?;
    if effective.dead_letter_exchange.is_some() || dropping::holds_letters(look, queue) {
        return None;
    }
    let Queue { name, .. } = queue;
    let count = limit.value;
    let aside = match (&limit.origin, look.map.vhost.release()) {
        (Origin::Usual, Some(release)) if release >= (4, 3) => {
            " To have no limit, set delivery-limit to -1."
        }
        (Origin::Usual, _) => " To have no limit, declare a new one with x-delivery-limit -1.",
        _ => "",
    };
    Some(Finding {
        kind: FindingKind::DeliveriesEnd,
        severity: Severity::Critical,
        subject: name.clone(),
        other: String::new(),
        title: format!("`{name}` deletes what comes back more than {}", counted(count, "time")),
        lost: format!(
            "`{name}` is a quorum queue with a delivery limit of {count}, set by {}, and has no \
             dead-letter exchange: a message that fails more often is deleted silently.",
            limit.origin.says()
        ),
        fix: format!(
            "Give it a dead-letter queue, by a policy that repeats the one that applies.{aside}"
        ),
        command: None,
    })
}

/// Dead letters that are let go before anybody has confirmed them.
pub(super) fn of_strategy(look: &Look<'_>, queue: &Queue) -> Option<Finding> {
    let route = look.map.route(&queue.name)?;
    let effective = look.map.effective(queue);
    if route.end != End::Arrives || effective.is_at_least_once() {
        return None;
    }
    let Queue { name, kind, .. } = queue;
    let asks =
        effective.dead_letter_strategy.as_ref().is_some_and(|set| set.value == "at-least-once");
    let (severity, why, fix) = match kind {
        QueueKind::Classic => (
            Severity::Low,
            "A classic queue can only do at-most-once: it publishes a dead letter without a \
             confirm and forgets it at once.",
            "Only a quorum queue can do better: declare one in its place, with \
             dead-letter-strategy at-least-once and overflow reject-publish.",
        ),
        QueueKind::Quorum if asks => (
            Severity::Normal,
            "It asks for at-least-once, which RabbitMQ does only together with overflow \
             reject-publish: without that it falls back to at-most-once.",
            "Set overflow to reject-publish for it as well.",
        ),
        QueueKind::Quorum => (
            Severity::Normal,
            "Its dead-letter-strategy is at-most-once, as it is where nobody sets one: a dead \
             letter is published without a confirm and forgotten at once.",
            "Set dead-letter-strategy to at-least-once and overflow to reject-publish for it.",
        ),
        QueueKind::Stream | QueueKind::Other => return None,
    };
    Some(Finding {
        kind: FindingKind::AtMostOnce,
        severity,
        subject: name.clone(),
        other: String::new(),
        title: format!("Dead letters of `{name}` can be lost on their way"),
        lost: format!(
            "{why} If {} cannot take it at that moment (full, or its node is away), it is gone.",
            some(route.to.iter().map(String::as_str))
        ),
        fix: fix.to_owned(),
        command: None,
    })
}
