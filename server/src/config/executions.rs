//! Watching executions, and handling those whose messages died.

use std::time::Duration;

use super::file::Reader;
use super::value::{days, seconds, switch};
use crate::broker::Brokers;
use crate::store::executions::outbox::Destination;

/// The section `[executions]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutionsConfig {
    /// Whether this office fails what is stuck, handles executions that letters name, and publishes
    /// what is to be told. Reports are taken and shown in any case.
    pub enabled: bool,
    /// How long an execution may be scheduled, or its worker silent while it runs.
    pub stuck_after: Duration,
    /// How often that is checked.
    pub check_every: Duration,
    /// Where `ExecutionCompleted` is published when an execution is ended here; nowhere if absent.
    pub completed: Option<Destination>,
    /// How long executions are kept that are over.
    pub kept: Duration,
}

impl Default for ExecutionsConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            stuck_after: Duration::from_mins(5),
            check_every: Duration::from_mins(1),
            completed: None,
            kept: Duration::from_hours(24 * 30),
        }
    }
}

pub(super) fn read(reader: &mut Reader<'_>) -> ExecutionsConfig {
    let usual = ExecutionsConfig::default();
    let mut table = reader.table("executions");
    let enabled = reader.setting(&mut table, "enabled", Some("DLO_EXECUTIONS"), switch);
    let stuck_after = reader.setting(
        &mut table,
        "stuck_after_secs",
        Some("DLO_EXECUTIONS_STUCK_AFTER_SECS"),
        seconds(1, 604_800),
    );
    let check_every = reader.setting(
        &mut table,
        "check_every_secs",
        Some("DLO_EXECUTIONS_CHECK_EVERY_SECS"),
        seconds(1, 3_600),
    );
    let kept =
        reader.setting(&mut table, "keep_days", Some("DLO_EXECUTIONS_KEEP_DAYS"), days(1, 3_650));
    let mut named = |key, variable| reader.setting(&mut table, key, variable, name);
    let exchange = named("exchange", Some("DLO_EXECUTIONS_EXCHANGE"));
    let routing_key = named("routing_key", Some("DLO_EXECUTIONS_ROUTING_KEY"));
    let vhost = named("vhost", Some("DLO_EXECUTIONS_VHOST"));
    let broker = named("broker", None);
    reader.close(table);
    ExecutionsConfig {
        enabled: enabled.unwrap_or(usual.enabled),
        stuck_after: stuck_after.unwrap_or(usual.stuck_after),
        check_every: check_every.unwrap_or(usual.check_every),
        completed: exchange.map(|exchange| Destination {
            broker: broker.unwrap_or_else(|| "main".to_owned()),
            vhost: vhost.unwrap_or_else(|| "/".to_owned()),
            exchange,
            routing_key: routing_key.unwrap_or_else(|| "execution.completed".to_owned()),
        }),
        kept: kept.unwrap_or(usual.kept),
    }
}

fn name(text: &str) -> Result<String, String> {
    if (1..=255).contains(&text.len()) && !text.contains('\0') {
        Ok(text.to_owned())
    } else {
        Err("a name of AMQP has 1 to 255 bytes, and no NUL character".to_owned())
    }
}

/// The broker that announcements go to must be known.
pub(super) fn check(reader: &mut Reader<'_>, config: &ExecutionsConfig, brokers: &Brokers) {
    let Some(to) = config.completed.as_ref().filter(|_| config.enabled) else {
        return;
    };
    if !brokers.0.contains_key(&to.broker) {
        let why = format!(
            "[executions] publishes to the broker `{}`, and there is none of that name",
            to.broker
        );
        reader.fault(super::Place::Whole, why);
    }
}
