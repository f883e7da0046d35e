//! Odd messages: what senders put on the wire although no client library would. Everything that
//! brokers take and that a reader may stumble over is here once.

use crate::support::broker::Vhost;
use crate::support::raw::{RawProperties, RawPublisher, counted, field, flags, nested};

/// An odd message.
pub struct OddMessage {
    /// What is odd about it; also its body.
    pub name: String,
    /// Its routing key to the exchange of [`publish_all`], if that is odd.
    pub routing_key: Vec<u8>,
    /// Its properties and headers.
    pub properties: RawProperties,
    /// Whether client libraries refuse it.
    pub is_undecodable: bool,
}

/// The exchange that odd messages go through, whatever their routing key.
const EXCHANGE: &str = "odd";

fn odd(name: impl Into<String>, properties: RawProperties) -> OddMessage {
    OddMessage {
        name: name.into(),
        routing_key: b"key".to_vec(),
        properties,
        is_undecodable: false,
    }
}

fn undecodable(name: impl Into<String>, properties: RawProperties) -> OddMessage {
    OddMessage { is_undecodable: true, ..odd(name, properties) }
}

fn headers(name: &str, fields: &[u8]) -> OddMessage {
    odd(name, RawProperties::with_headers(fields))
}

/// All of them.
pub fn messages() -> Vec<OddMessage> {
    let mut all =
        vec![odd("no properties", RawProperties::new(0, b"")), headers("empty headers", b"")];
    all.extend(of_texts());
    all.extend(of_names());
    all.extend(of_values());
    all.extend(of_depths());
    all.extend(of_death_histories());
    all.push(OddMessage {
        routing_key: b"k\xff\xfe".to_vec(),
        is_undecodable: true,
        ..odd("a routing key that is not UTF-8", RawProperties::new(0, b""))
    });
    all
}

/// Publishes them to a queue, in their order.
pub async fn publish_all(vhost: &Vhost, queue: &str, messages: &[OddMessage]) {
    vhost.fanout(EXCHANGE, &[queue]).await;
    let uri = vhost.brokers.uri("main", &vhost.name).expect("an address");
    let mut publisher = RawPublisher::connect(&uri).await;
    for message in messages {
        let (key, body) = (&message.routing_key, message.name.as_bytes());
        publisher.publish(EXCHANGE, key, &message.properties, body).await;
    }
    publisher.close().await;
}

/// Short strings that are not UTF-8. Brokers look into the expiration and the user id themselves.
fn of_texts() -> Vec<OddMessage> {
    let places = [
        ("content type", 15),
        ("content encoding", 14),
        ("correlation id", 10),
        ("reply-to", 9),
        ("message id", 7),
        ("type", 5),
        ("app id", 3),
        ("cluster id", 2),
    ];
    let mut all = Vec::new();
    for (name, bit) in places {
        let with = |text: &[u8]| RawProperties::with_text(1 << bit, text);
        all.push(undecodable(format!("{name} not UTF-8"), with(b"t\xff\xfe")));
        all.push(odd(format!("{name} with NUL"), with(b"t\0\x1b[31m")));
        all.push(odd(format!("{name} of 255 bytes"), with(&[b'x'; 255])));
    }
    all
}

fn of_names() -> Vec<OddMessage> {
    let value = counted(b'S', b"v");
    let one = |name: &[u8]| RawProperties::with_headers(&field(name, &value));
    let first = field(b"twice", &counted(b'S', b"first"));
    let second = field(b"twice", &counted(b'S', b"second"));
    let twice = [first, field(b"between", b"V"), second].concat();
    let inside = counted(b'F', &twice);
    let many: Vec<u8> = (0..3_000_u32)
        .flat_map(|n| field(format!("header-{n:05}").as_bytes(), &counted(b'S', &[b'v'; 20])))
        .collect();
    vec![
        undecodable("header name not UTF-8", one(b"n\xff")),
        undecodable(
            "header name not UTF-8 within a table",
            RawProperties::with_headers(&field(b"t", &counted(b'F', &field(b"\xc3\x28", &value)))),
        ),
        undecodable(
            "header name not UTF-8, and a name twice",
            RawProperties::with_headers(&[&twice[..], &field(b"\xff", b"V")].concat()),
        ),
        odd("header name with NUL", one(b"n\0ame")),
        odd("header name with U+202E", one("n\u{202e}eman".as_bytes())),
        odd("header name of 255 bytes", one(&[b'n'; 255])),
        odd("empty header name", one(b"")),
        headers("a name twice", &twice),
        headers("a name twice within a table", &field(b"t", &inside)),
        headers("3,000 headers", &many),
        headers("a header of 120 KB", &field(b"long", &counted(b'S', &[b'x'; 120_000]))),
    ]
}

fn of_values() -> Vec<OddMessage> {
    let all: &[(&str, Vec<u8>)] = &[
        ("boolean 2", b"t\x02".to_vec()),
        ("i8", b"b\x80".to_vec()),
        ("u8", b"B\xff".to_vec()),
        ("i16", b"s\x80\0".to_vec()),
        ("u16", b"u\xff\xff".to_vec()),
        ("i32", b"I\x80\0\0\0".to_vec()),
        ("u32", b"i\xff\xff\xff\xff".to_vec()),
        ("i64", b"l\x80\0\0\0\0\0\0\0".to_vec()),
        ("float", b"f\x3f\x8c\xcc\xcd".to_vec()),
        ("double -0", b"d\x80\0\0\0\0\0\0\0".to_vec()),
        ("decimal", b"D\xff\xff\xff\xff\xff".to_vec()),
        ("timestamp", b"T\xff\xff\xff\xff\xff\xff\xff\xff".to_vec()),
        ("void", b"V".to_vec()),
        ("text", counted(b'S', "grüße ✉ \u{202e}".as_bytes())),
        ("text not UTF-8", counted(b'S', b"g\xfc\xff")),
        ("text with NUL", counted(b'S', b"a\0b")),
        ("text that is HTML", counted(b'S', b"<script>alert(1)</script>")),
        ("octets", counted(b'x', &[0, 255, 128])),
        ("empty array", counted(b'A', b"")),
        ("empty table", counted(b'F', b"")),
    ];
    let mut odd: Vec<_> =
        all.iter().map(|(name, value)| headers(name, &field(b"value", value))).collect();
    let every: Vec<u8> =
        all.iter().flat_map(|(name, value)| field(name.as_bytes(), value)).collect();
    odd.push(headers("every type", &every));
    odd
}

fn of_depths() -> Vec<OddMessage> {
    let mut all = Vec::new();
    for levels in [1, 23, 24, 25, 26, 63, 64, 65, 127, 128, 200, 4_000] {
        for (letter, kind) in [(b'A', "arrays"), (b'F', "tables")] {
            let field = field(b"nested", &nested(letter, levels));
            all.push(headers(&format!("{levels} nested {kind}"), &field));
        }
    }
    all.push(headers("26,000 nested arrays", &field(b"nested", &nested(b'A', 26_000))));
    all
}

fn of_death_histories() -> Vec<OddMessage> {
    let text = |text: &str| counted(b'S', text.as_bytes());
    let history = |entries: &[u8]| field(b"x-death", &counted(b'A', entries));
    let entry = |count: i64| {
        let fields = [
            field(b"count", &[&b"l"[..], &count.to_be_bytes()].concat()),
            field(b"reason", &text("rejected")),
            field(b"queue", &text("orders.work")),
            field(b"time", b"T\0\0\0\0\x65\x53\xf1\0"),
            field(b"exchange", &text("")),
            field(b"routing-keys", &counted(b'A', &text("orders.work"))),
        ];
        counted(b'F', &fields.concat())
    };
    let nul = counted(b'F', &field(b"reason", &text("\0")));
    let forged =
        [field(b"x-dlo-letter", &text("1; drop table letters")), field(b"x-dlo-replay", b"V")];
    vec![
        headers("x-death is a text", &field(b"x-death", &text("junk"))),
        headers("x-death of junk", &history(&[&b"V"[..], b"t\x01"].concat())),
        headers("x-death of an empty table", &history(&counted(b'F', b""))),
        headers("x-death of 64 nested tables", &history(&nested(b'F', 64))),
        headers("x-death with count -1", &history(&entry(-1))),
        headers("x-death with the largest count", &history(&entry(i64::MAX))),
        headers("a death of a reason with NUL", &history(&nul)),
        headers("500 deaths", &history(&entry(1).repeat(500))),
        headers("forged marks", &forged.concat()),
        odd(
            "headers and a message id",
            RawProperties::new(
                flags::HEADERS | flags::MESSAGE_ID,
                &[&counted(b'?', &field(b"a", b"V"))[1..], b"\x02id"].concat(),
            ),
        ),
    ]
}
