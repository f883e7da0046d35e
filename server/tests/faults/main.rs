//! What goes wrong around a server, with real servers: offices and brokers that are killed, connections that
//! are cut, machines that stand still or run full, limits of time and memory. Slow by nature, and not in the
//! gate: `make test-full` runs them.
//!
//! `harness` has what breaks things; what both kinds of tests use is in `tests/support`.

mod alerts;
mod bounds;
mod cli;
mod crash;
mod executions;
mod fleet;
mod harness;
mod http;
mod intake;
mod offices;
mod outage;
mod register;
mod replay;
mod retries;
mod rules;
#[path = "../support/mod.rs"]
#[expect(dead_code, reason = "`it` and `faults` use a part each")]
mod support;
mod tls;
mod topology;
mod transform;
mod workers;
