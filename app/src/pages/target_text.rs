//! Where letters of a replay go, in words.

use dlo_domain::replay::Target;

use crate::visible::show_within;

/// Where so many letters go, as people say it.
pub(super) fn target_text(target: &Target, letters: i64) -> String {
    match target {
        Target::OriginQueue if letters == 1 => "the queue it died in".to_owned(),
        Target::OriginQueue => "the queues they died in".to_owned(),
        Target::OriginExchange if letters == 1 => "the exchange it was published to".to_owned(),
        Target::OriginExchange => "the exchanges they were published to".to_owned(),
        Target::Queue { queue } => show_within(queue),
        Target::Exchange { exchange, routing_key } => {
            format!("exchange {} with key {}", show_within(exchange), show_within(routing_key))
        }
        Target::Worker { worker } => format!("worker {}", show_within(worker)),
    }
}
