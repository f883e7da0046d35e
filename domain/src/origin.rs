//! Where a letter died.

use serde::{Deserialize, Serialize};

use crate::death::{Death, Reason, read_deaths};
use crate::failure::{FailedMessage, Failure, HeaderMap, read_failure};
use crate::wire::FieldTable;

/// Where a letter died and why: the failing queue, and how the message had come to it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Origin {
    /// The queue that gave it up; absent when nothing tells.
    pub queue: Option<String>,
    /// The exchange it was published to; `""` is the default exchange.
    pub exchange: Option<String>,
    /// The first routing key.
    pub routing_key: Option<String>,
    /// Why.
    pub reason: Reason,
}

impl Origin {
    /// The place that nobody told us of.
    #[must_use]
    pub fn unknown() -> Self {
        Self { queue: None, exchange: None, routing_key: None, reason: Reason::Unknown }
    }

    /// Where the headers of a message alone say that it died: what its body and its source tell beside them is not
    /// asked.
    #[must_use]
    pub fn in_headers(headers: &FieldTable) -> Self {
        let told = FailedMessage { headers, delivered_to: ["", ""], body: None, json: None };
        let died = Self::of(&read_deaths(headers).deaths);
        let died = died.or_else(|| Self::of_first_death(headers)).unwrap_or_else(Self::unknown);
        died.with_what_is_told(&read_failure(&told, &HeaderMap::default()))
    }

    /// The failure behind a death history, newest entry first.
    ///
    /// The newest entry is the last failure, unless it expired while an older one was rejected:
    /// then the newest is a queue that delays retries, and the failing queue is the one that
    /// rejected last. Queues that frameworks delay with are passed over where there is another.
    #[must_use]
    pub fn of(deaths: &[Death]) -> Option<Self> {
        let newest = deaths.first()?;
        let failed =
            |death: &&Death| matches!(death.reason, Reason::Rejected | Reason::DeliveryLimit);
        let death = match newest.reason {
            Reason::Expired => {
                let failing = deaths.iter().find(failed);
                failing
                    .or_else(|| deaths.iter().find(|death| !delays(&death.queue)))
                    .unwrap_or(newest)
            }
            _ => newest,
        };
        Some(Self {
            queue: some(&death.queue),
            exchange: Some(death.exchange.clone()),
            routing_key: death.routing_keys.first().map(|key| undelayed(key).to_owned()),
            reason: death.reason,
        })
    }

    /// The first death, as brokers from 3.7 on note it in headers of its own: for messages whose
    /// history was lost or cannot be read.
    #[must_use]
    pub fn of_first_death(headers: &FieldTable) -> Option<Self> {
        let text = |name| Some(headers.get(name)?.as_text()?.to_display().into_owned());
        let reason = text("x-first-death-reason").and_then(|word| word.parse().ok());
        Some(Self {
            queue: Some(text("x-first-death-queue").filter(|queue| !queue.is_empty())?),
            exchange: text("x-first-death-exchange"),
            routing_key: None,
            reason: reason.unwrap_or(Reason::Unknown),
        })
    }
}

impl Origin {
    /// What an application tells beside it. That a message expired in a queue of retries is older than the failure
    /// that is told; where nothing else is known, what is told is all.
    pub(crate) fn with_what_is_told(self, failure: &Failure) -> Self {
        let tells_why = failure.error_class.is_some() || failure.error_message.is_some();
        let is_delay = self.reason == Reason::Expired
            && tells_why
            && (failure.queue.is_some() || self.queue.as_deref().is_some_and(delays));
        let is_known = self.queue.is_some() || self.reason != Reason::Unknown;
        if is_known && !is_delay {
            return self;
        }
        Self {
            queue: failure.queue.clone(),
            exchange: failure.exchange.clone(),
            routing_key: failure.routing_key.clone(),
            reason: if tells_why { Reason::Rejected } else { Reason::Unknown },
        }
    }
}

/// Whether a queue is named as those in which messages wait for their next try: Symfony's `delay_…_retry`,
/// NServiceBus' `nsb.v2.delay-level-07`, Celery's `celery_delayed_3`, `orders.retry.30s`.
fn delays(queue: &str) -> bool {
    let words = queue.split(['.', '_', '-', ':', '/']);
    words.into_iter().any(|word| {
        let word = word.trim_end_matches(|c: char| c.is_ascii_digit());
        ["delay", "delays", "delayed", "retry", "retries", "wait", "backoff"]
            .iter()
            .any(|name| word.eq_ignore_ascii_case(name))
    })
}

/// A routing key without the 28 binary digits that Celery puts before it to delay a task
/// (`kombu/transport/native_delayed_delivery.py`): with them a replay would wait once more.
fn undelayed(key: &str) -> &str {
    const DIGITS: usize = 28;
    let (digits, rest) = key.as_bytes().split_at(key.len().min(2 * DIGITS));
    let is_delay = digits.len() == 2 * DIGITS
        && digits.chunks_exact(2).all(|pair| matches!(pair, [b'0' | b'1', b'.']));
    if is_delay && !rest.is_empty() { &key[2 * DIGITS..] } else { key }
}

fn some(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn death(queue: &str, reason: Reason) -> Death {
        Death {
            queue: queue.into(),
            reason,
            exchange: String::new(),
            routing_keys: vec![format!("{queue}.key")],
            count: Some(1),
            time: None,
            original_expiration: None,
        }
    }

    fn queue_of(deaths: &[Death]) -> Option<String> {
        Origin::of(deaths).and_then(|origin| origin.queue)
    }

    #[test]
    fn the_newest_entry_is_the_failure() {
        let deaths = [death("b", Reason::Rejected), death("a", Reason::Maxlen)];
        assert_eq!(queue_of(&deaths).as_deref(), Some("b"));
    }

    #[test]
    fn a_queue_that_delays_retries_is_not_the_failure() {
        let deaths = [
            death("retry.30s", Reason::Expired),
            death("orders.work", Reason::Rejected),
            death("older", Reason::Rejected),
        ];
        assert_eq!(queue_of(&deaths).as_deref(), Some("orders.work"));
    }

    #[test]
    fn a_message_that_only_expired_failed_where_it_expired() {
        let deaths = [death("worker.7.executions", Reason::Expired)];
        let origin = Origin::of(&deaths).expect("an origin");
        assert_eq!(origin.queue.as_deref(), Some("worker.7.executions"));
        assert_eq!(origin.reason, Reason::Expired);
        assert_eq!(origin.routing_key.as_deref(), Some("worker.7.executions.key"));
    }

    #[test]
    fn the_digits_with_which_celery_delays_are_no_part_of_the_key() {
        let delay = "0.".repeat(26) + "1.1.";
        let mut failed = death("orders", Reason::Rejected);
        for (key, kept) in [
            (format!("{delay}orders.eu"), "orders.eu".to_owned()),
            (delay.clone(), delay.clone()),
            (delay[2..].to_owned() + "orders", delay[2..].to_owned() + "orders"),
            ("2.".repeat(28) + "x", "2.".repeat(28) + "x"),
            ("é".repeat(40), "é".repeat(40)),
        ] {
            failed.routing_keys = vec![key];
            let origin = Origin::of(std::slice::from_ref(&failed)).expect("an origin");
            assert_eq!(origin.routing_key, Some(kept));
        }
    }

    #[test]
    fn what_a_framework_tells_beats_a_queue_that_delays() {
        let told = Failure {
            error_class: Some("GatewayTimeout".to_owned()),
            queue: Some("orders".to_owned()),
            ..Failure::default()
        };
        let of = |queue: &str, reason, failure: &Failure| {
            let origin = Origin::of(&[death(queue, reason)]).expect("an origin");
            let origin = origin.with_what_is_told(failure);
            (origin.queue, origin.reason)
        };
        let delay = "delay_orders_charge_4000_retry";
        let orders = (Some("orders".to_owned()), Reason::Rejected);
        assert_eq!(of(delay, Reason::Expired, &told), orders);
        let nameless = Failure { queue: None, ..told.clone() };
        assert_eq!(of(delay, Reason::Expired, &nameless), (None, Reason::Rejected));
        let work = (Some("work".to_owned()), Reason::Expired);
        assert_eq!(of("work", Reason::Expired, &nameless), work);
        let untold = (Some(delay.to_owned()), Reason::Expired);
        assert_eq!(of(delay, Reason::Expired, &Failure::default()), untold);
        let rejected = (Some("work".to_owned()), Reason::Rejected);
        assert_eq!(of("work", Reason::Rejected, &told), rejected, "the broker knows");
    }

    #[test]
    fn a_chain_of_queues_that_delay_hides_no_other() {
        let deaths = [
            death("nsb.v2.delay-level-00", Reason::Expired),
            death("celery_delayed_2", Reason::Expired),
            death("orders", Reason::Maxlen),
        ];
        assert_eq!(queue_of(&deaths).as_deref(), Some("orders"));
        assert_eq!(queue_of(&deaths[..2]).as_deref(), Some("nsb.v2.delay-level-00"));
    }

    #[test]
    fn an_entry_without_a_queue_names_none() {
        assert_eq!(queue_of(&[death("", Reason::Rejected)]), None);
        assert_eq!(Origin::of(&[]), None);
    }
}
