//! A vhost of its own for each test. What is declared through the management API is
//! in `manager`, and exchanges in `wiring`.

mod failing;
mod manager;
mod wiring;

use std::time::Duration;

use lapin::options::{
    BasicGetOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, Channel, Connection, ConnectionProperties};
use uuid::Uuid;

use dlo_server::broker::Brokers;

use super::{needed, patience};

/// A vhost, and a connection to it.
pub struct Vhost {
    /// Its name.
    pub name: String,
    /// The broker as the product knows it.
    pub brokers: Brokers,
    /// A channel with publisher confirms.
    pub channel: Channel,
    connection: Connection,
    management: String,
    is_deleted: bool,
}

/// A test that failed leaves nothing behind: what others read of the whole broker would have it.
impl Drop for Vhost {
    fn drop(&mut self) {
        if self.is_deleted {
            return;
        }
        let address = self.address();
        // A runtime of its own: the test's is not to be waited for from within.
        let removal = std::thread::spawn(move || {
            let mut runtime = tokio::runtime::Builder::new_current_thread();
            if let Ok(runtime) = runtime.enable_all().build() {
                runtime.block_on(remove(&address));
            }
        });
        let _ = removal.join();
    }
}

async fn remove(address: &str) {
    let _ = reqwest::Client::new().delete(address).send().await;
}

impl Vhost {
    /// Makes a vhost with a name that nobody has.
    pub async fn create() -> Self {
        let (amqp, management) = (needed("DLO_TEST_AMQP_URL"), needed("DLO_TEST_MANAGEMENT_URL"));
        Self::create_at(&amqp, &management).await
    }

    /// Makes one on another broker.
    pub async fn create_at(amqp: &str, management: &str) -> Self {
        let name = format!("test-{}", Uuid::new_v4());
        let response = reqwest::Client::new()
            .put(format!("{management}/api/vhosts/{name}"))
            .send()
            .await
            .expect("the management API answers");
        assert!(response.status().is_success(), "vhost refused: {}", response.status());
        let mut brokers = Brokers::main(amqp, Some(management));
        for broker in brokers.0.values_mut() {
            broker.patience = patience();
        }
        let (connection, channel) = connect(&brokers, &name).await;
        Self {
            name,
            brokers,
            channel,
            connection,
            management: management.to_owned(),
            is_deleted: false,
        }
    }

    /// Where the management API has it.
    fn address(&self) -> String {
        format!("{}/api/vhosts/{}", self.management, self.name)
    }

    /// Connects again, after the broker was away.
    pub async fn reconnect(&mut self) {
        (self.connection, self.channel) = connect(&self.brokers, &self.name).await;
    }

    /// Deletes it with everything in it.
    pub async fn delete(mut self) {
        let _ = self.connection.close(200, "done".into()).await;
        remove(&self.address()).await;
        self.is_deleted = true;
    }

    /// Declares a durable queue.
    pub async fn queue(&self, name: &str, arguments: &[(&str, AMQPValue)]) {
        let mut table = FieldTable::default();
        for (name, value) in arguments {
            table.insert((*name).into(), value.clone());
        }
        let options = QueueDeclareOptions { durable: true, ..QueueDeclareOptions::default() };
        self.channel.queue_declare(name.into(), options, table).await.expect("declared");
    }

    /// Declares a durable queue that goes with its last consumer.
    pub async fn auto_delete_queue(&self, name: &str) {
        let options = QueueDeclareOptions {
            durable: true,
            auto_delete: true,
            ..QueueDeclareOptions::default()
        };
        let declared = self.channel.queue_declare(name.into(), options, FieldTable::default());
        declared.await.expect("declared");
    }

    /// Publishes to a queue through the default exchange, and waits for the confirm.
    pub async fn publish(&self, queue: &str, properties: BasicProperties, body: &[u8]) {
        self.publish_to("", queue, properties, body).await;
    }

    /// Publishes to an exchange, and waits for the confirm.
    pub async fn publish_to(
        &self,
        exchange: &str,
        routing_key: &str,
        properties: BasicProperties,
        body: &[u8],
    ) {
        let confirm = self
            .channel
            .basic_publish(
                exchange.into(),
                routing_key.into(),
                BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() },
                body,
                properties.with_delivery_mode(2),
            )
            .await
            .expect("published")
            .await
            .expect("answered");
        assert!(
            matches!(confirm, lapin::Confirmation::Ack(None)),
            "not taken by the broker: {confirm:?}"
        );
    }

    /// Declares a quorum queue to which letters may come back as often as they like.
    pub async fn quorum_queue(&self, name: &str) {
        self.queue(name, &self.of_quorum_queue().await).await;
    }

    /// The arguments of a quorum queue to which letters may come back as often as they like.
    pub async fn of_quorum_queue(&self) -> Vec<(&'static str, AMQPValue)> {
        let mut arguments = vec![("x-queue-type", AMQPValue::LongString("quorum".into()))];
        // Before 4.0 there is no limit by itself, and -1 is one that drops everything.
        if self.major().await >= 4 {
            arguments.push(("x-delivery-limit", AMQPValue::LongInt(-1)));
        }
        arguments
    }

    /// The first two numbers of the broker's version.
    pub async fn release(&self) -> (u32, u32) {
        let version = self.version().await;
        let mut numbers = version.split('.').map(|number| number.parse().expect("a number"));
        (numbers.next().expect("a version"), numbers.next().expect("a version"))
    }

    /// The first number of the broker's version.
    pub async fn major(&self) -> u32 {
        self.release().await.0
    }

    /// Publishes many bodies in order, and waits for all confirms.
    pub async fn publish_all(&self, queue: &str, bodies: &[String]) {
        let lasting = BasicProperties::default().with_delivery_mode(2);
        self.publish_each(queue, bodies.iter().map(|body| (body, lasting.clone()))).await;
    }

    /// The same, with an id of its own for each message.
    pub async fn publish_all_with_ids(&self, queue: &str, bodies: &[String]) {
        let lasting = BasicProperties::default().with_delivery_mode(2);
        let with_id = |body| {
            let id = uuid::Uuid::new_v4().to_string();
            (body, lasting.clone().with_message_id(id.into()))
        };
        self.publish_each(queue, bodies.iter().map(with_id)).await;
    }

    async fn publish_each<'a>(
        &self,
        queue: &str,
        messages: impl Iterator<Item = (&'a String, BasicProperties)>,
    ) {
        let mut confirms = Vec::new();
        for (body, properties) in messages {
            let options = BasicPublishOptions::default();
            let confirm = self
                .channel
                .basic_publish("".into(), queue.into(), options, body.as_bytes(), properties)
                .await
                .expect("published");
            confirms.push(confirm);
        }
        for confirm in confirms {
            let confirm = confirm.await.expect("answered");
            assert!(matches!(confirm, lapin::Confirmation::Ack(_)), "{confirm:?}");
        }
    }

    /// Publishes to a queue that rejects what is too much, until it does.
    pub async fn fill(&self, queue: &str) {
        for _ in 0..1_000 {
            let options = BasicPublishOptions::default();
            let lasting = BasicProperties::default().with_delivery_mode(2);
            let body = b"it fills the queue";
            let sent = self.channel.basic_publish("".into(), queue.into(), options, body, lasting);
            let answer = sent.await.expect("published").await.expect("answered");
            if matches!(answer, lapin::Confirmation::Nack(_)) {
                return;
            }
        }
        panic!("{queue} takes whatever comes");
    }

    /// Takes all bodies that are in a queue.
    pub async fn take_bodies(&self, queue: &str) -> Vec<Vec<u8>> {
        let mut bodies = Vec::new();
        let options = BasicGetOptions { no_ack: true };
        while let Some(got) = self.channel.basic_get(queue.into(), options).await.expect("got") {
            bodies.push(got.delivery.data);
        }
        bodies
    }

    /// Whether the broker has this queue.
    pub async fn has_queue(&self, queue: &str) -> bool {
        let url = format!("{}/api/queues/{}/{queue}", self.management, self.name);
        let response = reqwest::get(url).await.expect("the management API answers");
        response.status().is_success()
    }

    /// Messages that are ready in a queue.
    pub async fn depth(&self, queue: &str) -> u32 {
        self.look(queue).await.message_count()
    }

    /// Consumers of a queue.
    pub async fn consumers(&self, queue: &str) -> u32 {
        self.look(queue).await.consumer_count()
    }

    /// The broker's version.
    pub async fn version(&self) -> String {
        let response = reqwest::get(format!("{}/api/overview", self.management)).await;
        let overview: serde_json::Value = response.expect("answers").json().await.expect("JSON");
        overview["rabbitmq_version"].as_str().expect("a version").to_owned()
    }

    /// Messages that a queue holds, whatever becomes of them. The figure is some seconds old.
    pub async fn messages(&self, queue: &str) -> i64 {
        let url = format!("{}/api/queues/{}/{queue}", self.management, self.name);
        let response = reqwest::get(url).await.expect("the management API answers");
        let said: serde_json::Value = response.json().await.expect("JSON");
        said["messages"].as_i64().unwrap_or(-1)
    }

    /// What the broker says of a queue: ready, unacknowledged, consumers. Its figures are some
    /// seconds old.
    pub async fn census(&self, queue: &str) -> String {
        let url = format!("{}/api/queues/{}/{queue}", self.management, self.name);
        let asked = reqwest::Client::new().get(url).timeout(Duration::from_secs(5));
        let Ok(response) = asked.send().await else {
            return "the management API does not answer".to_owned();
        };
        let said: serde_json::Value = response.json().await.unwrap_or_default();
        let figure = |name: &str| said.get(name).cloned().unwrap_or_default();
        format!(
            "{} ready, {} unacknowledged, {} consumers",
            figure("messages_ready"),
            figure("messages_unacknowledged"),
            figure("consumers")
        )
    }

    async fn look(&self, queue: &str) -> lapin::Queue {
        let options =
            QueueDeclareOptions { passive: true, durable: true, ..QueueDeclareOptions::default() };
        let channel = self.connection.create_channel().await.expect("a channel");
        channel.queue_declare(queue.into(), options, FieldTable::default()).await.expect("there")
    }
}

async fn connect(brokers: &Brokers, vhost: &str) -> (Connection, Channel) {
    let uri = brokers.uri("main", vhost).expect("an address");
    let connection =
        Connection::connect_uri(uri, ConnectionProperties::default()).await.expect("a connection");
    let channel = connection.create_channel().await.expect("a channel");
    let confirms = channel.confirm_select(ConfirmSelectOptions::default());
    confirms.await.expect("confirms");
    (connection, channel)
}
