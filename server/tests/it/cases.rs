//! Messages of frameworks, built after public reports of what people could not read or send back.

mod cloud_events;
mod easynetq;
mod laravel;
mod mass_transit;
mod nservicebus;
mod rebus;
mod sneakers;
mod spring;
mod symfony;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::audit::Actor;
use dlo_domain::filter::LetterFilter;
use dlo_domain::globs::Globs;
use dlo_domain::letter::{Letter, LetterSummary};
use dlo_domain::replay::{NewReplay, Replay, ReplayWarning, Target, WarningKind};
use dlo_domain::republish::HeaderChanges;
use dlo_domain::selection::Selection;
use dlo_domain::source::SourceMode;
use lapin::BasicProperties;
use lapin::types::{AMQPValue, FieldTable};
use sqlx::PgPool;

use crate::support::broker::Vhost;
use crate::support::desk::Bench;
use crate::support::office::{Office, believe, letters, watch};
use crate::support::until;

/// A message that is published to a dead-letter queue.
struct Sent {
    properties: BasicProperties,
    body: Vec<u8>,
}

/// What became of letters that were replayed.
struct Replayed {
    /// What each outcome tells.
    details: Vec<String>,
    /// What came to the queue.
    came: Vec<Sent>,
}

/// Letters of one dead-letter queue, whose source believes no message.
struct Case {
    vhost: Vhost,
    bench: Bench,
}

impl Case {
    /// Has messages taken out of a queue with these arguments.
    async fn of_queue(
        pool: &PgPool,
        queue: &str,
        arguments: &[(&str, AMQPValue)],
        messages: &[Sent],
    ) -> Self {
        let vhost = Vhost::create().await;
        vhost.queue(queue, arguments).await;
        let source = watch(pool, &vhost.name, queue, SourceMode::Take).await;
        believe(pool, source, "nobody").await;
        for message in messages {
            vhost.publish(queue, message.properties.clone(), &message.body).await;
        }
        let office = Office::start(pool, &vhost.brokers).await;
        let all = i64::try_from(messages.len()).expect("few");
        until("letters", || async { letters(pool).await == all }).await;
        office.stop().await;
        let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
        Self { vhost, bench }
    }

    async fn of(pool: &PgPool, queue: &str, messages: &[Sent]) -> Self {
        Self::of_queue(pool, queue, &[], messages).await
    }

    /// The letters that a filter finds, the newest first.
    async fn found(&self, filter: &str) -> Vec<LetterSummary> {
        let filter = LetterFilter::parse(filter).expect("a filter");
        self.bench.desk.letters(&filter, None, 100).await.expect("listed").items
    }

    /// Each of the letters that a filter finds, the oldest first.
    async fn letters(&self, filter: &str) -> Vec<Letter> {
        let mut letters = Vec::new();
        for summary in self.found(filter).await.into_iter().rev() {
            letters.push(self.bench.desk.letter(summary.id).await.expect("a letter"));
        }
        letters
    }

    /// A replay of all letters to a queue with headers changed: made, or only tried.
    async fn replay(&self, queue: &str, headers: &HeaderChanges, dry_run: bool) -> Replay {
        self.plan(queue, NewReplay { headers: headers.clone(), dry_run, ..NewReplay::default() })
            .await
    }

    /// A replay of all letters to a queue: made, or only tried.
    async fn plan(&self, queue: &str, terms: NewReplay) -> Replay {
        let letters = self.found("state:held").await;
        let new = NewReplay {
            selection: Selection::of_ids(letters.iter().map(|letter| letter.id).collect()),
            target: Target::Queue { queue: queue.to_owned() },
            ..terms
        };
        self.bench.desk.plan_replay(&Actor("tester".into()), &new).await.expect("planned")
    }

    /// What the plan of such a replay says of its headers.
    async fn warnings(&self, queue: &str, headers: &HeaderChanges) -> Vec<ReplayWarning> {
        let mut warnings = self.replay(queue, headers, true).await.warnings;
        warnings.retain(|one| {
            matches!(one.kind, WarningKind::HeaderTravels | WarningKind::HeadersTooLarge)
        });
        warnings
    }

    /// Replays all letters to a queue that is made for them; returns what each outcome tells, and the headers
    /// that the first of them came with.
    async fn replayed(&self, queue: &str, headers: &HeaderChanges) -> (Vec<String>, FieldTable) {
        let terms = NewReplay { headers: headers.clone(), ..NewReplay::default() };
        let Replayed { details, came } = self.replayed_on(queue, terms).await;
        let came = came.into_iter().next().expect("a message");
        (details, came.properties.headers().clone().unwrap_or_default())
    }

    /// Replays all letters to a queue that is made for them.
    async fn replayed_on(&self, queue: &str, terms: NewReplay) -> Replayed {
        self.vhost.queue(queue, &[]).await;
        let engine = self.bench.engine().await;
        let headers = terms.headers.clone();
        let id = self.plan(queue, terms).await.id.expect("an id");
        let done = self.bench.finished(id).await;
        assert_eq!(done.outcomes.confirmed, done.total, "{:?}", self.bench.items(id).await);
        assert_eq!(done.headers, headers, "they are kept with the replay");
        engine.stop().await;
        let options = lapin::options::BasicGetOptions { no_ack: true };
        let mut came = Vec::new();
        while let Some(got) =
            self.vhost.channel.basic_get(queue.into(), options).await.expect("answered")
        {
            came.push(Sent { properties: got.delivery.properties, body: got.delivery.data });
        }
        let items = self.bench.items(id).await.into_iter();
        let details = items.map(|item| item.detail.unwrap_or_default());
        Replayed { details: details.collect(), came }
    }

    async fn close(self) {
        self.vhost.delete().await;
    }
}

/// What mends all of these warnings.
fn remedies(warnings: &[ReplayWarning]) -> HeaderChanges {
    let remedies = warnings.iter().map(|one| one.remedy.clone().expect("a remedy"));
    let mut all = HeaderChanges::default();
    let mut leave_out = Vec::new();
    for remedy in remedies {
        leave_out.extend_from_slice(remedy.leave_out.patterns());
        all.set.extend(remedy.set);
    }
    all.leave_out = Globs::of(leave_out).expect("patterns");
    all
}

/// In how many ways letters failed.
async fn signatures(pool: &PgPool) -> i64 {
    let count = sqlx::query_scalar("select count(distinct signature) from letters");
    count.fetch_one(pool).await.expect("counted")
}

/// Properties with headers that are long strings.
fn with_headers(headers: &[(&str, &str)]) -> BasicProperties {
    let mut table = FieldTable::default();
    for (name, value) in headers {
        table.insert((*name).into(), text(value));
    }
    BasicProperties::default().with_headers(table)
}

fn text(value: &str) -> AMQPValue {
    AMQPValue::LongString(value.into())
}

/// Adds a header.
fn with(properties: BasicProperties, name: &str, value: AMQPValue) -> BasicProperties {
    let mut table = properties.headers().clone().unwrap_or_default();
    table.insert(name.into(), value);
    properties.with_headers(table)
}

/// A death history, newest entry first: queue, reason, routing key.
fn deaths(entries: &[(&str, &str, &str)]) -> AMQPValue {
    deaths_by("", entries)
}

/// The same of messages that were published to an exchange.
fn deaths_by(exchange: &str, entries: &[(&str, &str, &str)]) -> AMQPValue {
    let entries = entries.iter().map(|(queue, reason, key)| {
        let mut entry = FieldTable::default();
        entry.insert("count".into(), AMQPValue::LongLongInt(1));
        entry.insert("reason".into(), text(reason));
        entry.insert("queue".into(), text(queue));
        entry.insert("exchange".into(), text(exchange));
        entry.insert("time".into(), AMQPValue::Timestamp(1_795_150_509));
        entry.insert("routing-keys".into(), AMQPValue::FieldArray(vec![text(key)].into()));
        AMQPValue::FieldTable(entry)
    });
    AMQPValue::FieldArray(entries.collect::<Vec<_>>().into())
}
