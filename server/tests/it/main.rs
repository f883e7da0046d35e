//! Tests of the server against real servers: a private Postgres and RabbitMQ, which
//! `scripts/with-sandbox` starts and names in the environment.

mod alerts;
mod cases;
mod cli;
mod desk;
mod error_reports;
mod executions;
mod fleet;
mod http;
mod intake;
mod queries;
mod register;
mod replay;
mod retries;
mod rules;
mod scenarios;
mod schema_registry;
mod schemas;
mod spans;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "`it` and `faults` use a part each")]
mod support;
mod topology;
mod transform;
