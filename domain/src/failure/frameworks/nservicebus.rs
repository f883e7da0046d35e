//! NServiceBus: headers `NServiceBus.*` (docs.particular.net, "Message Headers").

use super::super::{Circumstances, FailedMessage, Failure};
use super::without_assembly;

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let known = [
        "NServiceBus.ExceptionInfo.Message",
        "NServiceBus.FailedQ",
        "NServiceBus.EnclosedMessageTypes",
    ];
    told.first(&known)?;
    let exception = |name: &str| told.text(&format!("NServiceBus.ExceptionInfo.{name}"));
    Some(Failure {
        told_by: Some("nservicebus".to_owned()),
        error_class: exception("ExceptionType"),
        error_message: exception("Message"),
        stack_trace: exception("StackTrace"),
        // `queue@machine` where the transport writes the machine, too.
        queue: told
            .text("NServiceBus.FailedQ")
            .map(|failed| failed.split('@').next().unwrap_or(&failed).to_owned()),
        message_type: told
            .text("NServiceBus.EnclosedMessageTypes")
            .map(|types| without_assembly(&types)),
        circumstances: Circumstances {
            retries: told
                .number("NServiceBus.DelayedRetries")
                .or_else(|| told.number("NServiceBus.Retries")),
            failed_at: told.time("NServiceBus.TimeOfFailure"),
            host: told.text("NServiceBus.ProcessingMachine"),
            process: told.text("NServiceBus.ProcessingEndpoint"),
            version: told.text("NServiceBus.Version"),
            ..Circumstances::default()
        },
        ..Failure::default()
    })
}
