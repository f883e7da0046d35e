//! The fleet against a real broker: it fills every dead-letter queue quickly and for all
//! reasons, its workers treat a replayed message as the documentation says, and it outlives the
//! broker. Tests only; nothing here is used by the product.

mod filling;
mod heartbeats;
mod outage;
mod replays;

use dlo_sandbox::fleet::FleetSource;
use dlo_sandbox::{Sandbox, SandboxOptions};
use lapin::{
    Channel, Connection, ConnectionProperties,
    message::Delivery,
    options::{BasicGetOptions, ConfirmSelectOptions},
    types::{AMQPValue, FieldArray, FieldTable},
    uri::AMQPUri,
};
use std::collections::BTreeMap;
use std::time::Duration;
use tokio::sync::Mutex;

/// A broker that the environment names is one for all: two fleets would take each other's messages.
static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

/// What the demo promises: some hundred letters of a dozen failures.
const FILLED_WITHIN: Duration = Duration::from_secs(20);
/// Everything else that a test waits for; a test that shares its machine must not fail for that.
const SEEN_WITHIN: Duration = Duration::from_mins(1);
const POLL: Duration = Duration::from_millis(50);

fn only_rabbitmq() -> SandboxOptions {
    SandboxOptions { postgres: false, ..SandboxOptions::default() }
}

async fn broker() -> Sandbox {
    Sandbox::start(only_rabbitmq()).await.expect("the sandbox starts")
}

async fn open(amqp: &str) -> (Connection, Channel) {
    let connection =
        Connection::connect(amqp, ConnectionProperties::default()).await.expect("connect");
    let channel = connection.create_channel().await.expect("open a channel");
    channel.confirm_select(ConfirmSelectOptions::default()).await.expect("confirms");
    (connection, channel)
}

/// A channel in each vhost that the fleet works in.
struct Desk {
    channels: BTreeMap<String, (Connection, Channel)>,
}

impl Desk {
    async fn open(amqp: &str, sources: &[FleetSource]) -> Self {
        let mut channels = BTreeMap::new();
        for source in sources {
            if !channels.contains_key(&source.vhost) {
                channels.insert(source.vhost.clone(), open_at(amqp, &source.vhost).await);
            }
        }
        Self { channels }
    }

    async fn take(&self, source: &FleetSource) -> Option<Delivery> {
        let (_, channel) = &self.channels[&source.vhost];
        take(channel, &source.queue).await
    }

    async fn close(self) {
        for (connection, _) in self.channels.into_values() {
            connection.close(200, "bye".into()).await.expect("close");
        }
    }
}

async fn open_at(amqp: &str, vhost: &str) -> (Connection, Channel) {
    let mut uri: AMQPUri = amqp.parse().expect("a URL");
    vhost.clone_into(&mut uri.vhost);
    let connection =
        Connection::connect_uri(uri, ConnectionProperties::default()).await.expect("connect");
    let channel = connection.create_channel().await.expect("open a channel");
    (connection, channel)
}

async fn take(channel: &Channel, queue: &str) -> Option<Delivery> {
    let got = channel.basic_get(queue.into(), BasicGetOptions { no_ack: true }).await.expect("get");
    got.map(|message| message.delivery)
}

fn header_text(delivery: &Delivery, name: &str) -> Option<String> {
    let headers = delivery.properties.headers().as_ref()?;
    let value = headers.inner().get(name)?.as_long_string()?;
    Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
}

/// The death entries as (queue, reason, count), newest first.
fn deaths(delivery: &Delivery) -> Vec<(String, String, i64)> {
    let headers = delivery.properties.headers().as_ref();
    let entries = headers.and_then(|headers| headers.inner().get("x-death")?.as_array().cloned());
    let text = |table: &FieldTable, key: &str| {
        let value = table.inner().get(key).and_then(AMQPValue::as_long_string);
        value
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
            .unwrap_or_default()
    };
    entries
        .iter()
        .flat_map(FieldArray::as_slice)
        .filter_map(AMQPValue::as_field_table)
        .map(|table| {
            let count = table
                .inner()
                .get("count")
                .and_then(AMQPValue::as_long_long_int)
                .unwrap_or_default();
            (text(table, "queue"), text(table, "reason"), count)
        })
        .collect()
}
