//! What an office is told: `dlo.toml`, then `DLO_*` variables, which win. Read once at the start;
//! the environment arrives as a function, so that tests never touch the process's own.
//!
//! All faults are reported together, each with the line or the variable that it stands in. Nothing
//! here connects to anything.

mod alerts;
mod brokers;
mod database;
mod executions;
mod fault;
mod file;
mod fleet;
mod http;
mod intake;
mod json_schemas;
mod log;
mod patience;
mod register;
mod replay;
mod retention;
mod retry;
mod schema_registry;
mod search;
mod sources;
mod topology;
mod unknown;
mod value;

use std::path::{Path, PathBuf};

use dlo_domain::source::NewSource;

use crate::broker::Brokers;
use crate::json_schemas::Schemas;
use crate::store::retention::Retention;
use crate::store::texts::IndexedParts;

pub use alerts::AlertsConfig;
pub use database::{DatabaseConfig, Secret, Shares};
pub use executions::ExecutionsConfig;
pub use fault::{Fault, Faults, Place};
pub use fleet::FleetConfig;
pub use http::HttpConfig;
pub use intake::IntakeConfig;
pub use log::{LogConfig, LogFormat};
pub use patience::Patience;
pub use register::RegisterConfig;
pub use replay::ReplayConfig;
pub use retry::RetryConfig;
pub use schema_registry::SchemaRegistryConfig;
pub use topology::TopologyConfig;
pub use unknown::unknown_variables;

use file::Reader;

/// Every variable that is read, for the example file and its test.
pub const VARIABLES: [&str; 62] = [
    "DLO_CONFIG",
    "DLO_DATABASE_URL",
    "DLO_DATABASE_CONNECTIONS",
    "DLO_BROKER_URL",
    "DLO_MANAGEMENT_URL",
    "DLO_ALERTS",
    "DLO_PUBLIC_URL",
    "DLO_ALERTS_ALLOW",
    "DLO_HTTP",
    "DLO_HTTP_ADDRESS",
    "DLO_SITE_ROOT",
    "DLO_INTAKE",
    "DLO_INTAKE_PREFETCH",
    "DLO_INTAKE_BATCH",
    "DLO_INTAKE_LINGER_MS",
    "DLO_REPLAY",
    "DLO_REPLAY_WINDOW",
    "DLO_REPLAY_LOOP_CAP",
    "DLO_REPLAY_WORKER_QUEUE",
    "DLO_REPLAY_WORKER_QUEUES",
    "DLO_REPLAY_SETTLE_AFTER_SECS",
    "DLO_REPLAY_TRANSFORMS_NEED_APPROVAL",
    "DLO_RETRY",
    "DLO_FLEET",
    "DLO_EXECUTIONS",
    "DLO_EXECUTIONS_STUCK_AFTER_SECS",
    "DLO_EXECUTIONS_CHECK_EVERY_SECS",
    "DLO_EXECUTIONS_KEEP_DAYS",
    "DLO_EXECUTIONS_EXCHANGE",
    "DLO_EXECUTIONS_ROUTING_KEY",
    "DLO_EXECUTIONS_VHOST",
    "DLO_FLEET_HEARTBEATS",
    "DLO_FLEET_PROBES",
    "DLO_FLEET_PROBE_ALLOW",
    "DLO_REGISTER_URL",
    "DLO_REGISTER_WORKERS",
    "DLO_REGISTER_EXECUTIONS",
    "DLO_REGISTER_EVERY_SECS",
    "DLO_SCHEMA_REGISTRY_URL",
    "DLO_SCHEMA_REGISTRY_TOKEN",
    "DLO_TOPOLOGY",
    "DLO_TOPOLOGY_EVERY_SECS",
    "DLO_TOPOLOGY_IDLE_AFTER_SECS",
    "DLO_RETENTION_RESOLVED_DAYS",
    "DLO_RETENTION_DISCARDED_DAYS",
    "DLO_RETENTION_REPLAYS_DAYS",
    "DLO_SEARCH_INDEX_HEADERS",
    "DLO_SEARCH_INDEX_BODY_BYTES",
    "DLO_PATIENCE_PAGE_MS",
    "DLO_PATIENCE_COUNT_MS",
    "DLO_PATIENCE_COUNT_NEW_MS",
    "DLO_PATIENCE_PREVIEW_MS",
    "DLO_PATIENCE_BROKER_MS",
    "DLO_PATIENCE_CONFIRM_MS",
    "DLO_PATIENCE_REGISTER_MS",
    "DLO_PATIENCE_SEARCH_MS",
    "DLO_PATIENCE_TURN_MS",
    "DLO_PATIENCE_TRANSFORM_MS",
    "DLO_PATIENCE_DIFF_MS",
    "DLO_PATIENCE_ANSWER_MS",
    "DLO_LOG",
    "DLO_LOG_FORMAT",
];

/// The whole configuration of an office, checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// The HTTP server.
    pub http: HttpConfig,
    /// Postgres.
    pub database: DatabaseConfig,
    /// The brokers by name.
    pub brokers: Brokers,
    /// Taking letters out of sources.
    pub intake: IntakeConfig,
    /// Publishing letters again.
    pub replay: ReplayConfig,
    /// Carrying out retry policies.
    pub retry: RetryConfig,
    /// Telling people of alerts.
    pub alerts: AlertsConfig,
    /// Looking after workers.
    pub fleet: FleetConfig,
    /// Watching executions, and handling those whose messages died.
    pub executions: ExecutionsConfig,
    /// Workers and executions that another database keeps, if there is one.
    pub register: Option<RegisterConfig>,
    /// The schema registry that is asked for schemas by their numbers, if there is one.
    pub schema_registry: Option<SchemaRegistryConfig>,
    /// Watching the queues of brokers.
    pub topology: TopologyConfig,
    /// How long what is done is kept.
    pub retention: Retention,
    /// What of letters the index of texts has.
    pub indexed: IndexedParts,
    /// How long this office waits before it answers without.
    pub patience: Patience,
    /// What is logged, and how.
    pub log: LogConfig,
    /// What bodies are held against that are sent in place of letters'.
    pub schemas: Schemas,
    /// Sources that the configuration names; others are added through the API.
    pub sources: Vec<NewSource>,
}

/// Where a configuration is read from.
pub struct Surroundings<'a> {
    /// The file named on the command line.
    pub file: Option<PathBuf>,
    /// Looks up a variable.
    pub lookup: &'a dyn Fn(&str) -> Option<String>,
    /// The directory of the running program, beside which the site may lie.
    pub program_dir: Option<PathBuf>,
}

/// The file that is read where none is named, if it is there.
const USUAL_FILE: &str = "dlo.toml";

/// What a command needs of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// All that an office works with.
    Office,
    /// The database only; what is said of the rest must be right all the same.
    Database,
}

impl Surroundings<'_> {
    /// Reads and checks everything.
    ///
    /// # Errors
    /// Every fault found.
    pub fn load(&self, needs: Needs) -> Result<Config, Faults> {
        let named = self.file.clone().or_else(|| (self.lookup)("DLO_CONFIG").map(PathBuf::from));
        let text = match &named {
            Some(path) => Some((path.as_path(), std::fs::read_to_string(path))),
            None => Some((Path::new(USUAL_FILE), std::fs::read_to_string(USUAL_FILE)))
                .filter(|(_, read)| read.is_ok()),
        };
        match text {
            None => self.parse(None, needs),
            Some((path, Ok(text))) => self.parse(Some((path, &text)), needs),
            Some((path, Err(why))) => Err(Faults(vec![Fault {
                place: Place::Whole,
                why: format!("the configuration file {} cannot be read: {why}", path.display()),
            }])),
        }
    }

    /// Checks the text of a file (with its name) and the variables.
    ///
    /// # Errors
    /// Every fault found.
    pub fn parse(&self, file: Option<(&Path, &str)>, needs: Needs) -> Result<Config, Faults> {
        let mut reader = Reader::new(self.lookup, file);
        let http = http::read(&mut reader, self.program_dir.as_deref());
        let database = database::read(&mut reader);
        let intake = intake::read(&mut reader);
        let replay = replay::read(&mut reader);
        let retry = retry::read(&mut reader);
        let alerts = alerts::read(&mut reader);
        let fleet = fleet::read(&mut reader);
        let executions = executions::read(&mut reader);
        let register = register::read(&mut reader);
        let schema_registry = schema_registry::read(&mut reader);
        let topology = topology::read(&mut reader);
        let retention = retention::read(&mut reader);
        let indexed = search::read(&mut reader);
        let schemas = json_schemas::read(&mut reader);
        let patience = patience::read(&mut reader);
        let log = log::read(&mut reader);
        let is_office = needs == Needs::Office;
        let broker_needed = intake.enabled || replay.enabled;
        let brokers = brokers::read(&mut reader, is_office && broker_needed, patience.broker);
        let sources = sources::read(&mut reader, &brokers);
        if is_office {
            executions::check(&mut reader, &executions, &brokers);
        }
        if is_office && !(http.enabled || broker_needed || retry.enabled || fleet.enabled) {
            let why =
                "http, intake, replay, retry and fleet are all off: switch at least one of them on";
            reader.fault(Place::Whole, why);
        }
        reader.finish()?;
        Ok(Config {
            http,
            database,
            brokers,
            intake,
            replay,
            retry,
            alerts,
            fleet,
            executions,
            register,
            schema_registry,
            topology,
            retention,
            indexed,
            patience,
            log,
            schemas,
            sources,
        })
    }
}

#[cfg(test)]
mod tests;
