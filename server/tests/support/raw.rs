//! Publishes what no client library would: AMQP 0.9.1 frames written by hand, so that a test can
//! put a short string into a queue that is no UTF-8.

use lapin::uri::AMQPUri;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

const METHOD: u8 = 1;
const HEADER: u8 = 2;
const BODY: u8 = 3;

struct Wire(TcpStream);

impl Wire {
    async fn send(&mut self, kind: u8, channel: u16, payload: &[u8]) {
        let mut frame = vec![kind];
        frame.extend(channel.to_be_bytes());
        frame.extend(u32::try_from(payload.len()).expect("small").to_be_bytes());
        frame.extend(payload);
        frame.push(0xce);
        self.0.write_all(&frame).await.expect("sent");
    }

    /// Reads frames until a method of this class and number.
    async fn expect(&mut self, class: u16, method: u16) {
        loop {
            let mut head = [0; 7];
            self.0.read_exact(&mut head).await.expect("a frame");
            let size = u32::from_be_bytes([head[3], head[4], head[5], head[6]]);
            let mut rest = vec![0; usize::try_from(size).expect("fits") + 1];
            self.0.read_exact(&mut rest).await.expect("a whole frame");
            let found =
                (u16::from_be_bytes([rest[0], rest[1]]), u16::from_be_bytes([rest[2], rest[3]]));
            if head[0] == METHOD && found == (class, method) {
                return;
            }
            assert!(
                !matches!(found, (10, 50) | (20, 40)),
                "the broker closed the connection or the channel: {}",
                String::from_utf8_lossy(&rest)
            );
        }
    }
}

fn method(class: u16, number: u16) -> Vec<u8> {
    let mut payload = class.to_be_bytes().to_vec();
    payload.extend(number.to_be_bytes());
    payload
}

fn short(out: &mut Vec<u8>, text: &[u8]) {
    out.push(u8::try_from(text.len()).expect("short"));
    out.extend(text);
}

fn long(out: &mut Vec<u8>, text: &[u8]) {
    out.extend(u32::try_from(text.len()).expect("small").to_be_bytes());
    out.extend(text);
}

/// A connection that publishes octets as they are.
pub struct RawPublisher {
    wire: Wire,
}

/// Flags of the properties of a message.
pub mod flags {
    /// The headers.
    pub const HEADERS: u16 = 1 << 13;
    /// The delivery mode.
    pub const DELIVERY_MODE: u16 = 1 << 12;
    /// The message id.
    pub const MESSAGE_ID: u16 = 1 << 7;
}

/// Properties and headers, as octets.
#[derive(Debug, Clone, Default)]
pub struct RawProperties(Vec<u8>);

impl RawProperties {
    /// Flags and the octets that they announce.
    pub fn new(flags: u16, octets: &[u8]) -> Self {
        Self([&flags.to_be_bytes()[..], octets].concat())
    }

    /// A persistent message with these headers.
    pub fn with_headers(fields: &[u8]) -> Self {
        let mut octets = Vec::new();
        long(&mut octets, fields);
        octets.push(2);
        Self::new(flags::HEADERS | flags::DELIVERY_MODE, &octets)
    }

    /// A persistent message with one short string, which has this flag. Those before the delivery mode
    /// come before it.
    pub fn with_text(flag: u16, text: &[u8]) -> Self {
        let mut octets = Vec::new();
        if flag > flags::DELIVERY_MODE {
            short(&mut octets, text);
            octets.push(2);
        } else {
            octets.push(2);
            short(&mut octets, text);
        }
        Self::new(flag | flags::DELIVERY_MODE, &octets)
    }
}

/// A field of a table: its name, and its value with its letter.
pub fn field(name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    short(&mut octets, name);
    octets.extend(value);
    octets
}

/// A long string, an array, a table or octets: a letter, the length and what is inside.
pub fn counted(letter: u8, inside: &[u8]) -> Vec<u8> {
    let mut octets = vec![letter];
    long(&mut octets, inside);
    octets
}

/// An array in an array, or a table in a table, so many levels deep.
pub fn nested(letter: u8, levels: usize) -> Vec<u8> {
    // From the inside, but written once: each level is its letter, its length, and its field's name.
    let name: &[u8] = if letter == b'F' { b"\x01a" } else { b"" };
    let mut octets = Vec::new();
    for inside in (0..levels).rev() {
        octets.push(letter);
        let length = (5 + name.len()) * inside + name.len() + 1;
        octets.extend(u32::try_from(length).expect("small").to_be_bytes());
        octets.extend(name);
    }
    octets.push(b'V');
    octets
}

impl RawPublisher {
    /// Connects and opens a channel with confirms.
    pub async fn connect(uri: &AMQPUri) -> Self {
        let mut wire = open(uri).await;
        let mut select = method(85, 10);
        select.push(0);
        wire.send(METHOD, 1, &select).await;
        wire.expect(85, 11).await;
        Self { wire }
    }

    /// Publishes, and waits until the broker has it.
    pub async fn publish(
        &mut self,
        exchange: &str,
        routing_key: &[u8],
        properties: &RawProperties,
        body: &[u8],
    ) {
        self.send(exchange, routing_key, properties, body).await;
        self.wire.expect(60, 80).await;
    }

    /// Publishes, and waits for nothing.
    pub async fn send(
        &mut self,
        exchange: &str,
        routing_key: &[u8],
        properties: &RawProperties,
        body: &[u8],
    ) {
        let mut publish = method(60, 40);
        publish.extend([0, 0]);
        short(&mut publish, exchange.as_bytes());
        short(&mut publish, routing_key);
        publish.push(0);
        self.wire.send(METHOD, 1, &publish).await;
        let mut header = vec![0, 60, 0, 0];
        header.extend(u64::try_from(body.len()).expect("small").to_be_bytes());
        header.extend(&properties.0);
        self.wire.send(HEADER, 1, &header).await;
        if !body.is_empty() {
            self.wire.send(BODY, 1, body).await;
        }
    }

    /// Closes the connection in order.
    pub async fn close(mut self) {
        let mut close = method(10, 50);
        close.extend([0, 200]);
        short(&mut close, b"done");
        close.extend([0; 4]);
        self.wire.send(METHOD, 0, &close).await;
        self.wire.expect(10, 51).await;
    }
}

/// Publishes a message whose message-id is these bytes, to a queue through the default exchange.
pub async fn publish_with_message_id(uri: &AMQPUri, queue: &str, message_id: &[u8], body: &[u8]) {
    let properties = RawProperties::with_text(flags::MESSAGE_ID, message_id);
    publish_one(uri, queue, &properties, body).await;
}

/// Publishes a message with one header that is an array in an array, so many levels deep.
pub async fn publish_nested(uri: &AMQPUri, queue: &str, levels: usize, body: &[u8]) {
    let field = field(b"nested", &nested(b'A', levels));
    publish_one(uri, queue, &RawProperties::with_headers(&field), body).await;
}

async fn publish_one(uri: &AMQPUri, queue: &str, properties: &RawProperties, body: &[u8]) {
    let mut publisher = RawPublisher::connect(uri).await;
    let queue = queue.as_bytes();
    publisher.publish("", queue, properties, body).await;
    publisher.close().await;
}

async fn open(uri: &AMQPUri) -> Wire {
    let (host, port) = (&uri.authority.host, uri.authority.port);
    let mut wire = Wire(TcpStream::connect((host.as_str(), port)).await.expect("connected"));
    wire.0.write_all(b"AMQP\0\0\x09\x01").await.expect("sent");
    wire.expect(10, 10).await;
    let mut start = method(10, 11);
    start.extend([0; 4]);
    short(&mut start, b"PLAIN");
    let user = &uri.authority.userinfo;
    long(&mut start, format!("\0{}\0{}", user.username, user.password).as_bytes());
    short(&mut start, b"en_US");
    wire.send(METHOD, 0, &start).await;
    wire.expect(10, 30).await;
    let mut tune = method(10, 31);
    tune.extend([0, 16, 0, 2, 0, 0, 0, 0]);
    wire.send(METHOD, 0, &tune).await;
    let mut open = method(10, 40);
    short(&mut open, uri.vhost.as_bytes());
    open.extend([0, 0]);
    wire.send(METHOD, 0, &open).await;
    wire.expect(10, 41).await;
    let mut channel = method(20, 10);
    channel.push(0);
    wire.send(METHOD, 1, &channel).await;
    wire.expect(20, 11).await;
    wire
}

/// A message id that is not UTF-8.
pub const ODD_ID: &[u8] = &[b'm', 0xff, 0xfe];
