//! Wolverine: headers `exception-type`, `exception-message`, `exception-stack` and `failed-at`
//! (`src/Wolverine/Transports/DeadLetterQueueConstants.cs`). It cuts stacks at 8,192 characters.

use super::super::{Circumstances, FailedMessage, Failure};

pub(super) fn read(told: &FailedMessage<'_>) -> Option<Failure> {
    let class = told.text("exception-type")?;
    if told.headers.get("exception-stack").is_none() && told.headers.get("failed-at").is_none() {
        return None;
    }
    Some(Failure {
        told_by: Some("wolverine".to_owned()),
        error_class: Some(class),
        error_message: told.text("exception-message"),
        stack_trace: told.text("exception-stack"),
        message_type: told.text("message-type"),
        circumstances: Circumstances {
            attempts: told.number("attempts"),
            failed_at: told.time("failed-at"),
            ..Circumstances::default()
        },
        ..Failure::default()
    })
}
