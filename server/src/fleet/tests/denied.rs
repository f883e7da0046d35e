//! Addresses of our own networks in every spelling that leads to them: probes connect to none.

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::http::header::LOCATION;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::get;
use futures_util::StreamExt as _;
use futures_util::stream::iter;
use sqlx::PgPool;
use tokio::net::TcpListener;

use super::workforce::{Workforce, alive};
use crate::outbound::{Allowed, Outbound};

/// Addresses that lead to this machine, so that the listener would be reached.
const HERE: [Ipv4Addr; 3] =
    [Ipv4Addr::LOCALHOST, Ipv4Addr::new(127, 8, 9, 10), Ipv4Addr::UNSPECIFIED];

/// Addresses that only our networks have: of a cloud's secrets, of private networks, of providers, of
/// many at once.
const ELSEWHERE: [Ipv4Addr; 10] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(10, 0, 0, 1),
    Ipv4Addr::new(172, 31, 255, 254),
    Ipv4Addr::new(192, 168, 1, 1),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(198, 18, 0, 1),
    Ipv4Addr::new(224, 0, 0, 1),
    Ipv4Addr::new(240, 0, 0, 1),
    Ipv4Addr::BROADCAST,
];

/// The spellings of one address that a URL may have.
fn spellings(ip: Ipv4Addr) -> Vec<String> {
    let bits = ip.to_bits();
    let [a, b, c, d] = ip.octets();
    let (low, lower) = (bits & 0x00ff_ffff, bits & 0xffff);
    let (high, last) = (bits >> 16, bits & 0xffff);
    let digits = |set: [char; 10], stop: char| -> String {
        let plain = ip.to_string();
        let letters = plain.chars().map(|letter| match letter.to_digit(10) {
            Some(digit) => set[digit as usize],
            None => stop,
        });
        letters.collect()
    };
    let escaped: Vec<String> = ip.to_string().bytes().map(|byte| format!("%{byte:02x}")).collect();
    let wide = ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'];
    let ringed = ['⓪', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨'];
    let bold = ['𝟎', '𝟏', '𝟐', '𝟑', '𝟒', '𝟓', '𝟔', '𝟕', '𝟖', '𝟗'];
    vec![
        format!("{ip}"),
        format!("{ip}."),
        format!("{bits}"),
        format!("{bits}."),
        format!("{bits:#x}"),
        format!("{bits:#X}"),
        format!("0x{bits:016x}"),
        format!("0{bits:o}"),
        format!("000{bits:o}"),
        format!("{a}.{low}"),
        format!("{a:#x}.{low:#x}"),
        format!("0{a:o}.0{low:o}"),
        format!("{a}.{b}.{lower}"),
        format!("{a:#x}.{b}.0{lower:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("000{a:o}.000{b:o}.000{c:o}.000{d:o}"),
        format!("{a}.0{b:o}.{c:#x}.{d}"),
        format!("{a:#010x}.{b}.{c}.{d}"),
        format!("user:password@{ip}"),
        format!("1.1.1.1@{ip}"),
        format!("1.1.1.1%2f@{bits}"),
        escaped.concat(),
        digits(wide, '.'),
        digits(wide, '。'),
        digits(ringed, '．'),
        digits(bold, '｡'),
        format!("[::ffff:{ip}]"),
        format!("[::FFFF:{high:x}:{last:x}]"),
        format!("[0:0:0:0:0:ffff:{high:04x}:{last:04x}]"),
        format!("[::{ip}]"),
        format!("[::ffff:0:{ip}]"),
        format!("[64:ff9b::{ip}]"),
        format!("[64:ff9b:1::{high:x}:{last:x}]"),
        format!("[2002:{high:x}:{last:x}::1]"),
        format!("[2001:0:{high:x}:{last:x}::1]"),
        format!("[fe80::5efe:{high:x}:{last:x}]"),
        format!("[fe80::{high:x}:{last:x}%25eth0]"),
    ]
}

/// What has no address of the old kind, and names that lead to this machine.
const OTHERS: [&str; 21] = [
    "localhost",
    "LOCALHOST",
    "ｌｏｃａｌｈｏｓｔ",
    "local%68ost",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[0000:0000:0000:0000:0000:0000:0000:0001]",
    "[::]",
    "[::1%25lo]",
    "[fc00::1]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[100::1]",
    "[2001:db8::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[3fff::1]",
    "[5f00::1]",
    "[4000::1]",
];

fn all() -> Vec<String> {
    let addresses = HERE.into_iter().chain(ELSEWHERE);
    let mut all: Vec<String> = addresses.flat_map(spellings).collect();
    all.extend(OTHERS.map(str::to_owned));
    all
}

/// Counts who connects, on every address of this machine, and hangs up.
struct Counting {
    port: u16,
    connected: Arc<AtomicUsize>,
}

impl Counting {
    async fn until<T>(work: impl AsyncFnOnce(&Self) -> T) -> T {
        // Of both kinds where the machine has both.
        let listener = match TcpListener::bind(("::", 0)).await {
            Ok(both) => both,
            Err(_) => TcpListener::bind(("0.0.0.0", 0)).await.expect("a port"),
        };
        let counting =
            Self { port: listener.local_addr().expect("bound").port(), connected: Arc::default() };
        let accept = async {
            loop {
                drop(listener.accept().await.expect("accepted"));
                counting.connected.fetch_add(1, Ordering::SeqCst);
            }
        };
        tokio::select! {
            () = accept => unreachable!("it listens to the end"),
            done = work(&counting) => done,
        }
    }

    fn count(&self) -> usize {
        self.connected.load(Ordering::SeqCst)
    }
}

#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn no_spelling_of_a_denied_address_is_connected_to(pool: PgPool) {
    let hosts = all();
    assert!(hosts.len() >= 500, "{}", hosts.len());
    Counting::until(async |listener| {
        let force = Workforce::open(&pool).await;
        let prober = force.probing(&[]);
        for (number, hosts) in hosts.chunks(400).enumerate() {
            for (place, host) in hosts.iter().enumerate() {
                let url = format!("http://{host}:{}/", listener.port);
                let name = format!("w-{number}-{place}");
                if !host.contains('@') {
                    force.beat_with(&name, url).await;
                    continue;
                }
                // No heartbeat brings it; one that is written down all the same is not asked either.
                force.beat(&name, alive()).await;
                sqlx::query("update workers set probe_url = $2 where name = $1")
                    .bind(name)
                    .bind(url)
                    .execute(&pool)
                    .await
                    .expect("told");
            }
            prober.round().await.expect("probed");
        }
        let asked: Vec<(String, Option<i16>, Option<String>)> =
            sqlx::query_as("select probe_url, probe_status, probe_fault from workers")
                .fetch_all(&pool)
                .await
                .expect("read");
        assert_eq!(asked.len(), hosts.len());
        for (url, status, fault) in asked {
            let fault = fault.unwrap_or_default();
            let is_refused = fault.contains("DLO_FLEET_PROBE_ALLOW")
                || fault.contains("it is no address that can be asked");
            assert!(status.is_none() && is_refused, "{url}: {status:?} {fault}");
        }
        assert_eq!(listener.count(), 0);
    })
    .await;
}

/// The listener is one that would be reached: whoever is allowed to is counted.
#[tokio::test]
async fn the_same_spellings_lead_here_where_it_is_allowed() {
    Counting::until(async |listener| {
        let networks = ["0.0.0.0/0", "::/0"].map(|text| text.parse().expect("a network"));
        let allowed = Allowed(networks.to_vec());
        let out = Outbound::new((allowed, crate::fleet::PROBE_ALLOW), Duration::from_mins(1))
            .expect("a client");
        let hosts = HERE.into_iter().flat_map(|ip| spellings(ip).into_iter().take(28));
        let asked = iter(hosts)
            .map(|host| {
                let url = format!("http://{host}:{}/", listener.port);
                let out = &out;
                async move { out.status(&url).await }
            })
            .buffer_unordered(16)
            .count()
            .await;
        assert_eq!(listener.count(), asked, "each of them");
    })
    .await;
}

/// Where an allowed address sends us on, nobody follows, however it says so.
#[sqlx::test(migrator = "crate::store::MIGRATOR")]
async fn a_redirect_to_a_denied_address_is_not_followed(pool: PgPool) {
    Counting::until(async |denied| {
        let allowed = TcpListener::bind(("127.0.0.2", 0)).await.expect("a port");
        let port = allowed.local_addr().expect("bound").port();
        let mut app = Router::new();
        let mut paths = Vec::new();
        for (number, host) in spellings(Ipv4Addr::LOCALHOST).into_iter().enumerate() {
            for status in [301_u16, 302, 303, 307, 308] {
                let location = format!("http://{host}:{}/", denied.port);
                let Ok(location) = location.parse::<axum::http::HeaderValue>() else {
                    continue;
                };
                let mut headers = HeaderMap::new();
                headers.insert(LOCATION, location);
                let status = StatusCode::from_u16(status).expect("a status");
                let path = format!("/{number}-{}", status.as_u16());
                app = app.route(&path, get(async move || (status, headers)));
                paths.push(path);
            }
        }
        let asking = async {
            let force = Workforce::open(&pool).await;
            // Every answer is asked for here, however busy the machine is.
            let prober = force.probing(&["127.0.0.2"]);
            for path in &paths {
                let url = format!("http://127.0.0.2:{port}{path}");
                force.beat_with(&format!("w{path}"), url).await;
            }
            prober.round().await.expect("probed");
            let redirected: i64 = sqlx::query_scalar(
                "select count(*) from workers where probe_status between 301 and 308",
            )
            .fetch_one(&pool)
            .await
            .expect("counted");
            assert_eq!(redirected, i64::try_from(paths.len()).expect("few"));
            assert!(paths.len() >= 100, "{}", paths.len());
        };
        let serving = async { axum::serve(allowed, app).await };
        tokio::select! {
            _ = serving => panic!("it serves until the end"),
            () = asking => {}
        }
        assert_eq!(denied.count(), 0);
    })
    .await;
}
