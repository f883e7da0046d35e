//! The server of Dead Letter Office: takes dead letters out of RabbitMQ into Postgres, shows
//! them, and replays or discards them. ARCHITECTURE.md walks through it.
//!
//! `store` holds all SQL and `broker` all AMQP; neither knows the other. `startup` is the only
//! module that knows everything.
#![recursion_limit = "256"]

pub mod access;
pub mod alerts;
pub mod breakdown;
pub mod broker;
pub mod changes;
pub mod cli;
pub mod clock;
pub mod config;
pub mod desk;
pub mod duty;
pub mod error_reports;
pub mod events;
pub mod executions;
pub mod failpoint;
#[cfg(test)]
mod fixture;
pub mod fleet;
pub mod grouping;
pub mod heap;
pub mod http;
pub mod intake;
pub mod json_schemas;
pub mod judging;
pub mod lifecycle;
pub mod measuring;
pub mod notifying;
pub mod office;
pub mod outbound;
mod planning;
pub mod recent;
pub mod register;
pub mod replay;
pub mod retrying;
pub mod schemas;
pub mod seeding;
pub mod stack;
pub mod startup;
pub mod store;
pub mod telemetry;
pub mod tls;
pub mod topology;
pub mod transform;
pub mod upkeep;
