//! Messages of frameworks, built after public reports of what people could not read or send back.

mod laravel;
mod mass_transit;
mod nservicebus;
mod rebus;
mod sneakers;
mod spring;
mod symfony;

use dlo_app::desk::TriageDesk as _;
use dlo_domain::filter::LetterFilter;
use dlo_domain::letter::{Letter, LetterSummary};
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
        Self { vhost, bench: Bench::offline(pool).await }
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

    async fn close(self) {
        self.vhost.delete().await;
    }
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
    let entries = entries.iter().map(|(queue, reason, key)| {
        let mut entry = FieldTable::default();
        entry.insert("count".into(), AMQPValue::LongLongInt(1));
        entry.insert("reason".into(), text(reason));
        entry.insert("queue".into(), text(queue));
        entry.insert("exchange".into(), text(""));
        entry.insert("time".into(), AMQPValue::Timestamp(1_795_150_509));
        entry.insert("routing-keys".into(), AMQPValue::FieldArray(vec![text(key)].into()));
        AMQPValue::FieldTable(entry)
    });
    AMQPValue::FieldArray(entries.collect::<Vec<_>>().into())
}
