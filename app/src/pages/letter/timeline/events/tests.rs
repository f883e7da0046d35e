//! A letter that died, was replayed and died again, told in its order.

use dlo_domain::audit::AuditEntry;
use dlo_domain::death::Reason;
use dlo_domain::failure::Circumstances;
use dlo_domain::ids::{LetterId, SourceId};
use dlo_domain::letter::LetterSummary;
use dlo_domain::policy::LetterRetries;
use dlo_domain::severity::Severity;
use dlo_domain::state::LetterState;
use dlo_domain::wire::{FieldTable, Properties};

use super::*;

fn at(millis: i64) -> DateTime<Utc> {
    DateTime::from_timestamp_millis(1_773_283_631_000 + millis).expect("a time")
}

fn id() -> uuid::Uuid {
    uuid::Uuid::from_u128(7)
}

fn arrival(ordinal: i32, arrived: i64, died: i64, replay: bool) -> Arrival {
    Arrival {
        ordinal,
        arrived_at: at(arrived),
        exchange: String::new(),
        routing_key: "billing.dead".to_owned(),
        properties: Properties::default(),
        headers: FieldTable::default(),
        deaths: vec![Death {
            queue: "billing.invoices".to_owned(),
            reason: Reason::Rejected,
            exchange: String::new(),
            routing_keys: Vec::new(),
            count: Some(1),
            time: Some(at(died)),
            original_expiration: None,
        }],
        size_bytes: 1,
        body_sha256: String::new(),
        replay_id: replay.then(|| ReplayId(id())),
        notes: Vec::new(),
        omitted: dlo_domain::arrival::OmittedOfArrival::default(),
    }
}

fn letter(arrivals: Vec<Arrival>, replays: Vec<LetterReplay>) -> Letter {
    Letter {
        summary: LetterSummary {
            id: LetterId(id()),
            state: LetterState::Held,
            severity: Severity::Normal,
            source: "billing.dead".to_owned(),
            source_id: SourceId(id()),
            queue: None,
            exchange: None,
            routing_key: None,
            origin_claimed: false,
            reason: Reason::Rejected,
            error_class: None,
            error_message: None,
            message_type: None,
            message_id: None,
            size_bytes: 1,
            arrivals: 2,
            first_arrived_at: at(0),
            last_arrived_at: at(0),
            group_id: None,
            group_title: None,
        },
        vhost: "/".to_owned(),
        group_letters: None,
        deaths: Vec::new(),
        stack_trace: None,
        told_by: None,
        circumstances: Circumstances::default(),
        arrivals,
        execution_id: None,
        worker: None,
        replays,
        retries: LetterRetries::default(),
        audit: vec![AuditEntry {
            at: at(90_000),
            actor: "anna".to_owned(),
            action: "letter.discard".to_owned(),
            detail: Some("a duplicate".to_owned()),
        }],
        omitted: dlo_domain::letter::OmittedOfLetter::default(),
    }
}

#[test]
fn a_death_told_to_the_second_still_follows_its_replay() {
    // The broker's second began before the confirm was recorded.
    let replay = LetterReplay {
        sent: None,
        replay_id: ReplayId(id()),
        attempt: 1,
        queue: Some("billing.invoices".to_owned()),
        outcome: Outcome::DiedAgain,
        detail: None,
        planned_at: at(60_200),
        at: Some(at(60_900)),
    };
    let letter =
        letter(vec![arrival(1, 640, 0, false), arrival(2, 60_800, 60_000, true)], vec![replay]);
    let titles: Vec<String> = events(&letter).into_iter().map(|event| event.title).collect();
    assert_eq!(
        titles,
        [
            "Died: rejected on",
            "1st arrival at",
            "1st replay planned",
            "Died again: rejected on",
            "2nd arrival at",
            "anna: discarded",
        ]
    );
}

#[test]
fn an_old_death_stands_at_its_own_time() {
    let letter = letter(vec![arrival(1, 60_000, 0, false)], Vec::new());
    let events = events(&letter);
    assert_eq!(events[0].kind, Kind::Death);
    assert_eq!(events[0].at, at(0));
}

#[test]
fn deaths_stand_in_the_order_of_their_times_and_the_last_is_named() {
    let mut told = arrival(1, 1_900, 0, false);
    let death = |queue: &str, count: i64, died: i64| Death {
        queue: queue.to_owned(),
        count: Some(count),
        time: Some(at(died)),
        ..told.deaths[0].clone()
    };
    told.deaths = vec![
        death("orders", 3, 0),
        death("orders.wait.1", 1, 500),
        death("orders.wait.2", 1, 1_000),
    ];
    let events = events(&letter(vec![told], Vec::new()));
    let places: Vec<_> = events.iter().filter_map(|event| event.place.as_deref()).collect();
    assert_eq!(places, ["orders", "orders.wait.1", "orders.wait.2", "billing.dead"]);
    assert_eq!(
        events[0].detail.as_deref(),
        Some("3 times there, as the broker counts; this was the first")
    );
    assert_eq!(events[3].detail.as_deref(), Some("its last death was on `orders`"));
}
