//! Who works in the simulated company: every worker, its queue, and when it is there. Data
//! only; what a worker does stands in [`super::workers`].

use super::failures::Service;
#[cfg(test)]
use super::message::Publication;
use super::topology;
use std::time::Duration;

/// When a worker is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attendance {
    Always,
    /// Comes in this long after the fleet started.
    Late(Duration),
    /// Says for so long that it lives, takes nothing, falls silent, and is at work only while
    /// the fleet is fixed.
    FallsSilent(Duration),
    /// Says for so long that it drains, and takes nothing; then says that it stops, and is gone.
    Leaves(Duration),
}

/// One worker of the fleet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Post {
    pub name: &'static str,
    pub queue: &'static str,
    pub service: Service,
    pub prefetch: u16,
    /// As many messages as it works on at once.
    pub hands: u16,
    /// How long one message takes; an execution up to eight times that.
    pub pace: Duration,
    pub attendance: Attendance,
}

const fn post(name: &'static str, queue: &'static str, service: Service) -> Post {
    Post {
        name,
        queue,
        service,
        prefetch: 20,
        hands: 1,
        pace: Duration::ZERO,
        attendance: Attendance::Always,
    }
}

const fn executor_worker(name: &'static str, queue: &'static str, attendance: Attendance) -> Post {
    Post {
        hands: 16,
        pace: Duration::from_millis(250),
        attendance,
        ..post(name, queue, Service::Executions)
    }
}

/// Everyone who works here.
pub(super) const POSTS: &[Post] = &[
    executor_worker("attune-worker-1", "worker.1.executions", Attendance::Always),
    executor_worker("attune-worker-2", "worker.2.executions", Attendance::Always),
    executor_worker(
        "attune-worker-3",
        "worker.3.executions",
        Attendance::Late(Duration::from_secs(12)),
    ),
    // Long enough to be heard of by an office that starts with the fleet.
    executor_worker(
        "attune-worker-7",
        "worker.7.executions",
        Attendance::FallsSilent(Duration::from_secs(20)),
    ),
    executor_worker(
        "attune-worker-9",
        "worker.9.executions",
        Attendance::Leaves(Duration::from_secs(5)),
    ),
    post("order-service", topology::ORDERS, Service::Orders),
    // One message at a time: whoever else were in its hands would be counted as failed too.
    Post { prefetch: 1, ..post("payment-capture", topology::CAPTURES, Service::Payments) },
    post("payment-refund", topology::REFUNDS, Service::Payments),
    post("invoice-renderer", topology::INVOICES, Service::Invoices),
    post("mailer", topology::EMAILS, Service::Emails),
    Post {
        prefetch: 1,
        pace: Duration::from_millis(250),
        ..post("mailer-campaigns", topology::CAMPAIGNS, Service::Emails)
    },
    post("php-daemon", topology::COMMANDS, Service::Commands),
    post("telemetry-ingest", topology::TELEMETRY, Service::Telemetry),
    post("shipping-service", topology::SHIPPING, Service::Shipping),
    post("billing-consumer", topology::BILLING, Service::Billing),
    post("sales-endpoint", topology::SALES, Service::Sales),
];

/// The queue of the fleet that a publication is routed to.
#[cfg(test)]
pub(super) fn queue_of(message: &Publication) -> Option<&'static str> {
    let key = message.routing_key.as_str();
    let queue = match message.exchange {
        topology::EXECUTIONS_EXCHANGE => {
            return POSTS
                .iter()
                .map(|post| post.queue)
                .find(|queue| key.rsplit('.').next() == queue.split('.').nth(1));
        }
        topology::TELEMETRY_EXCHANGE => topology::TELEMETRY,
        topology::BILLING_EXCHANGE => topology::BILLING,
        topology::SALES_EXCHANGE => topology::SALES,
        _ => key,
    };
    POSTS.iter().map(|post| post.queue).find(|name| *name == queue)
}
