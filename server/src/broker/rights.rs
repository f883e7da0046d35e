//! What stands against an office at a broker: asked with calls that the broker judges by the user's rights
//! and that change nothing. No message is taken, and none reaches a queue.

use std::time::Duration;

use lapin::options::{
    BasicConsumeOptions, BasicPublishOptions, ConfirmSelectOptions, QueueDeclareOptions,
};
use lapin::types::{AMQPValue, FieldTable};
use lapin::{BasicProperties, ErrorKind};
use uuid::Uuid;

use super::connection::within;
use super::declare::short;
use super::{BrokerError, Brokers, Link, ManagementError, connect};

/// How often a management API is asked for a queue that was just declared.
const ASK_EVERY: Duration = Duration::from_millis(200);

/// What an office wants of one vhost of a broker.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Wishes {
    /// Queues that letters are taken from.
    pub reads: Vec<String>,
    /// Whether messages are published again.
    pub publishes: bool,
    /// What queues are declared for, if they are.
    pub declares: Option<&'static str>,
}

/// What stands against the wishes, each as a sentence; nothing when all is well.
///
/// # Errors
/// Returns an error if the broker cannot be reached, lets nobody in, or has no such vhost.
pub async fn obstacles(
    brokers: &Brokers,
    broker: &str,
    vhost: &str,
    wishes: &Wishes,
) -> Result<Vec<String>, BrokerError> {
    let link = connect(brokers, broker, vhost, "check").await?;
    let mut found = Vec::new();
    for queue in &wishes.reads {
        if is_denied(read(&link, queue).await)? {
            found.push(format!(
                "its user may not read the queue `{queue}`, so no letter is taken: give it the \
                 permission `read` for that name"
            ));
        }
    }
    if wishes.publishes && is_denied(publish(&link).await)? {
        found.push(
            "its user may not write to the default exchange, so no letter is replayed to its \
             queue: give it the permission `write` for `amq.default`"
                .to_owned(),
        );
    }
    match declare(&link).await {
        Ok(queue) => found.extend(other_broker(brokers, broker, vhost, &queue).await),
        Err(why) => {
            let denied = is_denied::<()>(Err(why))?;
            found.extend(wishes.declares.filter(|_| denied).map(|what| {
                format!(
                    "its user may not declare queues, which is needed for {what}: give it the \
                     permission `configure` for names that begin with `dlo.`"
                )
            }));
        }
    }
    link.close().await;
    Ok(found)
}

/// Asks for a consumer with an argument that no broker takes: it looks at the right to read before that.
async fn read(link: &Link, queue: &str) -> Result<(), BrokerError> {
    let channel = link.channel().await?;
    let mut arguments = FieldTable::default();
    arguments.insert("x-priority".into(), AMQPValue::LongString("none".into()));
    let options = BasicConsumeOptions::default();
    let tag = "dlo.check".into();
    let consumer = within(channel.basic_consume(short(queue)?, tag, options, arguments)).await;
    consumer.map(|_| ())
}

/// Publishes to a queue that cannot be: the broker gives the message back, or says that it may not be.
async fn publish(link: &Link) -> Result<(), BrokerError> {
    let channel = link.channel().await?;
    within(channel.confirm_select(ConfirmSelectOptions::default())).await?;
    let options = BasicPublishOptions { mandatory: true, ..BasicPublishOptions::default() };
    let nowhere = short(&format!("dlo.check.{}", Uuid::new_v4()))?;
    let properties = BasicProperties::default();
    let publishing = channel.basic_publish("".into(), nowhere, options, b"", properties);
    let confirm = within(publishing).await?;
    within(confirm).await?;
    // Whatever the broker said of the channel came before this answer.
    within(channel.close(200, "done".into())).await
}

/// Declares a queue that goes with the connection.
async fn declare(link: &Link) -> Result<String, BrokerError> {
    let channel = link.channel().await?;
    let name = format!("dlo.check.{}", Uuid::new_v4());
    let options = QueueDeclareOptions {
        exclusive: true,
        auto_delete: true,
        ..QueueDeclareOptions::default()
    };
    within(channel.queue_declare(short(&name)?, options, FieldTable::default())).await?;
    Ok(name)
}

/// Whether the broker refused for want of a right. What it refused for another reason was permitted.
fn is_denied<T>(asked: Result<T, BrokerError>) -> Result<bool, BrokerError> {
    const ACCESS_REFUSED: u16 = 403;
    match asked {
        Ok(_) => Ok(false),
        Err(BrokerError::Amqp(error)) => match error.kind() {
            ErrorKind::ProtocolError(refusal) => Ok(refusal.get_id() == ACCESS_REFUSED),
            // A channel that the broker closed in the middle of a publish.
            ErrorKind::InvalidChannelState(..) => Ok(true),
            _ => Err(error.into()),
        },
        Err(other) => Err(other),
    }
}

/// Looks for a queue that was just declared by way of the management API, which may be another broker's.
async fn other_broker(brokers: &Brokers, broker: &str, vhost: &str, queue: &str) -> Option<String> {
    let known = brokers.get(broker).ok()?;
    known.management.as_ref()?;
    let management = brokers.management(broker).ok()?;
    let asking = async {
        while let Err(ManagementError::Missing) = management.is_auto_delete(vhost, queue).await {
            tokio::time::sleep(ASK_EVERY).await;
        }
    };
    // What else is wrong with it is told where it is asked by itself.
    let known = tokio::time::timeout(known.patience, asking).await;
    known.is_err().then(|| {
        format!(
            "its management API does not know a queue that was just declared in the vhost \
             `{vhost}`: it belongs to another broker, or its user may not see that vhost"
        )
    })
}
