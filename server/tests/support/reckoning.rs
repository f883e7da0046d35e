//! What replays put into a queue.

use std::collections::BTreeMap;

use dlo_domain::ids::{LetterId, ReplayId};
use lapin::options::BasicGetOptions;
use lapin::types::AMQPValue;

use super::broker::Vhost;

/// Takes all that is in a queue: of each letter the replays that its copies name.
pub async fn delivered(vhost: &Vhost, queue: &str) -> BTreeMap<LetterId, Vec<ReplayId>> {
    let mut delivered: BTreeMap<LetterId, Vec<ReplayId>> = BTreeMap::new();
    let options = BasicGetOptions { no_ack: true };
    while let Some(got) = vhost.channel.basic_get(queue.into(), options).await.expect("got") {
        let headers = got.delivery.properties.headers().clone().expect("headers");
        let mark = |name: &str| match headers.inner().get(name) {
            Some(AMQPValue::LongString(text)) => text.to_string(),
            other => panic!("not marked with {name}: {other:?}"),
        };
        let letter = mark("x-dlo-letter").parse().expect("a letter's id");
        let replay = mark("x-dlo-replay").parse().expect("a replay's id");
        delivered.entry(letter).or_default().push(replay);
    }
    delivered
}
