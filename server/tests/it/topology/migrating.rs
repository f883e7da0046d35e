//! The way around a queue whose arguments cannot change, walked on a real broker as its steps say, with
//! their commands: no message is lost on it, and the queue that comes out has what was wanted.

use std::collections::BTreeSet;

use dlo_app::desk::TopologyDesk as _;
use dlo_domain::topology::{MigrationStep, NewDeadLettering, QueueKind, Wish};
use lapin::BasicProperties;
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;
use tokio::process::Command;

use super::dead_lettering::anna;
use crate::support::topology::{Watcher, dying};
use crate::support::until;

/// Somebody who publishes without a pause, and workers who take what is in their queues.
struct Traffic<'a> {
    watcher: &'a Watcher,
    /// The queue that is named by those who publish to a queue.
    named: &'a str,
    /// The queues that have workers.
    worked: Vec<&'a str>,
    published: u32,
    taken: Vec<u32>,
}

impl Traffic<'_> {
    /// Publishes a few messages in each of the ways; none may be refused or go nowhere.
    async fn flows(&mut self) {
        let plain = BasicProperties::default;
        let vhost = &self.watcher.vhost;
        for exchange in ["orders", "by.header", ""] {
            for _ in 0..3 {
                let key = if exchange.is_empty() { self.named } else { "order.new" };
                let mut headers = lapin::types::FieldTable::default();
                headers.insert("kind".into(), AMQPValue::LongString("order".into()));
                let body = self.published.to_string();
                vhost
                    .publish_to(exchange, key, plain().with_headers(headers), body.as_bytes())
                    .await;
                self.published += 1;
            }
        }
    }

    /// Workers take all but what came last, which waits in the queues during the next step.
    async fn work(&mut self) {
        for queue in &self.worked {
            let bodies = self.watcher.vhost.take_bodies(queue).await;
            self.taken.extend(bodies.iter().map(|body| number(body)));
        }
    }
}

fn number(body: &[u8]) -> u32 {
    let text = std::str::from_utf8(body).expect("text");
    text.parse().expect("a number")
}

/// Runs the commands of a step as a person pastes them.
async fn paste(watcher: &Watcher, step: &MigrationStep) -> String {
    let mut said = String::new();
    let address = watcher.surveyor.brokers.get("main").expect("main");
    for command in &step.commands {
        let mut shell = Command::new("sh");
        shell.arg("-c").arg(command);
        shell.env("RABBITMQ", address.management.as_deref().expect("an address"));
        let done = shell.output().await.expect("a shell");
        assert!(done.status.success(), "{command}: {done:?}");
        said.push_str(&String::from_utf8_lossy(&done.stdout));
    }
    said
}

/// A classic queue that was declared to die to another place, with a limit by a policy for it alone.
async fn old_queue(watcher: &Watcher) {
    let vhost = &watcher.vhost;
    let mut arguments = dying("old.dlx");
    arguments.push(("x-max-priority", AMQPValue::LongInt(3)));
    vhost.queue("work", &arguments).await;
    vhost.queue("dead", &[]).await;
    vhost.topic("orders", &[("work", "order.*"), ("work", "#.it's/new")]).await;
    vhost.headers("by.header", "work", &[("x-match", "all"), ("kind", "order")]).await;
    vhost.policy("limits", "^work$", 3, json!({"max-length": 10_000})).await;
}

#[sqlx::test(migrator = "dlo_server::store::MIGRATOR")]
async fn whoever_goes_the_way_around_loses_no_message(pool: PgPool) {
    let watcher = Watcher::start(&pool, "policymaker").await;
    old_queue(&watcher).await;
    let (desk, vhost) = (watcher.desk(), &watcher.vhost);
    let wanted = NewDeadLettering {
        dead_letter_queue: "dead".to_owned(),
        max_deliveries: Wish::Set(2),
        at_least_once: Wish::Set(true),
        ..NewDeadLettering::default()
    };
    let refused =
        desk.preview_dead_lettering(&watcher.queue("work"), &wanted).await.expect("planned");
    assert!(!refused.refusals.is_empty());
    let mut traffic = Traffic {
        watcher: &watcher,
        named: "work",
        worked: vec!["work"],
        published: 0,
        taken: Vec::new(),
    };
    let mut done = Vec::new();
    for step in &refused.migration {
        traffic.flows().await;
        let says = &*step.says;
        if says.starts_with("A queue's arguments") {
            assert!(step.commands[0].starts_with("RABBITMQ="));
            done.push("address");
        } else if says.starts_with("Set dead-lettering of `work.next` to `dead` here") {
            let next = watcher.queue("work.next");
            let set = desk.set_dead_lettering(&anna(), &next, &wanted, None).await;
            assert!(set.expect("set").applied);
            done.push("set");
        } else if says.starts_with("Let the workers consume `work.next` beside `work`") {
            traffic.worked.push("work.next");
            done.push("workers");
        } else if says.starts_with("Publishers that name `work` directly must name `work.next`") {
            traffic.named = "work.next";
            done.push("publishers");
        } else if says.starts_with("Wait until `work` is empty") {
            traffic.work().await;
            until("the broker says so", || async {
                paste(&watcher, step).await.contains("\"messages\":0")
            })
            .await;
            done.push("empty");
        } else {
            paste(&watcher, step).await;
            done.push(says.split(' ').next().expect("a word"));
        }
        if says.starts_with("Let its workers leave") {
            traffic.worked.retain(|queue| *queue != "work");
        }
        traffic.work().await;
    }
    let way = [
        "address",
        "Declare",
        "The",
        "set",
        "workers",
        "Bind",
        "Take",
        "publishers",
        "empty",
        "Let",
    ];
    assert_eq!(done, way);
    traffic.flows().await;
    traffic.work().await;
    let taken: BTreeSet<u32> = traffic.taken.iter().copied().collect();
    assert_eq!(taken, (0..traffic.published).collect(), "nothing is lost");
    let twice = traffic.taken.len() - taken.len();
    // What came by the two exchanges between the bindings of the one and of the other.
    assert_eq!(twice, 6, "and no more is told twice than the steps say");
    assert!(!vhost.has_queue("work").await);
    has_what_was_wanted(&watcher).await;
    watcher.end().await;
}

/// A quorum queue with both limits, from which a message dies into the queue that was named.
async fn has_what_was_wanted(watcher: &Watcher) {
    watcher.finds_dead_letter_queue("work.next", "dead").await;
    let desk = watcher.desk();
    let found = desk.queue("main", &watcher.vhost.name, "work.next").await;
    let found = found.expect("there");
    assert_eq!(found.kind, QueueKind::Quorum);
    let limit = found.effective.delivery_limit.map(|set| set.value);
    let length = found.effective.max_length.map(|set| set.value);
    assert_eq!((limit, length), (Some(2), Some(10_000)));
    watcher.vhost.publish("work.next", BasicProperties::default(), b"it fails").await;
    until("it died", || async {
        watcher.reject("work.next", true).await;
        watcher.vhost.depth("dead").await == 1
    })
    .await;
    assert_eq!(watcher.vhost.take_bodies("dead").await, [b"it fails".to_vec()]);
}
