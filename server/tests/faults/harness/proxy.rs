//! Stands between an office and the broker, reads the frames that the broker sends, and can
//! withhold confirms or cut the connection exactly when one is due.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use dlo_server::broker::Brokers;
use lapin::uri::AMQPUri;
use sqlx::PgPool;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::until_within;

/// What a proxy does with the confirms that pass.
#[derive(Debug, Default)]
struct Orders {
    /// So many confirms may still pass before the connection is cut; negative: all.
    cut_after: AtomicI64,
    /// So many confirms may still pass before they wait; negative: all.
    hold_after: AtomicI64,
    /// Confirms wait here.
    hold: AtomicBool,
    /// A confirm is waiting.
    holding: AtomicBool,
    /// Everything is to be cut.
    cut: Notify,
}

/// A proxy; it ends when it is dropped.
pub struct Proxy {
    address: SocketAddr,
    orders: Arc<Orders>,
    task: JoinHandle<()>,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Proxy {
    /// Listens on a free port in front of the broker.
    pub async fn start(brokers: &Brokers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        Self::serve(listener, brokers)
    }

    /// Listens on a port that was free a moment ago.
    pub async fn start_on(port: u16, brokers: &Brokers) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", port)).await.expect("the port");
        Self::serve(listener, brokers)
    }

    fn serve(listener: TcpListener, brokers: &Brokers) -> Self {
        let address = listener.local_addr().expect("an address");
        let orders = Arc::new(Orders::default());
        orders.cut_after.store(-1, Ordering::SeqCst);
        orders.hold_after.store(-1, Ordering::SeqCst);
        let uri = brokers.uri("main", "/").expect("an address");
        let accepting = accept(listener, uri, orders.clone());
        #[expect(clippy::disallowed_methods, reason = "the proxy owns the task and ends it")]
        let task = tokio::spawn(accepting);
        Self { address, orders, task }
    }

    /// The broker as it is reached through here.
    pub fn brokers(&self, direct: &Brokers) -> Brokers {
        through(direct, self.address.port())
    }

    /// Cuts the connection instead of letting a confirm pass, after `confirms` more.
    pub fn cut_after(&self, confirms: i64) {
        self.orders.cut_after.store(confirms, Ordering::SeqCst);
    }

    /// Cuts every connection that there is.
    pub fn cut_now(&self) {
        self.orders.cut.notify_waiters();
    }

    /// Holds confirms back after `confirms` more.
    pub fn hold_after(&self, confirms: i64) {
        self.orders.hold_after.store(confirms, Ordering::SeqCst);
    }

    /// Whether a confirm is being held back.
    pub fn is_holding(&self) -> bool {
        self.orders.holding.load(Ordering::SeqCst)
    }

    /// Holds confirms back, or lets them go.
    pub fn hold(&self, hold: bool) {
        self.orders.hold.store(hold, Ordering::SeqCst);
    }
}

/// The broker on another port.
pub fn through(direct: &Brokers, port: u16) -> Brokers {
    let mut brokers = direct.clone();
    for address in brokers.0.values_mut() {
        let uri: AMQPUri = address.amqp.parse().expect("an address");
        let old = format!(":{}", uri.authority.port);
        address.amqp = address.amqp.replace(&old, &format!(":{port}"));
    }
    brokers
}

/// A port that nobody listens on.
pub async fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    listener.local_addr().expect("an address").port()
}

async fn accept(listener: TcpListener, uri: AMQPUri, orders: Arc<Orders>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        let target = (uri.authority.host.clone(), uri.authority.port);
        connections.spawn(carry(client, target, orders.clone()));
    }
}

async fn carry(client: TcpStream, target: (String, u16), orders: Arc<Orders>) {
    let Ok(broker) = TcpStream::connect(target).await else {
        return;
    };
    let (mut from_client, to_client) = client.into_split();
    let (from_broker, mut to_broker) = broker.into_split();
    tokio::select! {
        _ = copy(&mut from_client, &mut to_broker) => {}
        _ = frames(from_broker, to_client, orders.clone()) => {}
        () = orders.cut.notified() => {}
    }
}

async fn frames(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    orders: Arc<Orders>,
) -> io::Result<()> {
    loop {
        let mut head = [0; 7];
        from.read_exact(&mut head).await?;
        let size = u32::from_be_bytes([head[3], head[4], head[5], head[6]]);
        let mut rest = vec![0; usize::try_from(size).expect("fits") + 1];
        from.read_exact(&mut rest).await?;
        if head[0] == 1 && matches!(rest[..4], [0, 60, 0, 80 | 120]) {
            if orders.hold_after.fetch_sub(1, Ordering::SeqCst) == 0 {
                orders.hold.store(true, Ordering::SeqCst);
            }
            let is_holding = orders.hold.load(Ordering::SeqCst);
            orders.holding.store(is_holding, Ordering::SeqCst);
            until_within("confirms are let go", Duration::from_mins(1), || async {
                !orders.hold.load(Ordering::SeqCst)
            })
            .await;
            if orders.cut_after.fetch_sub(1, Ordering::SeqCst) == 0 {
                return Ok(());
            }
        }
        to.write_all(&head).await?;
        to.write_all(&rest).await?;
    }
}

/// The same, with a proxy between desk and broker.
pub async fn at_work_behind_proxy(pool: &PgPool) -> (Vhost, Proxy, Bench) {
    let vhost = Vhost::create().await;
    vhost.queue("work", &[]).await;
    let proxy = Proxy::start(&vhost.brokers).await;
    let bench = Bench::new(pool, &proxy.brokers(&vhost.brokers), &vhost.name).await;
    (vhost, proxy, bench)
}
