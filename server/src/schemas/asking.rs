//! The schema registry is asked for the schemas whose numbers stand before messages. What it tells is a change of what
//! letters are read by, as an upload is: stored letters are read again.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use dlo_domain::audit::Actor;
use dlo_domain::schema::{NewSchema, SchemaFault};
use sqlx::PgPool;
use tokio_util::sync::CancellationToken;

use super::keeping::{Change, read_anew};
use super::registry::{RegistryAnswer, SchemaRegistry};
use super::{compiling, path};
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

/// A number that is not known is asked for again after this, and then after twice as long each time.
const FIRST_PAUSE: TimeDelta = TimeDelta::seconds(15);

/// The longest pause.
const LONGEST_PAUSE: TimeDelta = TimeDelta::hours(1);

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
        for one in &due {
            let answered = tokio::select! {
                () = stop.cancelled() => break,
                answered = self.answered(one.number) => answered,
            };
            match answered {
                Ok(schema) => told.push(schema),
                Err(fault) => self.put_off(*one, &fault, now).await?,
            }
        }
        self.keep(&told, now).await?;
        Ok(due.len())
    }

    /// What the registry tells of a number.
    ///
    /// # Errors
    /// Returns why it cannot be used, as a sentence.
    async fn answered(&self, number: i32) -> Result<ToldSchema, String> {
        let answer = self.registry.schema(number).await.map_err(|why| why.to_string())?;
        let read = tokio::task::spawn_blocking(move || read(number, answer));
        read.await.map_err(|why| why.to_string())?.map_err(|why| why.to_string())
    }

    async fn put_off(
        &self,
        DueNumber { number, asked }: DueNumber,
        fault: &str,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        tracing::warn!(number, fault, "a schema of the registry is not known");
        let doubled = FIRST_PAUSE * 2_i32.pow(u32::try_from(asked - 1).unwrap_or(0).min(10));
        let mut conn = self.pool.acquire().await?;
        let again = now + doubled.min(LONGEST_PAUSE);
        registry_schemas::put_off(&mut conn, number, fault, again).await
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
    files.insert(path(number), answer.text);
    let told = |definition, message_types| ToldSchema { number, definition, message_types };
    match &*answer.kind {
        "AVRO" => {
            let compiled = compiling::compile_avro(&files)?;
            Ok(told(Definition::Avro(files), compiled.message_types))
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
