//! Whatever a message has in it is stored, and comes back as it was.

use arbitrary::Unstructured;
use dlo_domain::arrival::Delivered;
use dlo_domain::decoding::MessageTypes;
use dlo_domain::failure::HeaderMap;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::LetterId;
use dlo_domain::reading;
use dlo_domain::replay::Address;
use dlo_domain::wire::MOST_LEVELS;
use sha2::{Digest as _, Sha256};
use sqlx::PgPool;

use super::{Court, Incoming, insert_new};
use crate::clock::{Clock as _, ManualClock, new_id};
use crate::fixture;
use crate::judging::Judges;
use crate::store::groups::signatures;
use crate::store::replays::messages::{self, Message};
use crate::store::replays::outcomes::Seat;
use crate::store::replays::work::NextItem;

#[path = "../../../../fuzz/src/messages.rs"]
#[expect(dead_code, reason = "what the fuzz targets need beside a message")]
mod generated;

/// Messages that are made. Each has up to 1 KiB of chance in it.
const MESSAGES: u64 = 400;

/// Bytes that are the same in every run.
fn chance(number: u64) -> Vec<u8> {
    let length = usize::try_from(number * 7 % 1_024).unwrap_or_default();
    let mut bytes = Vec::new();
    let mut seed = Sha256::digest(number.to_be_bytes());
    while bytes.len() < length {
        bytes.extend_from_slice(&seed);
        seed = Sha256::digest(seed);
    }
    bytes.truncate(length);
    bytes
}

/// Messages of any properties, headers and bodies. What lies deeper than intake takes tables apart never comes as a
/// table.
fn deliveries() -> Vec<Delivered> {
    let made = (0..MESSAGES)
        .filter_map(|number| generated::message(&mut Unstructured::new(&chance(number))).ok());
    made.filter(|one| generated::depth(&one.headers) <= MOST_LEVELS).collect()
}

/// As a replay asks for it.
fn item(letter: LetterId, position: i32) -> NextItem {
    NextItem {
        seat: Seat { position, letter },
        ordinal: 1,
        attempt: 1,
        address: Address::queue("work"),
        size_bytes: 0,
        changed: false,
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn what_is_stored_comes_back_as_it_was(pool: PgPool) {
    let source = fixture::source(&pool).await;
    let clock = ManualClock::at(fixture::noon());
    let mut conn = pool.begin().await.expect("a transaction");
    let (judge, standing) =
        Judges::default().current_for(&mut conn, source).await.expect("a judge");
    let court = Court { judge: &judge, source: &standing.source };
    let deliveries = deliveries();
    assert!(deliveries.iter().filter(|one| !one.headers.0.is_empty()).count() > 100);
    let incoming: Vec<Incoming> = deliveries
        .iter()
        .map(|delivered| {
            let read = reading::read(delivered, &HeaderMap::default(), &MessageTypes::default());
            let (id, now) = (LetterId(new_id(&clock)), clock.now());
            Incoming::new(id, now, delivered.clone(), read, court, &mut Masker::new())
        })
        .collect();
    let all: Vec<&Incoming> = incoming.iter().collect();
    signatures::remember(&mut conn, &all).await.expect("remembered");
    insert_new(&mut conn, source, &all).await.expect("stored");
    let items: Vec<NextItem> =
        (0..).zip(&incoming).map(|(position, one)| item(one.letter_id, position)).collect();
    let stored = messages::last(&mut conn, &items).await.expect("read");
    assert_eq!((stored.unreadable.len(), stored.readable.len()), (0, deliveries.len()));
    for Message { letter, properties, headers, body, .. } in stored.readable {
        let one = incoming.iter().find(|one| one.letter_id == letter).expect("one of these");
        let sent = &one.delivered;
        assert_eq!((&properties, &headers, &body), (&sent.properties, &sent.headers, &sent.body));
    }
}
