//! What was published, held against what is stored: each message once. Where it does not agree,
//! it says everything that is known.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::Duration;

use dlo_domain::redelivery::MAY_BE_STORED_TWICE;
use rand::Rng as _;
use rand::rngs::StdRng;
use sqlx::PgPool;
use tokio::time::Instant;

use super::process::Premises;
use crate::support::broker::Vhost;

/// How many wrong bodies are named.
const NAMED: usize = 8;

/// What the database knows about intake.
const FACTS: [(&str, &str); 4] = [
    (
        "sources",
        "select queue || ' is ' || condition || coalesce(': ' || condition_detail, '') from sources",
    ),
    (
        "unsettled batches",
        "select session_id || ' ' || batch || ': ' || length(fingerprints) / 16 || ' messages, '
             || case when is_announced then 'announced' else 'withheld' end || coalesce(' ' || receipt, '')
         from unsettled_batches order by session_id, batch",
    ),
    (
        "sessions",
        "select session_id || ' of ' || office_id || coalesce(' over ' || over_at, '')
             || coalesce(', cleared ' || cleared_at, '')
         from intake_sessions order by session_id",
    ),
    (
        "living offices",
        "select o.id::text from offices o join pg_locks on locktype = 'advisory'
             and (classid::bigint << 32) | objid::bigint = lock_key",
    ),
];

/// A counter: its name, what it says, and a recount.
type Counter = (&'static str, &'static str, &'static str);

const DEATHS_BY_SEVERITY: &str = "arrivals by severity";

/// Every counter that intake keeps: what it counts, and the same counted anew.
const COUNTERS: [Counter; 5] = [
    (
        "letters by source, state and severity",
        "select source_id || state || severity as key, letters as n from letter_counts",
        "select source_id || state || severity as key, 1 as n from letters",
    ),
    (
        "letters by group",
        "select signature::text || state || severity as key, letters as n from signature_totals
         union all
         select signature::text || state || severity, letters from signature_changes",
        "select signature::text || state || severity as key, 1 as n from letters
         where signature is not null",
    ),
    (
        "arrivals by group",
        "select signature::text as key, arrivals as n from signature_totals
         union all select signature::text, arrivals from signature_changes",
        "select signature::text as key, arrivals as n from letters where signature is not null",
    ),
    (
        DEATHS_BY_SEVERITY,
        "select severity as key, arrivals as n from death_counts",
        "select severity as key, arrivals as n from letters",
    ),
    (
        "arrivals by queue",
        "select queue as key, arrivals as n from queue_deaths",
        "select queue as key, arrivals as n from letters where queue is not null",
    ),
];

/// Bodies in order: one in five is a copy of one that came before, often of a neighbour.
pub fn mixed_bodies(count: usize, random: &mut StdRng) -> Vec<String> {
    let mut bodies: Vec<String> = Vec::with_capacity(count);
    for number in 0..count {
        let body = if number > 0 && random.random_ratio(1, 5) {
            let back = if random.random_bool(0.5) { 3 } else { 400 };
            bodies[number - random.random_range(1..=back.min(number))].clone()
        } else {
            format!("{{\"number\": {number}}}")
        };
        bodies.push(body);
    }
    bodies
}

/// The messages of one queue, from their publisher to the database.
pub struct Ledger<'a> {
    /// The database.
    pub pool: &'a PgPool,
    /// The broker.
    pub vhost: &'a Vhost,
    /// The queue.
    pub queue: &'a str,
    /// The offices.
    pub premises: &'a Premises,
    /// What was published.
    pub bodies: &'a [String],
}

/// What is stored, held against what was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Audit {
    /// Messages that are missing.
    pub lost: usize,
    /// Messages that are there more than once.
    pub doubled: usize,
}

impl Ledger<'_> {
    /// Waits until `check` holds; when it does not within `seconds`, the test fails with an account.
    pub async fn until<F: Future<Output = bool>>(
        &self,
        what: &str,
        seconds: u64,
        check: impl Fn() -> F,
    ) {
        let deadline = Instant::now() + Duration::from_secs(seconds);
        loop {
            // A question that is never answered must not hide what it waits for.
            let left = deadline.saturating_duration_since(Instant::now());
            if tokio::time::timeout(left, check()).await == Ok(true) {
                return;
            }
            assert!(
                Instant::now() < deadline,
                "not within {seconds} s: {what}\n{}",
                self.account().await
            );
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Letters stored, or −1 while the database does not say.
    pub async fn letters(&self) -> i64 {
        let counted = sqlx::query_scalar("select count(*) from letters").fetch_one(self.pool);
        counted.await.unwrap_or(-1)
    }

    /// Waits until as many letters are stored as there were messages, every acknowledgement is
    /// known to have arrived, and the queue is empty.
    pub async fn until_settled(&self, seconds: u64) {
        let wanted = i64::try_from(self.bodies.len()).expect("fits");
        self.until("everything is stored and settled", seconds, || async {
            self.letters().await >= wanted
                && self.unsettled().await == 0
                && self.vhost.depth(self.queue).await == 0
        })
        .await;
    }

    async fn unsettled(&self) -> i64 {
        let count = "select count(*) from unsettled_batches where left_since is null";
        let counted = sqlx::query_scalar(count).fetch_one(self.pool);
        counted.await.unwrap_or(-1)
    }

    /// Each message is stored once, and the counters agree.
    pub async fn assert_exact(&self) {
        self.assert_stored_once().await;
        self.assert_counted().await;
    }

    /// Letters of which nobody can know whether they are there once too often, and which say so.
    pub async fn noted_as_doubtful(&self) -> usize {
        let noted: i64 = sqlx::query_scalar("select count(*) from arrivals where $1 = any(notes)")
            .bind(MAY_BE_STORED_TWICE)
            .fetch_one(self.pool)
            .await
            .expect("counted");
        usize::try_from(noted).expect("fits")
    }

    /// Each message is stored once, and the counters agree but for one: deaths are counted as they were judged
    /// when they came, and letters were judged again since.
    pub async fn assert_exact_though_judged_again(&self) {
        self.assert_stored_once().await;
        let as_judged_first = |counter: &&Counter| counter.0 != DEATHS_BY_SEVERITY;
        self.assert_agreeing(COUNTERS.iter().filter(as_judged_first)).await;
    }

    async fn assert_stored_once(&self) {
        let wrong = self.wrong().await;
        assert!(wrong.is_empty(), "not each message is stored once\n{}", self.account().await);
    }

    /// Every counter agrees with a recount.
    pub async fn assert_counted(&self) {
        self.assert_agreeing(COUNTERS.iter()).await;
    }

    async fn assert_agreeing(&self, counters: impl Iterator<Item = &Counter>) {
        for (what, counted, recount) in counters {
            let query = format!(
                "select count(*) from (
                     select key, sum(n) as n from ({counted}) as counted group by key
                 ) as counted full join (
                     select key, sum(n) as n from ({recount}) as recount group by key
                 ) as recount using (key)
                 where coalesce(counted.n, 0) <> coalesce(recount.n, 0)"
            );
            let wrong: i64 = sqlx::query_scalar(sqlx::AssertSqlSafe(query))
                .fetch_one(self.pool)
                .await
                .expect("counted");
            assert_eq!(wrong, 0, "the {what} equal a recount");
        }
    }

    /// No message is stored less often than it was published.
    pub async fn assert_nothing_lost(&self) {
        let wrong = self.wrong().await;
        let is_lost = |(published, stored): &(usize, usize)| stored < published;
        assert!(!wrong.values().any(is_lost), "messages are lost\n{}", self.account().await);
    }

    /// No more than so many messages are stored more often than they were published.
    pub async fn assert_doubled_at_most(&self, most: usize) {
        let wrong = self.wrong().await;
        let doubled = |(published, stored): &(usize, usize)| stored.saturating_sub(*published);
        let doubled: usize = wrong.values().map(doubled).sum();
        assert!(
            doubled <= most,
            "{doubled} messages are doubled, more than {most}\n{}",
            self.account().await
        );
    }

    /// How many messages are missing, and how many are there more than once.
    pub async fn audit(&self) -> Audit {
        let mut audit = Audit::default();
        for (published, stored) in self.wrong().await.values() {
            audit.lost += published.saturating_sub(*stored);
            audit.doubled += stored.saturating_sub(*published);
        }
        audit
    }

    /// Bodies whose number is wrong: how often each was published and is stored.
    async fn wrong(&self) -> BTreeMap<String, (usize, usize)> {
        let stored: Vec<Vec<u8>> = sqlx::query_scalar("select body from arrivals")
            .fetch_all(self.pool)
            .await
            .expect("read");
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        for body in self.bodies {
            counts.entry(body.clone()).or_default().0 += 1;
        }
        for body in stored {
            let body = String::from_utf8_lossy(&body).into_owned();
            counts.entry(body).or_default().1 += 1;
        }
        counts.retain(|_, (published, stored)| published != stored);
        counts
    }

    /// Everything that is known, for a failure.
    async fn account(&self) -> String {
        let wrong = self.wrong().await;
        let Audit { lost, doubled } = self.audit().await;
        let mut text = format!(
            "published {}, letters {}: {lost} missing, {doubled} too many\n",
            self.bodies.len(),
            self.letters().await
        );
        let mut wrong: Vec<_> = wrong.iter().collect();
        // What is missing is told first.
        wrong.sort_by_key(|(_, (published, stored))| stored >= published);
        for (body, (published, stored)) in wrong.into_iter().take(NAMED) {
            let places = self.bodies.iter().enumerate();
            let places: Vec<usize> =
                places.filter_map(|(place, one)| (one == body).then_some(place)).collect();
            let _ =
                writeln!(text, "  {body}: published {published} (at {places:?}), stored {stored}");
        }
        for (what, query) in FACTS {
            let facts = sqlx::query_scalar(query).fetch_all(self.pool).await;
            let facts: Vec<String> = facts.unwrap_or_else(|why| vec![why.to_string()]);
            let _ = writeln!(text, "{what}: {}", facts.join("\n  "));
        }
        let (census, words) = (self.vhost.census(self.queue).await, self.premises.last_words());
        let _ = write!(text, "queue: {census}\nthe offices said:\n{words}");
        text
    }
}
