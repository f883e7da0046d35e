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
            let found = (
                u16::from_be_bytes([rest[0], rest[1]]),
                u16::from_be_bytes([rest[2], rest[3]]),
            );
            if head[0] == METHOD && found == (class, method) {
                return;
            }
            assert_ne!(
                found,
                (10, 50),
                "the broker closed the connection: {rest:?}"
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

/// Publishes a message whose message-id is these bytes, to a queue through the default exchange.
pub async fn publish_with_message_id(uri: &AMQPUri, queue: &str, message_id: &[u8], body: &[u8]) {
    // the flags of delivery-mode (bit 12) and message-id (bit 7)
    let mut properties = 0x1080_u16.to_be_bytes().to_vec();
    properties.push(2);
    short(&mut properties, message_id);
    publish_with_properties(uri, queue, &properties, body).await;
}

/// Publishes a message with one header that is an array in an array, so many levels deep.
pub async fn publish_nested(uri: &AMQPUri, queue: &str, levels: usize, body: &[u8]) {
    let mut field = Vec::new();
    short(&mut field, b"nested");
    // an array is its letter, its length in octets, and its values
    for inside in (0..levels).rev() {
        field.push(b'A');
        let length = u32::try_from(5 * inside + 1).expect("small");
        field.extend(length.to_be_bytes());
    }
    field.push(b'V');
    // the flags of headers (bit 13) and delivery-mode (bit 12)
    let mut properties = 0x3000_u16.to_be_bytes().to_vec();
    long(&mut properties, &field);
    properties.push(2);
    publish_with_properties(uri, queue, &properties, body).await;
}

async fn publish_with_properties(uri: &AMQPUri, queue: &str, properties: &[u8], body: &[u8]) {
    let (host, port) = (&uri.authority.host, uri.authority.port);
    let mut wire = Wire(
        TcpStream::connect((host.as_str(), port))
            .await
            .expect("connected"),
    );
    wire.0.write_all(b"AMQP\0\0\x09\x01").await.expect("sent");
    wire.expect(10, 10).await;
    let mut start = method(10, 11);
    start.extend([0; 4]);
    short(&mut start, b"PLAIN");
    let user = &uri.authority.userinfo;
    long(
        &mut start,
        format!("\0{}\0{}", user.username, user.password).as_bytes(),
    );
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
    publish(&mut wire, queue, properties, body).await;
    // Closing in order makes sure that the broker has read it all.
    let mut close = method(10, 50);
    close.extend([0, 200]);
    short(&mut close, b"done");
    close.extend([0; 4]);
    wire.send(METHOD, 0, &close).await;
    wire.expect(10, 51).await;
}

async fn publish(wire: &mut Wire, queue: &str, properties: &[u8], body: &[u8]) {
    let mut publish = method(60, 40);
    publish.extend([0, 0]);
    short(&mut publish, b"");
    short(&mut publish, queue.as_bytes());
    publish.push(0);
    wire.send(METHOD, 1, &publish).await;
    let mut header = vec![0, 60, 0, 0];
    header.extend(u64::try_from(body.len()).expect("small").to_be_bytes());
    header.extend(properties);
    wire.send(HEADER, 1, &header).await;
    wire.send(BODY, 1, body).await;
}
