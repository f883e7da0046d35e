//! Mirror mode: a queue of our own, bound beside the dead-letter queue, so that we see every
//! message and take none. Only bindings can be copied, so a dead-letter queue that is reached
//! through the default exchange cannot be mirrored.

use dlo_domain::wire::{FieldTable, FieldValue};
use serde_json::Value;

use super::Intake;
use super::session::SessionError;
use crate::broker::{self, Binding, Link};
use crate::store::mirrors;
use crate::store::sources::Watched;

/// AMQP names are short strings.
const MOST_NAME_BYTES: usize = 255;

/// Declares the mirror queue and binds it as the mirrored one is bound; returns its name.
pub(super) async fn prepare(
    intake: &Intake,
    source: &Watched,
    link: &Link,
) -> Result<String, SessionError> {
    let refuse =
        |why: String| SessionError::Mirror(format!("{} cannot be mirrored: {why}", source.queue));
    let address = intake.brokers.get(&source.broker)?;
    let management = address.management().map_err(|e| refuse(e.to_string()))?;
    let bindings = management
        .bindings(&source.vhost, &source.queue)
        .await
        .map_err(|error| refuse(error.to_string()))?;
    let bindings: Vec<Binding> = bindings.into_iter().filter(|b| !b.source.is_empty()).collect();
    if bindings.is_empty() {
        return Err(refuse(
            "it is bound to no exchange, so messages reach it through the default exchange only; use the mode `take`"
                .to_owned(),
        ));
    }
    let name = queue_name(&source.queue);
    if name.len() > MOST_NAME_BYTES {
        return Err(refuse(format!(
            "`{name}` is longer than {MOST_NAME_BYTES} bytes, which no queue's name can be"
        )));
    }
    // Before, so that a queue is never there without a note; and after, so that the note of a
    // queue that was deleted in between is there again.
    note(intake, source).await?;
    broker::declare_queue(link, &name).await?;
    note(intake, source).await?;
    for binding in &bindings {
        let arguments = arguments(&binding.arguments);
        broker::bind_queue(link, &name, (&binding.source, &binding.routing_key), &arguments)
            .await?;
    }
    Ok(name)
}

/// The name of the queue that mirrors this one.
pub(super) fn queue_name(queue: &str) -> String {
    format!("dlo.mirror.{queue}")
}

async fn note(intake: &Intake, source: &Watched) -> Result<(), SessionError> {
    let mut conn = intake.pool.acquire().await?;
    Ok(mirrors::note(&mut conn, source.id, intake.clock.now()).await?)
}

/// Binding arguments (of headers exchanges) from JSON: texts, whole numbers and booleans.
fn arguments(json: &Value) -> FieldTable {
    let mut table = FieldTable::default();
    for (name, value) in json.as_object().into_iter().flatten() {
        let value = match value {
            Value::String(text) => FieldValue::LongString(text.as_str().into()),
            Value::Bool(flag) => FieldValue::Boolean(*flag),
            Value::Number(number) => match number.as_i64() {
                Some(number) => FieldValue::LongLongInt(number),
                None => continue,
            },
            _ => continue,
        };
        table.set(name, value);
    }
    table
}
