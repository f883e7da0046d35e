//! Messages of random shape, by a seed: every type of AMQP in every place, to any depth. And what is stored of one
//! as octets again, to compare by SHA-256.

use dlo_domain::wire::{FieldTable, FieldValue};
use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};
use sha2::{Digest as _, Sha256};

use crate::support::broker::Vhost;
use crate::support::raw::{RawProperties, RawPublisher, counted, field, nested};

/// Tables and arrays in each other, at most, but for those that are nested on purpose.
const MOST_LEVELS: usize = 4;

/// Levels of those.
const DEEP: [usize; 6] = [8, 23, 24, 25, 64, 500];

/// A message.
pub struct Poison {
    /// The fields of its headers, as octets.
    headers: Vec<u8>,
    body: Vec<u8>,
}

impl Poison {
    /// So many of them.
    pub fn generate(count: usize, seed: u64) -> Vec<Self> {
        let mut random = StdRng::seed_from_u64(seed);
        let one = |_| Self { headers: headers(&mut random), body: body(&mut random) };
        (0..count).map(one).collect()
    }

    /// What it is known by: the SHA-256 of its headers and its body.
    pub fn digest(&self) -> [u8; 32] {
        digest(&self.headers, &self.body)
    }
}

/// Publishes them to a queue, and waits until they are in it.
pub async fn publish_all(vhost: &Vhost, queue: &str, messages: &[Poison]) {
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let mut publisher = RawPublisher::connect(&uri).await;
    for message in messages {
        let properties = RawProperties::with_headers(&message.headers);
        publisher.send("", queue.as_bytes(), &properties, &message.body).await;
    }
    let wanted = u32::try_from(messages.len()).expect("fits");
    crate::support::until("all are in the queue", || async { vhost.depth(queue).await == wanted })
        .await;
    publisher.close().await;
}

/// The digest of what is stored.
pub fn digest_of_stored(headers: &FieldTable, body: &[u8]) -> [u8; 32] {
    digest(&table(headers), body)
}

fn digest(headers: &[u8], body: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(u64::try_from(headers.len()).expect("fits").to_be_bytes());
    hash.update(headers);
    hash.update(body);
    hash.finalize().into()
}

/// The fields of a table, as octets.
fn table(fields: &FieldTable) -> Vec<u8> {
    let octets = fields.0.iter().map(|one| field(one.name.as_bytes(), &value(&one.value)));
    octets.collect::<Vec<_>>().concat()
}

fn value(of: &FieldValue) -> Vec<u8> {
    let scalar = |letter: u8, octets: &[u8]| [&[letter][..], octets].concat();
    match of {
        FieldValue::Boolean(flag) => scalar(b't', &[u8::from(*flag)]),
        FieldValue::ShortShortInt(n) => scalar(b'b', &n.to_be_bytes()),
        FieldValue::ShortShortUInt(n) => scalar(b'B', &[*n]),
        FieldValue::ShortInt(n) => scalar(b's', &n.to_be_bytes()),
        FieldValue::ShortUInt(n) => scalar(b'u', &n.to_be_bytes()),
        FieldValue::LongInt(n) => scalar(b'I', &n.to_be_bytes()),
        FieldValue::LongUInt(n) => scalar(b'i', &n.to_be_bytes()),
        FieldValue::LongLongInt(n) => scalar(b'l', &n.to_be_bytes()),
        FieldValue::Float(bits) => scalar(b'f', &bits.to_be_bytes()),
        FieldValue::Double(bits) => scalar(b'd', &bits.to_be_bytes()),
        FieldValue::Timestamp(seconds) => scalar(b'T', &seconds.to_be_bytes()),
        FieldValue::Decimal { scale, value } => {
            scalar(b'D', &[&[*scale][..], &value.to_be_bytes()].concat())
        }
        FieldValue::ShortString(text) | FieldValue::LongString(text) => {
            counted(b'S', text.as_bytes())
        }
        FieldValue::ByteArray(octets) => counted(b'x', octets),
        FieldValue::Array(values) => {
            counted(b'A', &values.iter().map(value).collect::<Vec<_>>().concat())
        }
        FieldValue::Table(fields) => counted(b'F', &table(fields)),
        FieldValue::Void => vec![b'V'],
        FieldValue::Deep(octets) => octets.clone(),
    }
}

fn headers(random: &mut StdRng) -> Vec<u8> {
    let mut octets = random_table(random, 0);
    if random.random_ratio(1, 20) {
        let levels = DEEP[random.random_range(0..DEEP.len())];
        let letter = if random.random_bool(0.5) { b'A' } else { b'F' };
        octets.extend(field(b"z-nested", &nested(letter, levels)));
    }
    octets
}

/// A table, whose names stand in their order: AMQP gives the order of fields no meaning.
fn random_table(random: &mut StdRng, level: usize) -> Vec<u8> {
    let many = random.random_range(0..6);
    let mut names: Vec<Vec<u8>> = (0..many).map(|_| name(random)).collect();
    names.sort();
    // RabbitMQ 4 itself drops some headers whose name is there twice; `odd` has those that it keeps.
    names.dedup();
    let fields = names.iter().map(|name| field(name, &random_value(random, level)));
    fields.collect::<Vec<_>>().concat()
}

fn name(random: &mut StdRng) -> Vec<u8> {
    match random.random_range(0..40) {
        0 => Vec::new(),
        1 => b"with\0NUL".to_vec(),
        2 => b"bad \xff\xfe name".to_vec(),
        3 => vec![b'n'; 255],
        4 => "gr\u{fc}n \u{202e}eman".as_bytes().to_vec(),
        5..10 => b"x-death".to_vec(),
        10 => b"x-delivery-count".to_vec(),
        11 => b"x-dlo-letter".to_vec(),
        12 => b"x-stream-offset".to_vec(),
        _ => format!("header-{}", random.random_range(0..1_000)).into_bytes(),
    }
}

fn random_value(random: &mut StdRng, level: usize) -> Vec<u8> {
    const SIZES: [(u8, usize); 11] = [
        (b'b', 1),
        (b'B', 1),
        (b's', 2),
        (b'u', 2),
        (b'I', 4),
        (b'i', 4),
        (b'l', 8),
        (b'f', 4),
        (b'd', 8),
        (b'D', 5),
        (b'T', 8),
    ];
    match random.random_range(0..20) {
        at @ 0..11 => {
            let (letter, size) = SIZES[at];
            let edge = [0, 0xff, 0x7f, 0x80][random.random_range(0..4)];
            let octets = if random.random_bool(0.3) {
                vec![edge; size]
            } else {
                (0..size).map(|_| random.random()).collect()
            };
            // RabbitMQ ends the connection of whoever publishes an infinity or NaN.
            let exponent = [0x7f, 0xff].contains(&octets[0]) && b"fd".contains(&letter);
            let octets = if exponent { vec![0; size] } else { octets };
            [vec![letter], octets].concat()
        }
        11 => vec![b't', u8::from(random.random_bool(0.5))],
        12 => vec![b'V'],
        13 => counted(b'x', &octets(random, 60)),
        14..17 => counted(b'S', &text(random)),
        17 if level < MOST_LEVELS => counted(b'F', &random_table(random, level + 1)),
        18 if level < MOST_LEVELS => {
            let many = random.random_range(0..5);
            let values = (0..many).map(|_| random_value(random, level + 1));
            counted(b'A', &values.collect::<Vec<_>>().concat())
        }
        _ => counted(b'A', &counted(b'F', &death(random))),
    }
}

/// An entry of a death history, more or less.
fn death(random: &mut StdRng) -> Vec<u8> {
    let count: i64 = [-1, 0, 1, i64::MAX, i64::MIN][random.random_range(0..5)];
    let fields = [
        field(b"count", &[&b"l"[..], &count.to_be_bytes()].concat()),
        field(b"queue", &counted(b'S', &text(random))),
        field(b"reason", &random_value(random, MOST_LEVELS)),
        field(b"time", &[&b"T"[..], &random.random::<u64>().to_be_bytes()].concat()),
    ];
    fields.concat()
}

fn text(random: &mut StdRng) -> Vec<u8> {
    match random.random_range(0..8) {
        0 => Vec::new(),
        1 => b"a\0b".to_vec(),
        2 => b"g\xfc\xff".to_vec(),
        3 => b"<script>alert(1)</script>".to_vec(),
        4 => "gr\u{fc}\u{df}e \u{2709} \u{202e}".as_bytes().to_vec(),
        5 => octets(random, 2_000),
        _ => b"the usual".to_vec(),
    }
}

fn octets(random: &mut StdRng, most: usize) -> Vec<u8> {
    let many = random.random_range(0..most);
    (0..many).map(|_| random.random()).collect()
}

fn body(random: &mut StdRng) -> Vec<u8> {
    match random.random_range(0..6) {
        0 => Vec::new(),
        1 => format!("{{\"number\": {}, \"text\": \"a\\u0000b\"}}", random.random::<u32>())
            .into_bytes(),
        2 => "[".repeat(random.random_range(1..3_000)).into_bytes(),
        3 => [&b"\x1f\x8b\x08"[..], &octets(random, 200)].concat(),
        4 => text(random),
        _ => octets(random, 3_000),
    }
}
