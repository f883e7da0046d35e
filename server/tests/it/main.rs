//! Tests of the server against real servers: a private Postgres and RabbitMQ, which
//! `scripts/with-sandbox` starts and names in the environment.

mod bounds;
mod cli;
mod crash;
mod desk;
mod executions;
mod fleet;
mod http;
mod intake;
mod offices;
mod outage;
mod register;
mod replay;
mod retries;
mod rules;
mod scenarios;
mod support;
mod tls;
mod topology;
mod transform;
