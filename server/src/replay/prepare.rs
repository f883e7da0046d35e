//! From the next items of a replay to messages that can be published, or to the reason why one
//! cannot. Pure: a letter that would break the channel is refused before anything is sent.

use std::collections::HashMap;

use dlo_domain::ids::{LetterId, ReplayId};
use dlo_domain::replay::Outcome;
use dlo_domain::republish::{CannotRepublish, MOST_BODY_BYTES, Terms, republish};

use super::exchanges::Exchanges;
use super::writing::InFlight;
use crate::broker::Outgoing;
use crate::store::replays::bodies::Frozen;
use crate::store::replays::messages::{Message, MessageHead, UnreadableMessage};
use crate::store::replays::outcomes::{Recorded, Seat};
use crate::store::replays::work::{NextItem, Orders};

/// Bodies that are in memory and on their way at once, in bytes.
const MOST_WINDOW_BYTES: i64 = 4 * 1024 * 1024;

/// A body from here on travels alone, in bytes: when it is above the broker's own limit, the
/// broker names that and closes the channel, and no neighbour is to suffer.
const ALONE_BYTES: i64 = 1024 * 1024;

/// What is told of a letter that was opened.
const OPENED: &str = "sent as what was inside of its envelope";

/// A letter that can be published.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Ready {
    pub seat: Seat,
    pub message: Outgoing,
    /// What its properties and headers take, in bytes.
    pub header_bytes: usize,
    /// What was left out or changed, for people.
    pub detail: Option<String>,
    /// Why it is not known that it is kept when the broker confirms it.
    pub dropped_by: Option<String>,
    /// Whether nothing else is to be on its way with it.
    pub alone: bool,
}

impl Ready {
    /// The message, and what its answer is to be read with.
    pub(super) fn depart(self) -> (Outgoing, InFlight) {
        let address = &self.message.address;
        let exchange = match address.only_queue() {
            Some(_) => None,
            None => Some(address.exchange.clone()),
        };
        let in_flight = InFlight {
            seat: self.seat,
            detail: self.detail,
            dropped_by: self.dropped_by,
            exchange,
        };
        (self.message, in_flight)
    }
}

/// Takes the first items whose bodies together are not too much, up to one that travels alone. At
/// least one.
pub(super) fn choose(mut items: Vec<NextItem>, known: &Exchanges) -> Vec<NextItem> {
    let mut bytes = 0;
    let fitting = items.iter().take_while(|item| {
        bytes += item.size_bytes.max(1);
        !travels_alone(item, known) && bytes <= MOST_WINDOW_BYTES
    });
    let chosen = fitting.count().max(1);
    items.truncate(chosen);
    items
}

fn travels_alone(item: &NextItem, known: &Exchanges) -> bool {
    let exchange = &item.address.exchange;
    item.size_bytes >= ALONE_BYTES || known.is_news(exchange)
}

/// Refuses the items that no broker takes, without their bodies being loaded.
pub(super) fn refuse_oversized(items: Vec<NextItem>) -> (Vec<NextItem>, Vec<Recorded>) {
    let mut refused = Vec::new();
    let mut kept = Vec::new();
    for item in items {
        match usize::try_from(item.size_bytes) {
            Ok(size) if size <= MOST_BODY_BYTES => kept.push(item),
            size => {
                let why = CannotRepublish::BodyTooLarge(size.unwrap_or(usize::MAX));
                refused.push(refusal(item.seat, &why.to_string()));
            }
        }
    }
    (kept, refused)
}

/// Refuses the items whose message is stored and cannot be read.
pub(super) fn refuse_unreadable(
    items: Vec<NextItem>,
    unreadable: &[UnreadableMessage],
) -> (Vec<NextItem>, Vec<Recorded>) {
    let mut refused = Vec::new();
    let mut kept = Vec::new();
    for item in items {
        let letter = item.seat.letter;
        match unreadable.iter().find(|message| message.letter == letter) {
            None => kept.push(item),
            Some(message) => {
                let why = format!(
                    "it was not published, since its message cannot be read: {}",
                    message.why
                );
                refused.push(refusal(item.seat, &why));
            }
        }
    }
    (kept, refused)
}

/// Puts frozen bodies in the place of those that letters arrived with. A letter whose frozen body is
/// gone has no message: what it arrived with must not go in its place.
pub(super) fn put_in_place(
    changed: &[LetterId],
    frozen: Vec<Frozen>,
    messages: Vec<Message>,
) -> Vec<Message> {
    let mut frozen: HashMap<LetterId, Frozen> =
        frozen.into_iter().map(|one| (one.letter, one)).collect();
    let placed = messages.into_iter().filter_map(|mut message| {
        if !changed.contains(&message.letter) {
            return Some(message);
        }
        let one = frozen.remove(&message.letter)?;
        message.body = one.body;
        if let Some(MessageHead { properties, headers }) = one.head {
            message.properties = properties;
            message.headers = headers;
            message.is_opened = true;
        }
        if let Some(kind) = one.content_type {
            message.properties.content_type = Some(kind.as_str().into());
        }
        Some(message)
    });
    placed.collect()
}

/// Makes the messages of items, in the same order.
pub(super) fn prepare(
    (replay, orders): (ReplayId, &Orders),
    known: &Exchanges,
    items: Vec<NextItem>,
    messages: Vec<Message>,
) -> (Vec<Ready>, Vec<Recorded>) {
    let mut messages: HashMap<LetterId, Message> =
        messages.into_iter().map(|message| (message.letter, message)).collect();
    let mut ready = Vec::with_capacity(items.len());
    let mut refused = Vec::new();
    for item in items {
        let seat = item.seat;
        let alone = travels_alone(&item, known);
        match messages.remove(&seat.letter) {
            None => refused.push(refusal(seat, "its message is not stored")),
            Some(message) => match make((replay, orders), item, message) {
                Ok(one) => ready.push(Ready { alone, ..one }),
                Err(why) => refused.push(refusal(seat, &why.to_string())),
            },
        }
    }
    (ready, refused)
}

fn make(
    (replay, orders): (ReplayId, &Orders),
    item: NextItem,
    message: Message,
) -> Result<Ready, CannotRepublish> {
    let terms = Terms {
        marks: (item.seat.letter, replay, item.attempt),
        keep_expiration: orders.keep_expiration,
        headers: &orders.headers,
    };
    let Message { properties, headers, body, is_opened, .. } = message;
    let opened = is_opened.then(|| OPENED.to_owned());
    let made = republish(properties, headers, body.len(), terms)?;
    let told = |how: &str, names: &[String]| {
        let names = names.join(", ").replace('\0', "\u{fffd}");
        (!names.is_empty()).then(|| format!("sent {how} {names}"))
    };
    let stripped = told("without", &made.stripped);
    let set = told("with", &made.set);
    let persistent = "sent as a persistent message, which it was not (delivery mode 1)";
    let persistent = made.made_persistent.then(|| persistent.to_owned());
    let changes: Vec<String> = [opened, stripped, set, persistent].into_iter().flatten().collect();
    Ok(Ready {
        seat: item.seat,
        message: Outgoing {
            address: item.address,
            properties: made.properties,
            headers: made.headers,
            body,
        },
        header_bytes: made.header_bytes,
        detail: (!changes.is_empty()).then(|| changes.join("; ")),
        dropped_by: None,
        alone: false,
    })
}

/// The outcome of a letter that was not published.
pub(super) fn refusal(seat: Seat, why: &str) -> Recorded {
    not_published(seat, Outcome::Refused, why)
}

/// The outcome of a letter that was not published, because nobody would get it.
pub(super) fn unroutable(seat: Seat, why: &str) -> Recorded {
    not_published(seat, Outcome::Unroutable, why)
}

fn not_published(seat: Seat, outcome: Outcome, why: &str) -> Recorded {
    Recorded {
        seat,
        outcome,
        // A header's name may hold a NUL, which Postgres cannot keep as text.
        detail: Some(why.replace('\0', "\u{fffd}")),
        nacked: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use dlo_domain::replay::{Address, ReplayState};
    use dlo_domain::republish::HeaderChanges;
    use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties};
    use uuid::Uuid;

    fn item(position: i32, size_bytes: i64) -> NextItem {
        NextItem {
            seat: Seat {
                position,
                letter: LetterId(Uuid::from_u128(u128::from(position.unsigned_abs()))),
            },
            ordinal: 1,
            attempt: 1,
            address: Address::queue("orders.work"),
            size_bytes,
            changed: false,
        }
    }

    fn orders() -> Orders {
        Orders {
            state: ReplayState::Running,
            pending: 1,
            rate_per_second: None,
            canary: None,
            in_order: false,
            keep_expiration: false,
            headers: HeaderChanges::default(),
            is_claimed: true,
            asked_by: "person",
        }
    }

    fn message(of: &NextItem, headers: FieldTable) -> Message {
        Message {
            letter: of.seat.letter,
            properties: Properties::default(),
            headers,
            body: b"{}".to_vec(),
            is_opened: false,
        }
    }

    fn chosen(sizes: &[i64]) -> usize {
        let items = (0..).zip(sizes).map(|(place, size)| item(place, *size));
        choose(items.collect(), &Exchanges::default()).len()
    }

    #[test]
    fn a_window_holds_so_many_bytes_and_a_large_body_travels_alone() {
        assert_eq!(chosen(&[]), 0);
        assert_eq!(chosen(&[0; 100]), 100);
        assert_eq!(chosen(&[600_000; 100]), 6);
        assert_eq!(chosen(&[10, ALONE_BYTES, 10]), 1);
        assert_eq!(chosen(&[ALONE_BYTES, 10, 10]), 1);
        assert_eq!(chosen(&[100 * ALONE_BYTES]), 1);
    }

    #[test]
    fn the_first_letter_to_an_exchange_travels_alone() {
        let to = |position, exchange: &str| NextItem {
            address: Address { exchange: exchange.to_owned(), routing_key: "k".to_owned() },
            ..item(position, 2)
        };
        let items = || vec![to(1, ""), to(2, "a"), to(3, "b"), to(4, "a")];
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let cut = |skipped: usize, proven: &[&str], missing: &[&str]| {
            let known = Exchanges { proven: set(proven), missing: set(missing) };
            let items = items().into_iter().skip(skipped).collect();
            choose(items, &known).len()
        };
        assert_eq!(cut(0, &[], &[]), 1);
        assert_eq!(cut(1, &[], &[]), 1);
        assert_eq!(cut(0, &["a"], &[]), 2);
        assert_eq!(cut(0, &["a", "b"], &[]), 4);
        // Letters that will be refused need no company of their own.
        assert_eq!(cut(0, &["a"], &["b"]), 4);
    }

    #[test]
    fn a_body_that_no_broker_takes_is_refused_without_being_loaded() {
        let too_large = i64::try_from(MOST_BODY_BYTES).expect("fits") + 1;
        let (kept, refused) = refuse_oversized(vec![item(1, 5), item(2, too_large)]);
        assert_eq!(kept, [item(1, 5)]);
        assert_eq!(refused[0].seat.position, 2);
        assert_eq!(refused[0].outcome, Outcome::Refused);
    }

    #[test]
    fn a_letter_that_would_break_the_channel_harms_no_neighbour() {
        let items = vec![item(1, 2), item(2, 2), item(3, 2)];
        let huge = Field {
            name: "x-note".into(),
            value: FieldValue::LongString("x".repeat(200_000).into()),
        };
        let messages = vec![
            message(&items[2], FieldTable::default()),
            message(&items[1], FieldTable(vec![huge])),
            message(&items[0], FieldTable::default()),
        ];
        let (ready, refused) = prepare(
            (ReplayId(Uuid::from_u128(9)), &orders()),
            &Exchanges::default(),
            items,
            messages,
        );
        let positions: Vec<_> = ready.iter().map(|one| one.seat.position).collect();
        assert_eq!(positions, [1, 3]);
        assert_eq!(refused[0].seat.position, 2);
        let why = refused[0].detail.as_deref().expect("a reason");
        assert!(why.contains("bytes"), "{why}");
    }

    #[test]
    fn a_frozen_body_goes_or_nothing_does() {
        let items = vec![item(1, 2), item(2, 2), item(3, 2)];
        let messages = items.iter().map(|of| message(of, FieldTable::default()));
        let messages = messages.collect();
        let frozen = Frozen {
            letter: items[0].seat.letter,
            ordinal: 1,
            body: b"new".to_vec(),
            content_type: Some("text/plain".into()),
            head: None,
        };
        let changed = [items[0].seat.letter, items[1].seat.letter];
        let messages = put_in_place(&changed, vec![frozen], messages);
        let (ready, refused) = prepare(
            (ReplayId(Uuid::from_u128(9)), &orders()),
            &Exchanges::default(),
            items,
            messages,
        );
        let bodies: Vec<_> =
            ready.iter().map(|one| (one.seat.position, &one.message.body[..])).collect();
        assert_eq!(bodies, [(1, &b"new"[..]), (3, b"{}")]);
        assert_eq!(ready[0].message.properties.content_type, Some("text/plain".into()));
        assert_eq!(refused[0].seat.position, 2);
    }

    #[test]
    fn what_was_left_out_or_changed_is_told() {
        let items = vec![item(1, 2)];
        let mut one = message(&items[0], FieldTable::default());
        one.properties.expiration = Some("5000".into());
        one.properties.delivery_mode = Some(1);
        let (ready, _) = prepare(
            (ReplayId(Uuid::from_u128(9)), &orders()),
            &Exchanges::default(),
            items,
            vec![one],
        );
        let told = "sent without expiration; sent as a persistent message, which it was not \
            (delivery mode 1)";
        assert_eq!(ready[0].detail.as_deref(), Some(told));
    }
}
