//! The schema registry is asked for the schemas whose numbers stand before messages. What it tells is a change of what
//! letters are read by, as an upload is: stored letters are read again.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::decoding::AvroSchema;
use dlo_domain::schema::{NewSchema, SchemaFault};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::keeping::{Change, read_anew};
use super::registry::{RegistryAnswer, SchemaRegistry};
use super::{compiling, registry_path};
use crate::clock::SharedClock;
use crate::duty::{Duty, Next};
use crate::store::registry_schemas::{self, Definition, DueNumber, ToldSchema};
use crate::store::{StoreError, rules, shared_time};

/// How often it is looked whether a number is to be asked for.
pub const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Numbers in one step.
const AT_ONCE: i64 = 10;

/// How long a step may take until another office may ask for the same numbers.
const TAKES_AT_MOST: TimeDelta = TimeDelta::minutes(5);

/// A number is asked for again after this; one that the registry does not know, or that cannot be used, then after twice
/// as long each time.
const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(15);

/// The longest pause.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(1);

/// Why a number has no schema yet.
#[derive(Debug, Clone)]
struct Unanswered {
    why: String,
    /// Whether that is the registry's trouble, and not the number's.
    is_away: bool,
}

/// Asks, step by step.
#[derive(Debug)]
pub struct Asker {
    pool: PgPool,
    clock: SharedClock,
    registry: SchemaRegistry,
}

impl Duty for Asker {
    async fn step(&mut self, stop: &CancellationToken) -> Result<Next, StoreError> {
        let asked = self.ask(stop).await?;
        let is_full = i64::try_from(asked).is_ok_and(|asked| asked >= AT_ONCE);
        Ok(if is_full { Next::After(Duration::ZERO) } else { Next::Usual })
    }
}

impl Asker {
    /// One that has asked for nothing yet.
    #[must_use]
    pub fn new(pool: PgPool, clock: SharedClock, registry: SchemaRegistry) -> Self {
        Self { pool, clock, registry }
    }

    /// Asks for some of the numbers that are due, and returns for how many.
    ///
    /// # Errors
    /// Returns an error if Postgres does not do it; what was asked for is asked for again.
    pub async fn ask(&mut self, stop: &CancellationToken) -> Result<usize, StoreError> {
        let mut conn = self.pool.acquire().await?;
        let now = shared_time(&mut conn, &*self.clock).await?;
        let due = registry_schemas::take_due(&mut conn, now, now + TAKES_AT_MOST, AT_ONCE).await?;
        drop(conn);
        let mut told = Vec::new();
        let mut away: Option<Unanswered> = None;
        for one in &due {
            let answered = tokio::select! {
                () = stop.cancelled() => break,
                answered = self.answered(one.number, away.take()) => answered,
            };
            match answered {
                Ok(schema) => told.push(schema),
                Err(why) => {
                    self.put_off(*one, &why, now).await?;
                    away = Some(why).filter(|why| why.is_away);
                }
            }
        }
        self.keep(&told, now).await?;
        Ok(due.len())
    }

    /// What the registry tells of a number. While it is away it is not asked.
    ///
    /// # Errors
    /// Returns why it cannot be used.
    async fn answered(
        &self,
        number: i32,
        away: Option<Unanswered>,
    ) -> Result<ToldSchema, Unanswered> {
        if let Some(away) = away {
            return Err(away);
        }
        let told = self.registry.schema(number).await;
        let answer = told.map_err(|why| {
            tracing::warn!(number, %why, "the schema registry does not tell a schema");
            Unanswered { is_away: why.is_away(), why: why.to_string() }
        })?;
        let read = tokio::task::spawn_blocking(move || read(number, answer)).await;
        let read = read.map_err(|why| why.to_string());
        read.and_then(|read| read.map_err(|why| why.to_string())).map_err(|why| {
            tracing::warn!(number, why, "a schema of the registry cannot be used");
            Unanswered { why, is_away: false }
        })
    }

    async fn put_off(
        &self,
        DueNumber { number, asked }: DueNumber,
        fault: &Unanswered,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let doublings = if fault.is_away { 0 } else { u32::try_from(asked - 1).unwrap_or(0) };
        let pause = (FIRST_PAUSE * 2_i32.pow(doublings.min(10))).min(LONGEST_PAUSE);
        let mut conn = self.pool.acquire().await?;
        registry_schemas::put_off(&mut conn, number, &fault.why, now + pause).await
    }

    async fn keep(&self, told: &[ToldSchema], now: DateTime<Utc>) -> Result<(), StoreError> {
        if told.is_empty() {
            return Ok(());
        }
        let mut transaction = self.pool.begin().await?;
        let conn = &mut *transaction;
        rules::take(conn).await?;
        for schema in told {
            registry_schemas::keep(conn, schema).await?;
        }
        let numbers: Vec<String> = told.iter().map(|schema| schema.number.to_string()).collect();
        let actor = Actor::office();
        let change = Change { actor: &actor, at: now };
        read_anew(conn, change, "schema.registry", &numbers.join(", ")).await?;
        transaction.commit().await?;
        Ok(())
    }
}

/// Reads what a registry answered.
fn read(number: i32, answer: RegistryAnswer) -> Result<ToldSchema, SchemaFault> {
    let mut files = answer.references;
    files.insert(registry_path(number), answer.text);
    let told = |definition, message_types| ToldSchema { number, definition, message_types };
    match &*answer.kind {
        "AVRO" => {
            let own = AvroSchema::read_one(&registry_path(number), &files);
            let own = own.map_err(SchemaFault::Unreadable)?;
            Ok(told(Definition::Avro(files), vec![own.name().to_owned()]))
        }
        "PROTOBUF" => {
            let schema = NewSchema { name: "registry".to_owned(), files, descriptor_set: None };
            let compiled = compiling::compile_protobuf(&schema)?;
            let set = compiled.descriptor_set.unwrap_or_default();
            Ok(told(Definition::Protobuf(set), compiled.message_types))
        }
        "JSON" => Ok(told(Definition::Json, Vec::new())),
        other => {
            Err(SchemaFault::Unreadable(format!("it is of the kind {other}, which is not known")))
        }
    }
}
