//! A company whose queues, workers and channels go wrong, and become well again.

use std::time::Duration;

use dlo_app::desk::{
    AlertDesk as _, ChannelDesk as _, ExecutionDesk as _, PolicyDesk as _, TriageDesk as _,
};
use dlo_domain::alert::{Measure, NewAlertRule, Signal};
use dlo_domain::audit::Actor;
use dlo_domain::channel::{ChannelKind, NewChannel, Route};
use dlo_domain::delivery_limit::NewAcceptedLoss;
use dlo_domain::execution::{ExecutionState, Report};
use dlo_domain::group::{GroupEdit, GroupState};
use dlo_domain::ids::SourceId;
use dlo_domain::selection::Selection;
use dlo_domain::severity::Severity;
use dlo_domain::source::{SourceCondition, SourceMode};
use dlo_sandbox::{RabbitServer, Sandbox};
use lapin::options::{QueueDeleteOptions, QueuePurgeOptions};
use lapin::types::AMQPValue;
use serde_json::json;
use sqlx::PgPool;

use crate::harness::frozen::own_broker;
use crate::harness::process::{Premises, Serve};
use crate::harness::sized;
use crate::support::broker::Vhost;
use crate::support::consumer::Consumer;
use crate::support::database::{count, database_url};
use crate::support::desk::Bench;
use crate::support::fleet::{heartbeat, say, until_listening};
use crate::support::office::{condition, watch};
use crate::support::retries;
use crate::support::slack::Slack;
use crate::support::until_within;

/// More than the hundred of a source that piles up, and than the ten a minute.
const LETTERS: usize = 120;

/// For how many seconds a queue is without consumer before that is told.
fn idle_after() -> u32 {
    sized(20, 300)
}

/// A broker of its own, an office, two channels, and what consumes.
pub struct Company {
    pub pool: PgPool,
    pub slack: Slack,
    night: Slack,
    sandbox: Sandbox,
    vhost: Vhost,
    bench: Bench,
    limited: SourceId,
    premises: Premises,
    office: Serve,
    consumers: Vec<Consumer>,
}

fn anna() -> Actor {
    Actor("anna".to_owned())
}

impl Company {
    /// One where all is well.
    pub async fn open(pool: &PgPool) -> Self {
        let (sandbox, vhost) = own_broker().await;
        let bench = Bench::new(pool, &vhost.brokers, &vhost.name).await;
        declare(&vhost).await;
        watch(pool, &vhost.name, "gone", SourceMode::Take).await;
        let limited = watch(pool, &vhost.name, "limited", SourceMode::Take).await;
        let consumers =
            vec![Consumer::start(&vhost, "work").await, Consumer::start(&vhost, "again").await];
        let premises = Premises::new(database_url(pool), &vhost.brokers);
        let office = premises.open_with(&[
            ("DLO_ALERTS_ALLOW", "127.0.0.0/8"),
            ("DLO_TOPOLOGY_EVERY_SECS", "5"),
            ("DLO_TOPOLOGY_IDLE_AFTER_SECS", &idle_after().to_string()),
            ("DLO_EXECUTIONS_STUCK_AFTER_SECS", sized("60", "400")),
            ("DLO_EXECUTIONS_CHECK_EVERY_SECS", sized("5", "60")),
        ]);
        until_listening(&vhost, 1).await;
        let (slack, night) = (Slack::start().await, Slack::start().await);
        let company = Self {
            pool: pool.clone(),
            slack,
            night,
            sandbox,
            vhost,
            bench,
            limited,
            premises,
            office,
            consumers,
        };
        company.set_rules().await;
        for (name, slack) in [("on call", &company.slack), ("night", &company.night)] {
            company.add_channel(name, slack).await;
        }
        company
    }

    async fn add_channel(&self, name: &str, slack: &Slack) {
        let channel = NewChannel {
            name: name.to_owned(),
            kind: ChannelKind::Slack,
            address: Some(slack.address.clone()),
            secret: None,
            route: Route { severities: Severity::ALL.to_vec(), digest: vec![], ..Route::default() },
            enabled: true,
        };
        self.bench.desk.add_channel(&anna(), &channel).await.expect("added");
    }

    /// One rule of its own, and shorter times.
    async fn set_rules(&self) {
        let own = NewAlertRule {
            name: "work dies".to_owned(),
            signal: Signal::DeadLetters {
                filter: "queue:work".to_owned(),
                measure: Measure::Count,
                minutes: 1,
            },
            limit: 50,
            severity: Some(Severity::High),
            pending_seconds: 30,
            clearing_seconds: 60,
            repeat_seconds: 0,
            enabled: true,
        };
        self.bench.desk.add_alert_rule(&anna(), &own).await.expect("added");
        for rule in self.bench.desk.alert_rules().await.expect("listed") {
            let mut changed = rule.rule.clone();
            if changed.signal == Signal::QueueWithoutConsumer {
                changed.limit = idle_after().into();
            }
            if let Signal::StuckExecutions { seconds } = &mut changed.signal {
                *seconds = sized(15, *seconds);
            }
            changed.pending_seconds =
                sized(changed.pending_seconds.min(10), changed.pending_seconds);
            changed.clearing_seconds =
                sized(changed.clearing_seconds.min(10), changed.clearing_seconds);
            if changed != rule.rule {
                let done = self.bench.desk.change_alert_rule(&anna(), rule.id, &changed).await;
                done.expect("changed");
            }
        }
    }

    /// The broker, to be stopped.
    pub fn server(&self) -> &RabbitServer {
        self.sandbox.rabbitmq().expect("a broker")
    }

    /// Everything goes wrong at once, but for the broker itself.
    pub async fn go_wrong(&mut self) {
        self.night.die().await;
        let bodies = |what: &str, many| -> Vec<String> {
            (0..many).map(|number| format!("{what} {number}")).collect()
        };
        self.vhost.publish_all("work", &bodies("letter", LETTERS)).await;
        let again = dlo_domain::policy::NewPolicy {
            filter: "queue:again".to_owned(),
            ..retries::policy(vec![1])
        };
        self.bench.desk.add_policy(&anna(), &again).await.expect("added");
        self.vhost.publish_all("again", &bodies("try", 1)).await;
        self.vhost.publish_all("idle", &bodies("message", 3)).await;
        let options = QueueDeleteOptions::default();
        self.vhost.channel.queue_delete("gone".into(), options).await.expect("deleted");
        self.vhost.policy("count", "^limited$", 1, json!({"delivery-limit": 20})).await;
        say(&self.vhost, "heartbeat.w", &heartbeat("w", 1.0)).await;
        let scheduled: Vec<Report> = (0..12)
            .map(|number| Report {
                worker: Some("w".to_owned()),
                ..Report::of(&format!("e-{number}"), ExecutionState::Scheduled)
            })
            .collect();
        let told = self.bench.desk.report_executions(&scheduled).await.expect("told");
        assert!(told.iter().all(|one| one.refused.is_none()));
        // Not before, or it would be taken.
        until_within("the limit is seen", Duration::from_secs(30), || async {
            condition(&self.pool, self.limited).await.0 == SourceCondition::DeliveryLimit
        })
        .await;
        self.vhost.publish_all("limited", &bodies("waits", LETTERS)).await;
    }

    /// Everything is mended. What was scheduled has been given up by then.
    pub async fn be_well_again(&mut self) {
        self.night.come_back().await;
        self.put_away_letters().await;
        self.vhost.queue("gone", &[]).await;
        let purged = self.vhost.channel.queue_purge("limited".into(), QueuePurgeOptions::default());
        purged.await.expect("purged");
        let loss = NewAcceptedLoss { letters: 10, delivery_limit: Some(20) };
        self.bench.desk.accept_loss(&anna(), self.limited, &loss).await.expect("accepted");
        say(&self.vhost, "heartbeat.w", &heartbeat("w", 3_600.0)).await;
        let mended = Consumer::start(&self.vhost, "idle").await;
        mended.mend();
        self.consumers.push(mended);
    }

    /// Discards all letters.
    pub async fn put_away_letters(&self) {
        let all = Selection { filter: Some("state:held".to_owned()), ..Selection::default() };
        self.bench.desk.discard(&anna(), &all, "seen").await.expect("discarded");
    }

    /// All groups are resolved, and a letter of one comes.
    pub async fn regress(&self) {
        let groups: Vec<uuid::Uuid> = sqlx::query_scalar("select id from groups")
            .fetch_all(&self.pool)
            .await
            .expect("listed");
        for id in groups {
            let edit = GroupEdit { state: Some(GroupState::Resolved), ..GroupEdit::default() };
            let id = dlo_domain::ids::GroupId(id);
            self.bench.desk.edit_group(&anna(), id, &edit).await.expect("resolved");
        }
        self.vhost.publish_all("work", &["letter 7".to_owned()]).await;
    }

    /// Waits until nothing waits for a channel.
    pub async fn until_told(&self) {
        until_within("all is told", Duration::from_mins(1), || async {
            count(&self.pool, "select count(*) from notifications where sent_at is null").await == 0
        })
        .await;
    }

    /// The alerts of which the first channel was told that this happened, as often as it was.
    pub async fn told_of(&self, change: &str) -> Vec<uuid::Uuid> {
        let told = sqlx::query_scalar(
            "select n.alert_id from notifications n join channels c on c.id = n.channel_id
             where c.name = 'on call' and n.change = $1 and n.sent_at is not null",
        );
        told.bind(change).fetch_all(&self.pool).await.expect("listed")
    }

    /// What the office said last.
    pub fn last_words(&self) -> String {
        self.premises.last_words()
    }

    /// Ends it.
    pub async fn close(self) {
        self.office.stop().await;
        for consumer in self.consumers {
            consumer.stop();
        }
        self.sandbox.stop().await.expect("stopped");
    }
}

/// Queues that die into `dead`, and others.
async fn declare(vhost: &Vhost) {
    let text = |text: &str| AMQPValue::LongString(text.into());
    vhost.dead_letter_pair("dlx", "dead").await;
    let dying = [("x-dead-letter-exchange", text("dlx"))];
    for queue in ["work", "again"] {
        vhost.queue(queue, &dying).await;
    }
    for queue in ["gone", "idle"] {
        vhost.queue(queue, &[]).await;
    }
    vhost.quorum_queue("limited").await;
}
