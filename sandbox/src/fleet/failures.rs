//! The catalogue of failures: what each one is called, how a worker shows it, whether a replay
//! helps, and how often it comes up. The services decide from the message itself which failure
//! it meets ([`super::services`]); this file must not look at messages.

use super::realm::Realm;

/// Does a replay help?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lasting {
    /// Something else was down: a replayed message succeeds.
    Transient,
    /// The message or the consumer is wrong: it dies again until
    /// [`Fleet::set_fixed`](super::Fleet::set_fixed).
    Permanent,
}

/// What a worker does with a message that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    /// Publishes it once more with the error in its headers, then rejects it: a reject alone
    /// cannot carry an error.
    RejectWithError,
    /// Rejects it; nobody learns why.
    Reject,
    /// Gives it back again and again until the queue's delivery limit ends it.
    GiveBack,
    /// Loses its connection while it holds the message.
    Crash,
    /// Publishes it into the error queue that its framework uses, then acknowledges it.
    Park,
    /// No worker is involved: the queue overflows, or nobody consumes it.
    Unattended,
}

/// The service whose messages fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Service {
    Executions,
    Orders,
    Payments,
    Invoices,
    Emails,
    Commands,
    Telemetry,
    Shipping,
    Billing,
    Sales,
}

impl Service {
    /// The vhost that it works in.
    pub(super) const fn realm(self) -> Realm {
        match self {
            Self::Sales => Realm::Sales,
            _ => Realm::Company,
        }
    }

    pub(super) const ALL: [Self; 10] = [
        Self::Executions,
        Self::Orders,
        Self::Payments,
        Self::Invoices,
        Self::Emails,
        Self::Commands,
        Self::Telemetry,
        Self::Shipping,
        Self::Billing,
        Self::Sales,
    ];
}

macro_rules! catalogue {
    ($($(#[doc = $doc:literal])* $name:ident: $service:ident, $way:ident, $lasting:ident, $copies:literal;)*) => {
        /// One failure pattern.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(super) enum Failure { $($(#[doc = $doc])* $name,)* }

        impl Failure {
            pub(super) const ALL: &[Self] = &[$(Self::$name,)*];

            pub(super) fn service(self) -> Service {
                match self { $(Self::$name => Service::$service,)* }
            }

            pub(super) fn way(self) -> Way {
                match self { $(Self::$name => Way::$way,)* }
            }

            pub(super) fn lasting(self) -> Lasting {
                match self { $(Self::$name => Lasting::$lasting,)* }
            }

            /// How many times it stands in one deck of the script.
            pub(super) fn copies(self) -> usize {
                match self { $(Self::$name => $copies,)* }
            }
        }
    };
}

catalogue! {
    /// Worker 3 was away when the executor dispatched to it; it is back later.
    WorkerAway: Executions, Unattended, Transient, 5;
    /// Worker 7 is gone for good, and the execution carries its own, shorter expiration.
    WorkerGone: Executions, Unattended, Permanent, 4;
    /// Worker 9 stopped in good order, and the executor does not look: nothing ends the wait in its
    /// queue, so no letter tells of it.
    WorkerStopped: Executions, Unattended, Permanent, 1;
    /// An HTTP action was refused by the far side.
    ActionFailed: Executions, RejectWithError, Transient, 3;
    /// Release 2.3.1 of the order service trips over guests without an email.
    CustomerMissing: Orders, RejectWithError, Permanent, 9;
    /// The total of an order is below zero.
    NegativeTotal: Orders, RejectWithError, Permanent, 2;
    /// The inventory database of one warehouse refused the connection.
    InventoryDown: Orders, RejectWithError, Transient, 4;
    /// The JSON was cut off.
    BrokenJson: Orders, RejectWithError, Permanent, 2;
    /// Messages of protobuf version 4 kill the worker.
    CapturePanic: Payments, Crash, Permanent, 2;
    /// One payment gateway does not answer.
    GatewayTimeout: Payments, GiveBack, Transient, 4;
    /// A refund names more lines than the order has.
    RefundMismatch: Payments, RejectWithError, Permanent, 2;
    /// An invoice template is missing: three tries, then the dead-letter queue.
    TemplateMissing: Invoices, Reject, Permanent, 2;
    /// The tax service of one country is down: three tries, then the dead-letter queue.
    TaxServiceDown: Invoices, Reject, Transient, 2;
    /// A campaign was larger than its queue.
    CampaignOverflow: Emails, Unattended, Transient, 2;
    /// The mailbox does not exist.
    MailboxUnknown: Emails, RejectWithError, Permanent, 3;
    /// The mail provider slows us down.
    ProviderThrottled: Emails, RejectWithError, Transient, 3;
    /// Two commands locked the same rows.
    Deadlock: Commands, RejectWithError, Transient, 3;
    /// A command came without its amount.
    WrongArgument: Commands, RejectWithError, Permanent, 2;
    /// A command came without anything.
    EmptyCommand: Commands, Reject, Permanent, 1;
    /// A path in plain text holds a NUL.
    NulInPath: Commands, RejectWithError, Permanent, 1;
    /// A reading came without its sensor.
    SensorMissing: Telemetry, RejectWithError, Permanent, 3;
    /// A binary frame was damaged under way.
    BadChecksum: Telemetry, Reject, Permanent, 2;
    /// A batch is larger than the store takes.
    OversizedBatch: Telemetry, RejectWithError, Permanent, 1;
    /// The store of one site is overloaded.
    StoreBusy: Telemetry, RejectWithError, Transient, 3;
    /// The carrier does not know the address.
    AddressUnknown: Shipping, Park, Permanent, 2;
    /// The carrier does not answer.
    CarrierTimeout: Shipping, Park, Transient, 2;
    /// Two invoices were booked at the same moment.
    LedgerDeadlock: Billing, Park, Transient, 2;
    /// The account is closed.
    AccountClosed: Billing, Park, Permanent, 2;
    /// The saga of the order is not there.
    SagaMissing: Sales, Park, Permanent, 2;
}

#[cfg(test)]
mod tests {
    use super::{Failure, Lasting, Service};

    #[test]
    fn every_service_fails_and_a_good_part_of_the_failures_is_transient() {
        for service in Service::ALL {
            assert!(Failure::ALL.iter().any(|failure| failure.service() == service), "{service:?}");
        }
        let transient =
            Failure::ALL.iter().filter(|failure| failure.lasting() == Lasting::Transient).count();
        let share = transient * 100 / Failure::ALL.len();
        assert!((35..=65).contains(&share), "{share} % are transient");
    }
}
