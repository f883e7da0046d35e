//! Stands between an office and a server, reads the frames of both sides, and cuts a connection exactly
//! at a moment of intake: at the answer to a COMMIT that stored a batch, or at an acknowledgement and its answer.

use std::collections::HashSet;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinHandle, JoinSet};

/// What is spoken between the two.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// PostgreSQL's frontend/backend protocol 3.0. The moment is the answer to a COMMIT whose transaction
    /// wrote an unsettled batch.
    Postgres,
    /// AMQP 0.9.1. The moments are a `basic.ack` that acknowledges a batch of intake, the `tx.commit` that makes
    /// it count, and the broker's answer.
    Amqp,
}

/// On which side of the moment the connection is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The frame does not arrive.
    Before,
    /// The frame arrives, and nothing after it.
    After,
}

/// The client asks for TLS with this code instead of a protocol version (PostgreSQL manual, 55.7).
const SSL_REQUEST: [u8; 4] = 80_877_103_i32.to_be_bytes();

/// What a statement that stores a batch holds.
const STORES_A_BATCH: &[u8] = b"insert into unsettled_batches";

#[derive(Debug)]
struct Orders {
    protocol: Protocol,
    /// So many moments pass before the next cut; negative: no cut is due.
    left: AtomicI64,
    is_after: AtomicBool,
    cuts: AtomicU64,
}

impl Orders {
    /// Counts a moment; says on which side the connection is to be cut, if it is.
    fn moment(&self) -> Option<Side> {
        if self.left.load(Ordering::SeqCst) < 0 || self.left.fetch_sub(1, Ordering::SeqCst) != 0 {
            return None;
        }
        self.cuts.fetch_add(1, Ordering::SeqCst);
        let is_after = self.is_after.load(Ordering::SeqCst);
        Some(if is_after { Side::After } else { Side::Before })
    }
}

/// A proxy that cuts; it ends when it is dropped.
pub struct Cutter {
    address: SocketAddr,
    orders: Arc<Orders>,
    task: JoinHandle<()>,
}

impl Drop for Cutter {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Cutter {
    /// Listens on a free port in front of a server.
    pub async fn start(protocol: Protocol, target: (String, u16)) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let orders = Arc::new(Orders {
            protocol,
            left: AtomicI64::new(-1),
            is_after: AtomicBool::new(false),
            cuts: AtomicU64::new(0),
        });
        let accepting = accept(listener, target, orders.clone());
        #[expect(clippy::disallowed_methods, reason = "the proxy owns the task and ends it")]
        let task = tokio::spawn(accepting);
        Self { address, orders, task }
    }

    /// The port that it listens on.
    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Cuts the connection at the moment after `moments` more.
    pub fn cut(&self, side: Side, moments: i64) {
        self.orders.is_after.store(side == Side::After, Ordering::SeqCst);
        self.orders.left.store(moments, Ordering::SeqCst);
    }

    /// Cuts nothing any more.
    pub fn rest(&self) {
        self.orders.left.store(-1, Ordering::SeqCst);
    }

    /// How often it has cut.
    pub fn cuts(&self) -> u64 {
        self.orders.cuts.load(Ordering::SeqCst)
    }
}

async fn accept(listener: TcpListener, target: (String, u16), orders: Arc<Orders>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        connections.spawn(carry(client, target.clone(), orders.clone()));
    }
}

/// Carries a connection until it ends or is cut.
async fn carry(client: TcpStream, target: (String, u16), orders: Arc<Orders>) {
    let Ok(server) = TcpStream::connect(target).await else {
        return;
    };
    // Frame by frame, as it would come without a proxy.
    if client.set_nodelay(true).and(server.set_nodelay(true)).is_err() {
        return;
    }
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let opened = match orders.protocol {
        Protocol::Postgres => {
            let mut ends = Ends {
                from_client: &mut from_client,
                to_client: &mut to_client,
                from_server: &mut from_server,
                to_server: &mut to_server,
            };
            ends.open_postgres().await
        }
        Protocol::Amqp => pass_exactly(8, &mut from_client, &mut to_server).await,
    };
    if opened.is_err() {
        return;
    }
    let watched = Mutex::new(Transaction::default());
    tokio::select! {
        _ = frames(Direction::ToServer, &mut from_client, &mut to_server, &orders, &watched) => {}
        _ = frames(Direction::ToClient, &mut from_server, &mut to_client, &orders, &watched) => {}
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    ToServer,
    ToClient,
}

/// The four ends of a connection that is carried.
struct Ends<'a> {
    from_client: &'a mut OwnedReadHalf,
    to_client: &'a mut OwnedWriteHalf,
    from_server: &'a mut OwnedReadHalf,
    to_server: &'a mut OwnedWriteHalf,
}

impl Ends<'_> {
    /// Passes the messages that have no type: a request for TLS and its answer, and the start-up.
    async fn open_postgres(&mut self) -> io::Result<()> {
        loop {
            let mut head = [0; 8];
            self.from_client.read_exact(&mut head).await?;
            self.to_server.write_all(&head).await?;
            if head[4..] == SSL_REQUEST {
                pass_exactly(1, self.from_server, self.to_client).await?;
                continue;
            }
            let length = u32::from_be_bytes([head[0], head[1], head[2], head[3]]);
            let rest = usize::try_from(length).expect("fits").saturating_sub(8);
            return pass_exactly(rest, self.from_client, self.to_server).await;
        }
    }
}

async fn pass_exactly(
    bytes: usize,
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
) -> io::Result<()> {
    let mut passed = vec![0; bytes];
    from.read_exact(&mut passed).await?;
    to.write_all(&passed).await
}

/// What is known of the transaction of a Postgres connection.
#[derive(Debug, Default)]
struct Transaction {
    /// The names of prepared statements that store a batch.
    storing: HashSet<Vec<u8>>,
    /// Whether the transaction under way has stored one.
    has_stored: bool,
}

impl Transaction {
    /// Reads a frame of Postgres; says whether it is the moment.
    fn read(&mut self, direction: Direction, kind: u8, body: &[u8]) -> bool {
        let mut parts = body.split(|byte| *byte == 0);
        match (direction, kind) {
            // Parse: the statement's name, its text.
            (Direction::ToServer, b'P') => {
                if let (Some(name), Some(text)) = (parts.next(), parts.next())
                    && contains(text, STORES_A_BATCH)
                {
                    self.storing.insert(name.to_vec());
                }
            }
            // Bind: the portal's name, the statement's.
            (Direction::ToServer, b'B') => {
                self.has_stored |= parts.nth(1).is_some_and(|name| self.storing.contains(name));
            }
            // CommandComplete.
            (Direction::ToClient, b'C') if body == b"COMMIT\0" => {
                return std::mem::take(&mut self.has_stored);
            }
            (Direction::ToClient, b'C') if body == b"ROLLBACK\0" => self.has_stored = false,
            _ => {}
        }
        false
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.windows(part.len()).any(|window| window == part)
}

/// Passes frames until the connection ends or is cut.
async fn frames(
    direction: Direction,
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    orders: &Orders,
    watched: &Mutex<Transaction>,
) -> io::Result<()> {
    loop {
        let (frame, is_moment) = match orders.protocol {
            Protocol::Postgres => {
                let mut head = [0; 5];
                from.read_exact(&mut head).await?;
                let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]);
                let size = usize::try_from(length).expect("fits").saturating_sub(4);
                let frame = read_frame(from, &head, size).await?;
                let mut transaction = watched.lock().expect("not poisoned");
                let is_moment = transaction.read(direction, head[0], &frame[head.len()..]);
                (frame, is_moment)
            }
            Protocol::Amqp => {
                let mut head = [0; 7];
                from.read_exact(&mut head).await?;
                let size = u32::from_be_bytes([head[3], head[4], head[5], head[6]]);
                let size = usize::try_from(size).expect("fits") + 1;
                let frame = read_frame(from, &head, size).await?;
                let is_moment = head[0] == 1 && is_acknowledging(direction, &frame[head.len()..]);
                (frame, is_moment)
            }
        };
        match is_moment.then(|| orders.moment()).flatten() {
            None => to.write_all(&frame).await?,
            Some(Side::Before) => return Ok(()),
            Some(Side::After) => {
                to.write_all(&frame).await?;
                return to.flush().await;
            }
        }
    }
}

/// Whether the payload of a method frame is `basic.ack` (class 60, method 80) of all up to a tag, which is what
/// intake sends where other consumers of an office acknowledge one by one; `tx.commit` (90, 20); or its answer
/// (90, 21).
fn is_acknowledging(direction: Direction, payload: &[u8]) -> bool {
    let is_of_all = payload.get(12).is_some_and(|bits| bits & 1 == 1);
    match direction {
        Direction::ToServer => {
            payload.starts_with(&[0, 90, 0, 20])
                || (payload.starts_with(&[0, 60, 0, 80]) && is_of_all)
        }
        Direction::ToClient => payload.starts_with(&[0, 90, 0, 21]),
    }
}

async fn read_frame(from: &mut OwnedReadHalf, head: &[u8], size: usize) -> io::Result<Vec<u8>> {
    let mut frame = head.to_vec();
    frame.resize(head.len() + size, 0);
    from.read_exact(&mut frame[head.len()..]).await?;
    Ok(frame)
}
