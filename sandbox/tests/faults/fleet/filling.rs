//! How fast the fleet fills the dead-letter queues, and with what.

use super::{Desk, FILLED_WITHIN, ONE_AT_A_TIME, POLL, SEEN_WITHIN, broker, deaths, header_text};
use dlo_sandbox::fleet::{Fleet, FleetOptions, FleetSource};
use lapin::message::Delivery;
use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

/// What tells one failure from another, as a person would: where, why, which kind of message
/// and which kind of error.
type FailureKey = (String, String, String, String);

#[derive(Default)]
struct Letters {
    total: usize,
    per_source: BTreeMap<String, usize>,
    reasons: BTreeMap<String, usize>,
    failures: BTreeMap<FailureKey, usize>,
    /// The death entries of the letters that went through the retry loop.
    loops: Vec<Vec<(String, String, i64)>>,
}

impl Letters {
    fn note(&mut self, source: &FleetSource, delivery: &Delivery) {
        let deaths = deaths(delivery);
        let (origin, reason) = deaths.first().map_or_else(
            || ("a framework".to_owned(), "parked".to_owned()),
            |(queue, reason, _)| (queue.clone(), reason.clone()),
        );
        let error_headers = [
            "x-exception-class",
            "x-error-type",
            "x-error-name",
            "x-exception-message",
            "x-error",
            "MT-Fault-ExceptionType",
            "NServiceBus.ExceptionInfo.ExceptionType",
        ];
        let error =
            error_headers.iter().find_map(|name| header_text(delivery, name)).unwrap_or_default();
        let class: String =
            error.chars().take_while(|character| !character.is_whitespace()).collect();
        let kind = delivery.properties.kind().as_ref().map(ToString::to_string).unwrap_or_default();
        let content = delivery.properties.content_type().as_ref();
        let kind = format!("{kind} as {}", content.map_or("", |content| content.as_str()));
        if source.queue == "invoices.dlq" {
            self.loops.push(deaths.clone());
        }
        self.total += 1;
        *self.per_source.entry(source.queue.clone()).or_default() += 1;
        *self.reasons.entry(reason.clone()).or_default() += 1;
        *self.failures.entry((origin, reason, kind, class)).or_default() += 1;
    }

    fn is_some_hundred(&self) -> bool {
        self.total >= 200 && self.failures.len() >= 12
    }

    fn missing(&self, sources: &[FleetSource]) -> Vec<String> {
        let mut missing = Vec::new();
        if self.total < 200 {
            missing.push(format!("{} of 200 letters", self.total));
        }
        if self.failures.len() < 25 {
            missing.push(format!("{} of 25 failures", self.failures.len()));
        }
        let died = |queue: &str, reason: &str, kind: &str| {
            let mut keys = self.failures.keys();
            keys.any(|key| key.0 == queue && key.1 == reason && key.2.ends_with(kind))
        };
        // Plain protobuf crashes the worker, base64 is given back until the limit.
        for (queue, reason, kind) in [
            ("payments.capture", "delivery_limit", "application/x-protobuf"),
            ("payments.capture", "delivery_limit", "text/plain"),
            ("worker.3.executions", "expired", "json"),
            ("worker.7.executions", "expired", "json"),
        ] {
            if !died(queue, reason, kind) {
                missing.push(format!("{kind} {reason} on {queue}"));
            }
        }
        let reasons = ["rejected", "expired", "maxlen", "delivery_limit", "parked"];
        missing.extend(
            reasons
                .iter()
                .filter(|reason| !self.reasons.contains_key(**reason))
                .map(ToString::to_string),
        );
        let empty = sources.iter().filter(|source| !self.per_source.contains_key(&source.queue));
        missing.extend(empty.map(|source| source.queue.clone()));
        missing
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn some_hundred_letters_come_within_twenty_seconds_and_soon_all_sources_and_reasons() {
    let _turn = ONE_AT_A_TIME.lock().await;
    let sandbox = broker().await;
    let begun = Instant::now();
    let fleet =
        Fleet::start(FleetOptions::new(sandbox.endpoints())).await.expect("the fleet starts");
    assert_eq!(fleet.sources(), dlo_sandbox::fleet::sources());
    let vhosts: BTreeSet<_> = fleet.sources().iter().map(|source| &source.vhost).collect();
    assert_eq!(vhosts.len(), 2, "{vhosts:?}");
    let desk = Desk::open(&sandbox.endpoints().amqp, fleet.sources()).await;
    let mut letters = Letters::default();
    loop {
        for source in fleet.sources() {
            while let Some(delivery) = desk.take(source).await {
                letters.note(source, &delivery);
            }
        }
        let missing = letters.missing(fleet.sources());
        if missing.is_empty() {
            break;
        }
        let within = if letters.is_some_hundred() { SEEN_WITHIN } else { FILLED_WITHIN };
        assert!(begun.elapsed() < within, "missing: {missing:?}; seen: {:#?}", letters.failures);
        tokio::time::sleep(POLL).await;
    }
    println!(
        "{} letters, {:?}, {:#?}, in {:?}",
        letters.total,
        letters.reasons,
        letters.failures,
        begun.elapsed()
    );
    // The last death comes first; RabbitMQ 3 and 4 order the ones before it differently.
    let entry = |queue: &str, reason: &str, count| (queue.to_owned(), reason.to_owned(), count);
    for deaths in &mut letters.loops {
        assert_eq!(deaths[0], entry("invoices.render", "rejected", 3), "{deaths:?}");
        deaths[1..].sort();
        let waits =
            [entry("invoices.wait.1", "expired", 1), entry("invoices.wait.2", "expired", 1)];
        assert_eq!(deaths[1..], waits);
    }

    fleet.stop().await.expect("the fleet stops");
    // A second start on the same broker finds its queues as it left them.
    let again =
        Fleet::start(FleetOptions { seed: 2, burst: 0, ..FleetOptions::new(sandbox.endpoints()) })
            .await;
    again.expect("the fleet starts again").stop().await.expect("and stops again");
    desk.close().await;
    sandbox.stop().await.expect("the sandbox stops");
}
