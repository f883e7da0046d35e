//! The application's port over Postgres and RabbitMQ: what people and programs ask for, and the
//! only place that turns the store's failures into what they are told.
//!
//! Every change is one transaction with its audit lines and its event; what it could not touch
//! is counted with the reason. Publishing is the replay engine's: here a plan is frozen, no more.

mod alert_rules;
mod alerts;
mod approvals;
mod causes;
mod channels;
mod comparing;
mod decisions;
mod destinations;
mod edits;
mod error;
mod error_reports;
mod executions;
mod fleet;
mod groups;
mod letters;
mod losses;
mod origins;
mod overview;
mod policies;
mod related;
mod replays;
mod rules;
mod samples;
mod schemas;
mod searches;
mod selection;
mod sources;
mod timeline;
mod topology;
mod transaction;
mod transforms;
mod triage;
mod troubles;
mod views;
mod warnings;

use std::sync::{Arc, Mutex};

use chrono::{DateTime, Utc};
use dlo_app::desk::DeskError;
use sqlx::pool::PoolConnection;
use sqlx::{PgPool, Postgres, Transaction};
use transaction::changing;

use crate::breakdown::Comparisons;
use crate::broker::Brokers;
use crate::clock::SharedClock;
use crate::config::{ExecutionsConfig, Patience, ReplayConfig};
use crate::fleet::{self as workforce, Beats};
use crate::json_schemas::Schemas;
use crate::judging::Judges;
use crate::notifying::Poster;
use crate::recent::Recent;
use crate::replay::Waits;
use crate::store;
use crate::transform::Transformer;

/// The desk of one office.
#[derive(Debug)]
pub struct PgDesk {
    pool: PgPool,
    brokers: Arc<Brokers>,
    clock: SharedClock,
    waits: Waits,
    /// How replays are planned here.
    replaying: ReplayConfig,
    /// Where heartbeats over HTTP come together.
    beats: Beats,
    /// What is late, and where ends are told.
    watching: ExecutionsConfig,
    /// What letters are compared with.
    comparisons: Arc<Comparisons>,
    /// The queues that letters died in.
    queue_names: Recent<Vec<String>>,
    judges: Arc<Judges>,
    /// What carries jq programs out.
    transformer: Transformer,
    json_schemas: Schemas,
    patience: Patience,
    /// What posts to channels, to test them.
    poster: Option<Poster>,
    /// Since when the database does not answer.
    database_away: Mutex<Option<DateTime<Utc>>>,
}

impl PgDesk {
    /// A desk. `waits` is the board of this office's replay engine, `replaying` its settings.
    #[must_use]
    pub fn new(
        pool: PgPool,
        brokers: Arc<Brokers>,
        clock: SharedClock,
        (waits, replaying): (Waits, ReplayConfig),
    ) -> Self {
        let beats = Beats::new(pool.clone(), clock.clone(), workforce::HTTP)
            .with_queues(replaying.worker_queue_names());
        Self {
            beats,
            pool,
            brokers,
            clock,
            waits,
            replaying,
            watching: ExecutionsConfig::default(),
            comparisons: Arc::default(),
            queue_names: Recent::default(),
            judges: Arc::default(),
            transformer: Transformer::own(),
            json_schemas: Schemas::default(),
            patience: Patience::default(),
            poster: None,
            database_away: Mutex::new(None),
        }
    }

    /// The same with these settings for executions.
    #[must_use]
    pub fn with_executions(mut self, watching: ExecutionsConfig) -> Self {
        self.watching = watching;
        self
    }

    /// The same with JSON Schemas that changed bodies are held against.
    #[must_use]
    pub fn with_json_schemas(mut self, schemas: Schemas) -> Self {
        self.json_schemas = schemas;
        self
    }

    /// The same that waits so long for others.
    #[must_use]
    pub fn with_patience(mut self, patience: Patience) -> Self {
        self.patience = patience;
        self.transformer = self.transformer.with_patience(&patience);
        self
    }

    /// The same that can test channels.
    #[must_use]
    pub fn with_poster(mut self, poster: Option<Poster>) -> Self {
        self.poster = poster;
        self
    }

    /// The same with another program that carries jq out: a test is no `dlo`.
    #[must_use]
    pub fn with_transformer(mut self, transformer: Transformer) -> Self {
        self.transformer = transformer.with_patience(&self.patience);
        self
    }

    /// A connection for what only reads: each statement sees what is committed by then, in a transaction or out of it.
    async fn connection(&self) -> Result<PoolConnection<Postgres>, DeskError> {
        Ok(store::while_reachable(&self.pool, self.pool.acquire()).await?)
    }

    /// Begins a transaction, for changes and for reads whose statements have a time limit of their own.
    async fn begin(&self) -> Result<Transaction<'static, Postgres>, DeskError> {
        Ok(store::while_reachable(&self.pool, self.pool.begin()).await?)
    }
}
