//! Exchanges, and what is bound to them.

use lapin::ExchangeKind;
use lapin::options::{ExchangeDeclareOptions, QueueBindOptions};
use lapin::types::{AMQPValue, FieldTable};

use super::Vhost;

impl Vhost {
    /// Declares a fanout exchange with one queue bound to it: the usual dead-letter pair.
    pub async fn dead_letter_pair(&self, exchange: &str, queue: &str) {
        self.exchange(exchange, ExchangeKind::Fanout).await;
        self.queue(queue, &[]).await;
        self.bind(exchange, queue, "").await;
    }

    /// Declares a fanout exchange with queues that are there.
    pub async fn fanout(&self, exchange: &str, queues: &[&str]) {
        self.exchange(exchange, ExchangeKind::Fanout).await;
        for queue in queues {
            self.bind(exchange, queue, "").await;
        }
    }

    /// Declares a topic exchange with queues that are there.
    pub async fn topic(&self, exchange: &str, bindings: &[(&str, &str)]) {
        self.exchange(exchange, ExchangeKind::Topic).await;
        for (queue, key) in bindings {
            self.bind(exchange, queue, key).await;
        }
    }

    /// Declares a direct exchange with queues that are there.
    pub async fn direct(&self, exchange: &str, bindings: &[(&str, &str)]) {
        self.exchange(exchange, ExchangeKind::Direct).await;
        for (queue, key) in bindings {
            self.bind(exchange, queue, key).await;
        }
    }

    /// Declares a headers exchange with a queue that is there, bound by these arguments.
    pub async fn headers(&self, exchange: &str, queue: &str, arguments: &[(&str, &str)]) {
        self.exchange(exchange, ExchangeKind::Headers).await;
        let mut table = FieldTable::default();
        for (name, value) in arguments {
            table.insert((*name).into(), AMQPValue::LongString((*value).into()));
        }
        let options = QueueBindOptions::default();
        self.channel
            .queue_bind(queue.into(), exchange.into(), "".into(), options, table)
            .await
            .expect("bound");
    }

    /// Declares a direct exchange to which nothing is bound, with an alternate exchange that takes all
    /// messages into one queue.
    pub async fn with_alternate(&self, exchange: &str, alternate: &str, queue: &str) {
        self.dead_letter_pair(alternate, queue).await;
        let mut arguments = FieldTable::default();
        let to = AMQPValue::LongString(alternate.into());
        arguments.insert("alternate-exchange".into(), to);
        let options = ExchangeDeclareOptions::default();
        self.channel
            .exchange_declare(exchange.into(), ExchangeKind::Direct, options, arguments)
            .await
            .expect("declared");
    }

    /// Declares an internal exchange.
    pub async fn internal(&self, exchange: &str) {
        let options =
            ExchangeDeclareOptions { internal: true, ..ExchangeDeclareOptions::default() };
        let none = FieldTable::default();
        self.channel
            .exchange_declare(exchange.into(), ExchangeKind::Fanout, options, none)
            .await
            .expect("declared");
    }

    async fn exchange(&self, name: &str, kind: ExchangeKind) {
        let durable = ExchangeDeclareOptions { durable: true, ..ExchangeDeclareOptions::default() };
        self.channel
            .exchange_declare(name.into(), kind, durable, FieldTable::default())
            .await
            .expect("declared");
    }

    /// Binds a queue to an exchange.
    pub async fn bind(&self, exchange: &str, queue: &str, key: &str) {
        let options = QueueBindOptions::default();
        let none = FieldTable::default();
        self.channel
            .queue_bind(queue.into(), exchange.into(), key.into(), options, none)
            .await
            .expect("bound");
    }
}
