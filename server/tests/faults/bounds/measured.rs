//! An office as a process of its own whose memory is watched while it answers.

use std::time::Duration;

use dlo_server::access::Role;
use dlo_server::broker::Brokers;
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use rustix::process::{Pid, Resource, Rlimit, prlimit};
use serde_json::Value;
use sqlx::PgPool;
use tokio::time::Instant;

use crate::harness::program::Running;
use crate::support::database::database_url;
use crate::support::token::token;
use crate::support::until_within;

/// What an answer may add to the memory of its office, in KiB.
const MOST_EXTRA_KIB: u64 = 64 * 1024;

/// The most bytes of a page or an answer, but for the files and single arrivals that are the way to the whole.
const MOST_ANSWER_BYTES: usize = 2_000_000;

/// The address space that an office may take beyond what it has: a bound that is missed ends the office, and
/// not the machine.
const MOST_ADDRESSES: u64 = 3 * 1024 * 1024 * 1024;

/// An answer and what it cost.
pub struct Measured {
    /// Its status.
    pub status: StatusCode,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The most memory that the office had beyond what it had before, in KiB.
    pub extra_kib: u64,
}

impl Measured {
    /// The answer as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// The answer as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).expect("JSON")
    }
}

/// An office of which requests are measured.
pub struct MeasuredOffice {
    running: Running,
    address: String,
    token: String,
    client: Client,
}

impl MeasuredOffice {
    /// Opens it and waits until it serves.
    pub async fn open(pool: &PgPool, brokers: &Brokers, variables: &[(&str, &str)]) -> Self {
        let (database, broker) = (database_url(pool), brokers.get("main").expect("a broker"));
        let mut all = vec![
            ("DLO_DATABASE_URL", &*database),
            ("DLO_BROKER_URL", &*broker.amqp),
            ("DLO_HTTP_ADDRESS", "127.0.0.1:0"),
            ("DLO_LOG", "error"),
        ];
        if let Some(management) = broker.management.as_deref() {
            all.push(("DLO_MANAGEMENT_URL", management));
        }
        all.extend(variables);
        let running = Running::start(&["serve", "--json"], &all).await;
        let office = Self {
            address: running.ready["http"].as_str().expect("an address").to_owned(),
            token: token(pool, "measured", Role::Admin).await.reveal().to_owned(),
            client: Client::new(),
            running,
        };
        until_within("the office is ready", Duration::from_secs(30), || async {
            let asked = office.client.get(format!("{}/readyz", office.address));
            let answer = asked.send().await;
            answer.is_ok_and(|answer| answer.status().is_success())
        })
        .await;
        office.limit_addresses();
        office
    }

    fn limit_addresses(&self) {
        let pid = i32::try_from(self.running.pid()).expect("a process id");
        let most = Some(self.status_kib("VmSize:") * 1024 + MOST_ADDRESSES);
        let limit = Rlimit { current: most, maximum: most };
        prlimit(Pid::from_raw(pid), Resource::As, limit).expect("limited");
    }

    /// What Linux says of the memory of the office, in KiB.
    pub fn status_kib(&self, field: &str) -> u64 {
        let path = format!("/proc/{}/status", self.running.pid());
        let status = std::fs::read_to_string(path).expect("the office runs");
        let mut lines = status.lines();
        let told = lines.find_map(|line| line.strip_prefix(field)).expect("told");
        told.trim().trim_end_matches("kB").trim().parse().expect("KiB")
    }

    /// Forgets the most memory that the office ever had; returns what it has now, in KiB.
    pub fn forget_peak(&self) -> u64 {
        let path = format!("/proc/{}/clear_refs", self.running.pid());
        std::fs::write(path, "5").expect("Linux takes it");
        self.status_kib("VmRSS:")
    }

    /// The most memory that the office had since `forget_peak`, in KiB.
    pub fn peak_kib(&self) -> u64 {
        self.status_kib("VmHWM:")
    }

    /// A request to a path.
    pub fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let url = format!("{}{path}", self.address);
        self.client.request(method, url).bearer_auth(&self.token)
    }

    /// Sends a request and measures what its answer costs.
    pub async fn measure(&self, request: RequestBuilder) -> Measured {
        let before = self.forget_peak();
        let answer = request.send().await.expect("the office lives to answer");
        let status = answer.status();
        let bytes = answer.bytes().await.expect("the whole answer").to_vec();
        Measured { status, bytes, extra_kib: self.peak_kib().saturating_sub(before) }
    }

    /// The same, asked again for half a minute while the office says that it is busy. What each of these answers
    /// cost counts.
    async fn measure_in_time(&self, request: RequestBuilder) -> Measured {
        let deadline = Instant::now() + Duration::from_secs(30);
        let mut most = 0;
        loop {
            let again = request.try_clone().expect("no stream");
            let mut answer = self.measure(again).await;
            most = most.max(answer.extra_kib);
            if answer.status != StatusCode::SERVICE_UNAVAILABLE || Instant::now() > deadline {
                answer.extra_kib = most;
                return answer;
            }
            tokio::time::sleep(Duration::from_millis(250)).await;
        }
    }

    /// Asks for a page or an answer, which must be within every bound; `what` names the letter.
    pub async fn within_bounds(&self, what: &str, request: RequestBuilder) -> Measured {
        let path = request.try_clone().expect("no stream").build().expect("a request");
        let path = path.url().path().to_owned() + path.url().query().unwrap_or_default();
        let answer = self.measure_in_time(request).await;
        let said = answer.text();
        let beginning: String = said.chars().take(300).collect();
        assert!(
            answer.status.is_success() || answer.status.is_client_error(),
            "{what}, {path}: {} {beginning}",
            answer.status
        );
        assert!(
            answer.extra_kib <= MOST_EXTRA_KIB,
            "{what}, {path}: {} KiB of extra memory",
            answer.extra_kib
        );
        assert!(
            answer.bytes.len() <= MOST_ANSWER_BYTES,
            "{what}, {path}: {} bytes",
            answer.bytes.len()
        );
        answer
    }

    /// Ends it in order.
    pub async fn close(self) {
        self.running.signal("-TERM").await;
        assert!(self.running.ended(30).await, "in good order");
    }
}
