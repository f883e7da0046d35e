//! Samples of every format, and what is made of them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties, WireText};

use super::octets;
use crate::support::raw::RawProperties;

const ORDER: &str = include_str!("../../../../../domain/tests/protobuf/order.hex");
const FRAMEWORKS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../fuzz/corpus/bodies");

/// A value of Avro.
macro_rules! placed {
    () => {
        "4836656364386339392d343033362d343033642d626638342d636638343030663637383336c41302020500f8a6eef9d366010203\
         ff0202610202620000020867696674046a6100"
    };
}

/// Bodies by the media type that names their format; those in hexadecimal begin with `hex:`.
const BODIES: [(&str, &str); 16] = [
    ("avro/binary", concat!("hex:", placed!())),
    ("avro/binary", concat!("hex:c3013fe46b234de1ce73", placed!())),
    ("application/octet-stream", concat!("hex:000000002a", placed!())),
    ("application/json", r#"{"order_id":"o-42","total":12.5,"lines":[{"sku":"a","qty":2}]}"#),
    ("application/x-ndjson", "{\"id\":1}\n{\"id\":2}\n"),
    ("text/xml", "<order id=\"42\"><line sku=\"a\">2</line><note/></order>"),
    ("application/x-www-form-urlencoded", "order_id=42&note=left%20at%20the%20door"),
    ("application/msgpack", "hex:82a26964cd0100a26f6692c0c3"),
    ("application/cbor", "hex:a2626964190100626f6682f6f5"),
    ("application/php-serialized", "a:1:{s:2:\"id\";O:1:\"X\":1:{s:1:\"a\";d:1.5;}}"),
    ("application/x-python-serialize", "hex:8004950c000000000000007d948c026964944b07732e"),
    (
        "application/x-java-serialized-object",
        "hex:aced0005757200025b4a782004b512b17593020000787000000001\
         0000000000000007",
    ),
    ("text/plain; charset=latin1", "hex:4772fcdf65"),
    ("application/octet-stream", "hex:00ff8100fe"),
    (
        "application/gzip",
        "hex:1f8b08000000000002030dc8310e80200c05d0ab903fe32071ea558c03093512088da50e8670777de31b104d\
         aca0819c405bf0a8b97107ed03bd3c20c46585c76d2f28ccc3a389f1df954f73d19c5dec928862ce0fc40c799b\
         4d000000",
    ),
    (
        "application/zlib",
        "hex:789c0dc8310e80200c05d0ab903fe32071ea558c03093512088da50e8670777de31b104daca0819c405bf0a8\
         b97107ed03bd3c20c46585c76d2f28ccc3a389f1df954f73d19c5dec928862ce0f9a731838",
    ),
];

/// What a message is packed in, as its sender says.
const ENCODINGS: [&str; 9] =
    ["gzip", "deflate", "br", "zstd", "snappy", "lz4", "base64", "gzip, base64", "utf-8"];

/// Names of headers that readers look for.
const NAMES: [&str; 12] = [
    "x-death",
    "x-first-death-queue",
    "x-exception-message",
    "x-exception-stacktrace",
    "MT-Fault-Message",
    "NServiceBus.ExceptionInfo.Message",
    "rbs2-error-details",
    "retry_info",
    "message_type",
    "X-Protobuf-Message",
    "ce-dataschema",
    "traceparent",
];

/// A message that is published.
#[derive(Debug, Clone)]
pub(super) struct MutatedMessage {
    pub(super) id: String,
    pub(super) content_type: Option<WireText>,
    pub(super) content_encoding: Option<WireText>,
    pub(super) headers: FieldTable,
    pub(super) body: Vec<u8>,
}

impl MutatedMessage {
    /// Its properties and headers as they are sent.
    pub(super) fn octets(&self) -> RawProperties {
        let mut flags = (1 << 12) | (1 << 7);
        let mut out = Vec::new();
        for (flag, text) in [(1 << 15, &self.content_type), (1 << 14, &self.content_encoding)] {
            if let Some(text) = text {
                flags |= flag;
                short(&mut out, text.as_bytes());
            }
        }
        if !self.headers.0.is_empty() {
            flags |= 1 << 13;
            let fields = octets::table(&self.headers);
            out.extend(u32::try_from(fields.len()).expect("small").to_be_bytes());
            out.extend(fields);
        }
        // Persistent.
        out.push(2);
        short(&mut out, self.id.as_bytes());
        RawProperties::new(flags, &out)
    }
}

fn short(out: &mut Vec<u8>, text: &[u8]) {
    out.push(u8::try_from(text.len()).expect("short"));
    out.extend(text);
}

/// Makes the same messages from the same seed.
pub(super) struct Mutations {
    state: u64,
    samples: Vec<MutatedMessage>,
}

impl Mutations {
    pub(super) fn new(seed: usize) -> Self {
        let state = 0x9e37_79b9_7f4a_7c15 ^ u64::try_from(seed).expect("a number");
        Self { state, samples: samples() }
    }

    pub(super) fn message(&mut self, number: usize) -> MutatedMessage {
        let mut message = self.samples[number % self.samples.len()].clone();
        message.id = format!("m-{number}");
        for _ in 0..self.below(8) {
            self.change(&mut message.body);
        }
        if self.below(4) == 0 {
            let place = self.below(ENCODINGS.len());
            message.content_encoding = Some(ENCODINGS[place].into());
        }
        if let Some(text) = message.content_type.take().filter(|_| self.below(8) != 0) {
            let mut octets = text.as_bytes().to_vec();
            if self.below(3) == 0 {
                self.change(&mut octets);
            }
            octets.truncate(255);
            message.content_type = Some(octets.into());
        }
        for field in &mut message.headers.0 {
            self.change_value(&mut field.value);
        }
        for _ in 0..self.below(4) {
            let name = self.name();
            let value = self.value(0);
            message.headers.0.push(Field { name, value });
        }
        message
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, most: usize) -> usize {
        let most = u64::try_from(most).expect("a number");
        usize::try_from((self.next() >> 11) % most).expect("small")
    }

    fn octet(&mut self) -> u8 {
        self.next().to_le_bytes()[3]
    }

    fn octets(&mut self, most: usize) -> Vec<u8> {
        (0..self.below(most)).map(|_| self.octet()).collect()
    }

    /// Changes one octet, takes some away, or puts some in.
    fn change(&mut self, octets: &mut Vec<u8>) {
        let place = self.below(octets.len() + 1);
        match self.below(4) {
            0 => octets.truncate(place),
            1 => {
                let more = self.octets(12);
                octets.splice(place..place, more);
            }
            _ if place < octets.len() => octets[place] = self.octet(),
            _ => octets.push(0),
        }
    }

    fn change_value(&mut self, value: &mut FieldValue) {
        if self.below(6) == 0 {
            *value = self.value(0);
        } else if let FieldValue::LongString(text) = value
            && self.below(3) == 0
        {
            let mut octets = text.as_bytes().to_vec();
            self.change(&mut octets);
            *text = octets.into();
        }
    }

    fn name(&mut self) -> WireText {
        match self.below(4) {
            0 => self.octets(20).into(),
            _ => NAMES[self.below(NAMES.len())].into(),
        }
    }

    fn value(&mut self, depth: usize) -> FieldValue {
        let number = self.next();
        let kinds = if depth < 3 { 17 } else { 15 };
        match self.below(kinds) {
            0 => FieldValue::Boolean(number.is_multiple_of(2)),
            1 => FieldValue::ShortShortInt(self.octet().cast_signed()),
            2 => FieldValue::ShortShortUInt(self.octet()),
            3 => FieldValue::ShortInt(i16::from(self.octet()) - 99),
            4 => FieldValue::ShortUInt(u16::from(self.octet())),
            5 => FieldValue::LongInt(i32::from(self.octet()) - 99),
            6 => FieldValue::LongUInt(u32::from(self.octet())),
            7 => FieldValue::LongLongInt(number.cast_signed()),
            // RabbitMQ closes the connection of a client that sends a number which is not finite: no queue has one.
            8 => FieldValue::Float(u32::from(self.octet() % 255) << 23),
            9 => FieldValue::Double(number & !(1 << 52)),
            10 => FieldValue::Decimal { scale: self.octet(), value: u32::from(self.octet()) },
            11 => FieldValue::Timestamp(number >> 20),
            12 => FieldValue::ByteArray(self.octets(30)),
            13 => FieldValue::Void,
            14 => FieldValue::LongString(self.octets(60).into()),
            15 => FieldValue::Array((0..self.below(4)).map(|_| self.value(depth + 1)).collect()),
            _ => {
                let count = self.below(4);
                let field =
                    |this: &mut Self| Field { name: this.name(), value: this.value(depth + 1) };
                FieldValue::Table(FieldTable((0..count).map(|_| field(self)).collect()))
            }
        }
    }
}

/// A message of each format, and those of frameworks.
fn samples() -> Vec<MutatedMessage> {
    let order = hex::decode(ORDER.trim()).expect("hexadecimal");
    let in_base64 = STANDARD.encode(&order).into_bytes();
    let mut samples = vec![
        sample("application/x-protobuf", order.clone()),
        sample("application/octet-stream", order),
        sample("text/plain", in_base64),
    ];
    for (kind, body) in BODIES {
        let body = match body.strip_prefix("hex:") {
            Some(digits) => hex::decode(digits).expect("hexadecimal"),
            None => body.as_bytes().to_vec(),
        };
        samples.push(sample(kind, body));
    }
    let mut files: Vec<_> = std::fs::read_dir(FRAMEWORKS)
        .expect("a corpus")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read(&file).expect("a message");
        let (properties, headers, body): (Properties, FieldTable, WireText) =
            serde_json::from_slice(&text).expect("a message");
        samples.push(MutatedMessage {
            id: String::new(),
            content_type: properties.content_type,
            content_encoding: properties.content_encoding,
            headers,
            body: body.as_bytes().to_vec(),
        });
    }
    samples
}

fn sample(kind: &str, body: Vec<u8>) -> MutatedMessage {
    MutatedMessage {
        id: String::new(),
        content_type: Some(kind.into()),
        content_encoding: None,
        headers: FieldTable::default(),
        body,
    }
}
