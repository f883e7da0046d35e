//! Takes the undecodable message at the head of a queue out through the management API.
//!
//! It is stored first and taken out afterwards. If the head is another message by then, nothing
//! is lost: what was taken out is stored too.

use dlo_domain::arrival::Delivered;
use dlo_domain::grouping::Masker;
use dlo_domain::ids::LetterId;
use dlo_domain::reading;
use dlo_domain::wire::{FieldTable, FieldValue, Properties, WireText};
use serde_json::Value;

use super::Deps;
use crate::broker::{BrokerError, HeadMessage, Management, ManagementError};
use crate::clock::new_id;
use crate::store::groups::signatures;
use crate::store::letters::{Court, Incoming, insert_new};
use crate::store::policies::inbox::{self, Asked};
use crate::store::sources::Watched;
use crate::store::{StoreError, rules};

/// Why nothing was ejected.
#[derive(Debug, thiserror::Error)]
pub enum EjectError {
    /// The queue has no message that is ready.
    #[error("the queue is empty: there is nothing to eject")]
    Empty,
    /// The broker's name is not configured.
    #[error(transparent)]
    Broker(#[from] BrokerError),
    /// The management API did not do it.
    #[error(transparent)]
    Management(#[from] ManagementError),
    /// The letter could not be stored; the message is still in the queue.
    #[error("{0}; the message is still in the queue")]
    Store(#[from] StoreError),
}

/// Ejects the head of a source's queue; returns the letter that it became.
///
/// # Errors
/// `EjectError`; the message is then still in the queue, or stored, or both.
pub async fn eject_head(deps: &Deps, source: &Watched) -> Result<LetterId, EjectError> {
    let address = deps.brokers.get(&source.broker)?;
    let management = Management::new(address.management.as_deref())?;
    let (vhost, queue) = (&source.vhost, &source.queue);
    let head = management
        .head(vhost, queue, false)
        .await?
        .ok_or(EjectError::Empty)?;
    let id = store(deps, source, &head).await?;
    let removed = management.head(vhost, queue, true).await?;
    if let Some(other) = removed.filter(|removed| removed.body != head.body) {
        store(deps, source, &other).await?;
    }
    Ok(id)
}

async fn store(deps: &Deps, source: &Watched, head: &HeadMessage) -> Result<LetterId, StoreError> {
    let delivered = delivered(head);
    let mut read = reading::read(&delivered, &source.headers);
    read.notes.push(
        "The client library cannot decode this message, so it was ejected through the management API: the body is exact, names and header types are as that API shows them."
            .to_owned(),
    );
    let id = LetterId(new_id(&*deps.clock));
    let now = deps.clock.now();
    let mut transaction = deps.pool.begin().await?;
    rules::hold(&mut transaction).await?;
    let (judge, standing) = deps.judges.current_for(&mut transaction, source.id).await?;
    let court = Court {
        judge: &judge,
        source: &standing.source,
    };
    let incoming = Incoming::new(id, now, delivered, read, court, &mut Masker::new());
    signatures::remember(&mut transaction, &[&incoming]).await?;
    insert_new(&mut transaction, source.id, &[&incoming]).await?;
    if standing.policies_are_asked {
        let asked = Asked {
            letter: id,
            replay: None,
        };
        inbox::put(&mut transaction, &*deps.clock, &[asked]).await?;
    }
    transaction.commit().await?;
    Ok(id)
}

fn delivered(head: &HeadMessage) -> Delivered {
    let text = |name: &str| head.properties.get(name)?.as_str().map(WireText::from);
    let byte = |name: &str| {
        head.properties
            .get(name)?
            .as_u64()
            .and_then(|n| u8::try_from(n).ok())
    };
    let properties = Properties {
        content_type: text("content_type"),
        content_encoding: text("content_encoding"),
        delivery_mode: byte("delivery_mode"),
        priority: byte("priority"),
        correlation_id: text("correlation_id"),
        reply_to: text("reply_to"),
        expiration: text("expiration"),
        message_id: text("message_id"),
        timestamp: head.properties.get("timestamp").and_then(Value::as_u64),
        kind: text("type"),
        user_id: text("user_id"),
        app_id: text("app_id"),
        cluster_id: text("cluster_id"),
    };
    Delivered {
        exchange: head.exchange.clone(),
        routing_key: head.routing_key.clone(),
        redelivered: true,
        headers: head
            .properties
            .get("headers")
            .map(table)
            .unwrap_or_default(),
        properties,
        body: head.body.clone(),
        faults: Vec::new(),
    }
}

fn table(json: &Value) -> FieldTable {
    let mut table = FieldTable::default();
    for (name, json) in json.as_object().into_iter().flatten() {
        table.set(name, value(name, json));
    }
    table
}

/// The types that the JSON lets guess; times in a death history are known to be timestamps.
fn value(name: &str, json: &Value) -> FieldValue {
    match json {
        Value::Null => FieldValue::Void,
        Value::Bool(flag) => FieldValue::Boolean(*flag),
        Value::Number(number) => match (number.as_u64(), number.as_i64()) {
            (Some(seconds), _) if name == "time" => FieldValue::Timestamp(seconds),
            (_, Some(number)) => FieldValue::LongLongInt(number),
            _ => FieldValue::Double(number.as_f64().unwrap_or_default().to_bits()),
        },
        Value::String(text) => FieldValue::LongString(text.as_str().into()),
        Value::Array(values) => {
            FieldValue::Array(values.iter().map(|json| value(name, json)).collect())
        }
        Value::Object(_) => FieldValue::Table(table(json)),
    }
}
