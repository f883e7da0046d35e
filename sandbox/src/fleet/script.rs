//! The script: what happens in the simulated company, one [`Incident`] after the other. A pure
//! function of the seed and the start time; must not look at the broker or the clock.

use super::dice::Dice;
use super::failures::{Failure, Service};
use super::message::Publication;
use super::services::{self, Desk, executions};
use chrono::{DateTime, Utc};

/// Messages in a deck that meet no failure: most of what a real company sends is well.
const HEALTHY_PER_SERVICE: usize = 2;
/// The same of executions, whose list shows what is well too.
const HEALTHY_EXECUTIONS: usize = 5;
/// Letters that one campaign leaves behind when its queue was empty.
const LETTERS_PER_CAMPAIGN: u32 = 3;

/// One thing that happens: the messages that are published for it, all at once.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Incident {
    /// The failure that these messages meet; none when all goes well.
    pub failure: Option<Failure>,
    pub service: Service,
    pub publications: Vec<Publication>,
}

impl Incident {
    /// How many dead letters come of it, at least. What is handed to the worker that stopped never dies.
    pub(super) fn letters(&self) -> u32 {
        match self.failure {
            None | Some(Failure::WorkerStopped) => 0,
            Some(Failure::CampaignOverflow) => LETTERS_PER_CAMPAIGN,
            Some(_) => 1,
        }
    }
}

/// An endless sequence of incidents. Failures come from a shuffled deck, so that each of them
/// shows up early and keeps its share.
#[derive(Debug)]
pub(super) struct Script {
    dice: Dice,
    started: DateTime<Utc>,
    deck: Vec<(Service, Option<Failure>)>,
    /// The number of the next execution.
    execution: i64,
}

impl Script {
    pub(super) fn new(seed: u64, started: DateTime<Utc>) -> Self {
        Self {
            dice: Dice::seeded(seed),
            started,
            deck: Vec::new(),
            execution: executions::first_number(started),
        }
    }

    fn shuffled_deck(&mut self) -> Vec<(Service, Option<Failure>)> {
        let failing = Failure::ALL.iter().flat_map(|failure| {
            std::iter::repeat_n((failure.service(), Some(*failure)), failure.copies())
        });
        let healthy = Service::ALL
            .iter()
            .flat_map(|service| std::iter::repeat_n((*service, None), healthy(*service)));
        let mut deck: Vec<_> = failing.chain(healthy).collect();
        self.dice.shuffle(&mut deck);
        deck
    }
}

const fn healthy(service: Service) -> usize {
    match service {
        Service::Executions => HEALTHY_EXECUTIONS,
        _ => HEALTHY_PER_SERVICE,
    }
}

impl Iterator for Script {
    type Item = Incident;

    fn next(&mut self) -> Option<Incident> {
        if self.deck.is_empty() {
            self.deck = self.shuffled_deck();
        }
        let (service, failure) = self.deck.pop()?;
        let mut desk =
            Desk { dice: &mut self.dice, started: self.started, execution: self.execution };
        if service == Service::Executions {
            self.execution += 1;
        }
        let publications = services::compose(service, failure, &mut desk);
        Some(Incident { failure, service, publications })
    }
}

#[cfg(test)]
mod tests {
    use super::{Incident, Script};
    use crate::fleet::failures::{Failure, Way};
    use crate::fleet::message::Reading;
    use crate::fleet::roster::queue_of;
    use crate::fleet::services;
    use chrono::DateTime;
    use lapin::types::AMQPType;
    use std::collections::BTreeSet;

    fn first(count: usize, seed: u64) -> Vec<Incident> {
        Script::new(seed, DateTime::UNIX_EPOCH + chrono::Duration::days(20_000))
            .take(count)
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_messages() {
        assert_eq!(first(500, 7), first(500, 7));
    }

    #[test]
    fn another_seed_gives_other_messages() {
        assert_ne!(first(500, 7), first(500, 8));
    }

    #[test]
    fn every_failure_shows_up_in_the_first_hundred_incidents() {
        let met: BTreeSet<Failure> =
            first(100, 1).into_iter().filter_map(|incident| incident.failure).collect();
        assert_eq!(met.len(), Failure::ALL.len());
    }

    #[test]
    fn workers_find_in_a_message_the_failure_that_the_script_meant() {
        for incident in first(300, 3) {
            for message in &incident.publications {
                let queue =
                    queue_of(message).expect("every message is routed to a queue of the fleet");
                let reading = Reading::new(queue, &message.properties, &message.body);
                let found = services::diagnose(incident.service, &reading);
                let meant = incident.failure.filter(|failure| failure.way() != Way::Unattended);
                assert_eq!(found, meant, "{queue}: {}", String::from_utf8_lossy(&message.body));
                let reported =
                    found.is_some_and(|failure| services::report(failure, &reading).is_some());
                let expected = found.is_some_and(|failure| {
                    matches!(failure.way(), Way::RejectWithError | Way::Park)
                });
                assert_eq!(reported, expected, "{found:?}");
            }
        }
    }

    #[test]
    fn an_error_names_what_stands_in_the_body() {
        let incidents = first(300, 3);
        let negative = incidents
            .iter()
            .find(|incident| incident.failure == Some(Failure::NegativeTotal))
            .expect("the deck has one");
        let message = &negative.publications[0];
        let reading = Reading::new("orders.process", &message.properties, &message.body);
        let report =
            services::report(Failure::NegativeTotal, &reading).expect("orders report their errors");
        assert!(report.message.contains(&reading.field("/order_id")));
    }

    #[test]
    fn payloads_and_headers_are_of_many_kinds() {
        let incidents = first(300, 5);
        let messages: Vec<_> =
            incidents.iter().flat_map(|incident| &incident.publications).collect();
        let content_types: BTreeSet<String> = messages
            .iter()
            .filter_map(|message| {
                message.properties.content_type().as_ref().map(ToString::to_string)
            })
            .collect();
        assert!(content_types.len() >= 6, "{content_types:?}");
        assert!(messages.iter().any(|message| message.body.is_empty()));
        assert!(messages.iter().any(|message| message.body.len() > 190_000));
        assert!(messages.iter().any(|message| message.body.starts_with(&[0x1f, 0x8b])));
        assert!(messages.iter().any(|message| message.body.contains(&0)));
        assert!(messages.iter().any(|message| std::str::from_utf8(&message.body).is_err()));
        let kinds: BTreeSet<char> = messages
            .iter()
            .filter_map(|message| message.properties.headers().as_ref())
            .flat_map(|headers| headers.inner().values().map(|value| value.get_type().get_id()))
            .collect();
        assert!(kinds.len() >= 12, "{kinds:?}");
        assert!(
            !kinds.contains(&AMQPType::ShortString.get_id()),
            "brokers close the connection on these"
        );
    }
}
