//! How an error travels beside a message: each language and framework has its own headers.
//! Must not decide which error it is: services do that.

use super::message::text;
use lapin::types::AMQPValue;

/// An exception as the code that caught it knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Report {
    pub class: &'static str,
    pub message: String,
    pub trace: String,
    pub dialect: Dialect,
}

/// Who wrote the error into the headers, and so how.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    Java,
    Php,
    Python,
    Node,
    Go,
    Rust,
    Spring { exchange: &'static str, routing_key: &'static str },
    MassTransit { input: &'static str },
    NServiceBus { queue: &'static str },
}

impl Report {
    /// The headers to add. `now` is the moment of the failure, for frameworks that note it.
    pub(super) fn headers(
        &self,
        now: chrono::DateTime<chrono::Utc>,
    ) -> Vec<(&'static str, AMQPValue)> {
        let class = text(self.class);
        let message = text(&self.message);
        let trace = text(&self.trace);
        match self.dialect {
            Dialect::Java => vec![
                ("x-exception-class", class),
                ("x-exception-message", message),
                ("x-exception-stacktrace", trace),
            ],
            Dialect::Php => vec![
                ("x-exception-class", class),
                ("x-exception-message", message),
                ("x-exception-trace", trace),
            ],
            Dialect::Python => {
                vec![("x-error-type", class), ("x-error", message), ("x-traceback", trace)]
            }
            Dialect::Node => {
                vec![("x-error", message), ("x-error-name", class), ("x-error-stack", trace)]
            }
            Dialect::Go => vec![("x-error", message), ("x-stack", trace)],
            Dialect::Rust => vec![("x-error", message)],
            Dialect::Spring { exchange, routing_key } => vec![
                ("x-exception-message", message),
                ("x-exception-stacktrace", trace),
                ("x-original-exchange", text(exchange)),
                ("x-original-routingKey", text(routing_key)),
            ],
            Dialect::MassTransit { input } => vec![
                ("MT-Reason", text("fault")),
                ("MT-Fault-ExceptionType", class),
                ("MT-Fault-Message", message),
                ("MT-Fault-StackTrace", trace),
                ("MT-Fault-Timestamp", text(now.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string())),
                ("MT-Fault-InputAddress", text(format!("rabbitmq://localhost/{input}"))),
                ("MT-Fault-RetryCount", AMQPValue::LongInt(2)),
                ("MT-Host-MachineName", text("billing-7f9c4d")),
                ("MT-Host-MassTransitVersion", text("8.3.4.0")),
            ],
            Dialect::NServiceBus { queue } => vec![
                ("NServiceBus.ExceptionInfo.ExceptionType", class),
                ("NServiceBus.ExceptionInfo.Message", message),
                ("NServiceBus.ExceptionInfo.StackTrace", trace),
                ("NServiceBus.ExceptionInfo.Source", text("Acme.Sales")),
                ("NServiceBus.FailedQ", text(queue)),
                (
                    "NServiceBus.TimeOfFailure",
                    text(now.format("%Y-%m-%d %H:%M:%S:%6f Z").to_string()),
                ),
            ],
        }
    }
}
