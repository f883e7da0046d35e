//! The services of the simulated company, one file each: what their messages look like, by
//! which sign in the message their workers fail, and what error they then report. Pure: must not
//! touch the network, the clock or chance other than the dice it is handed.

mod billing;
mod commands;
mod emails;
pub(super) mod executions;
mod invoices;
mod orders;
mod payments;
mod sales;
mod shipping;
mod telemetry;

use super::dice::Dice;
use super::failures::{Failure, Service};
use super::message::{Publication, Reading, text};
use super::reports::Report;
use chrono::{DateTime, SubsecRound as _, Utc};
use lapin::types::{AMQPValue, FieldArray, FieldTable};

/// What a service has at hand when it makes messages.
pub(super) struct Desk<'a> {
    pub dice: &'a mut Dice,
    /// When the fleet started: the base of all times in bodies and headers.
    pub started: DateTime<Utc>,
    /// The number of the next execution.
    pub execution: i64,
}

impl Desk<'_> {
    /// A moment in the hours before the fleet started.
    fn moment(&mut self) -> DateTime<Utc> {
        let moment =
            self.started - chrono::Duration::milliseconds(self.dice.number(1, 3 * 3_600_000));
        moment.trunc_subsecs(3)
    }

    /// What nearly every publisher sets: identity, tenant, version and a little tracing.
    fn dress(&mut self, message: Publication, app: &str, kind: &str, version: &str) -> Publication {
        let id = self.dice.uuid();
        let correlation = self.dice.uuid();
        let mut trace = FieldTable::default();
        trace.insert("trace-id".into(), text(self.dice.uuid().simple().to_string()));
        trace.insert("sampled".into(), AMQPValue::Boolean(self.dice.once_in(4)));
        let hops = [text("gateway"), text(app), AMQPValue::LongInt(2)];
        trace.insert("hops".into(), AMQPValue::FieldArray(FieldArray::from(hops.to_vec())));
        let tenant = self.dice.tenant();
        let message = message
            .with(|properties| {
                properties
                    .with_message_id(id.to_string().as_str().into())
                    .with_correlation_id(correlation.to_string().as_str().into())
                    .with_type(kind.into())
                    .with_app_id(app.into())
            })
            .header("x-tenant", text(tenant))
            .header("x-version", text(version))
            .header("x-trace", trace)
            .timestamped();
        if self.dice.once_in(3) { message.signed() } else { message }
    }
}

/// The messages of one service that meet the given failure, or none.
pub(super) fn compose(
    service: Service,
    failure: Option<Failure>,
    desk: &mut Desk,
) -> Vec<Publication> {
    match service {
        Service::Executions => vec![executions::compose(failure, desk)],
        Service::Orders => vec![orders::compose(failure, desk)],
        Service::Payments => vec![payments::compose(failure, desk)],
        Service::Invoices => vec![invoices::compose(failure, desk)],
        Service::Emails => emails::compose(failure, desk),
        Service::Commands => vec![commands::compose(failure, desk)],
        Service::Telemetry => vec![telemetry::compose(failure, desk)],
        Service::Shipping => vec![shipping::compose(failure, desk)],
        Service::Billing => vec![billing::compose(failure, desk)],
        Service::Sales => vec![sales::compose(failure, desk)],
    }
}

/// The failure that a worker of this service meets with this message, if any.
pub(super) fn diagnose(service: Service, reading: &Reading) -> Option<Failure> {
    match service {
        Service::Executions => executions::diagnose(reading),
        Service::Orders => orders::diagnose(reading),
        Service::Payments => payments::diagnose(reading),
        Service::Invoices => invoices::diagnose(reading),
        Service::Emails => emails::diagnose(reading),
        Service::Commands => commands::diagnose(reading),
        Service::Telemetry => telemetry::diagnose(reading),
        Service::Shipping => shipping::diagnose(reading),
        Service::Billing => billing::diagnose(reading),
        Service::Sales => sales::diagnose(reading),
    }
}

/// The error that a worker writes beside the message, for the failures where it writes one.
pub(super) fn report(failure: Failure, reading: &Reading) -> Option<Report> {
    match failure.service() {
        Service::Executions => executions::report(failure, reading),
        Service::Orders => orders::report(failure, reading),
        Service::Payments => payments::report(failure, reading),
        Service::Invoices => None,
        Service::Emails => emails::report(failure, reading),
        Service::Commands => commands::report(failure, reading),
        Service::Telemetry => telemetry::report(failure, reading),
        Service::Shipping => shipping::report(failure, reading),
        Service::Billing => billing::report(failure, reading),
        Service::Sales => sales::report(failure, reading),
    }
}
