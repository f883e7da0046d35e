//! Reports are checked before they are kept: what is left out or malformed is told to whoever sent it, and what is too
//! long is cut, since a report that is refused for its length helps nobody.

use super::{ErrorReport, NewErrorReport, ReportedFailure, ReportedMessage};
use crate::reading::{MOST_MESSAGE_BYTES, MOST_NAME_BYTES, cut};

/// The longest stack trace that is kept of a report, in bytes.
const MOST_STACK_BYTES: usize = 128 * 1024;

/// The longest name of AMQP, in bytes: a short string.
const MOST_SHORT_BYTES: usize = 255;

/// Why a report is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ErrorReportFault {
    /// It names no message.
    #[error("which message is it about? Give `message_id`, or `body_sha256` and `queue`")]
    NoMessage,
    /// It names a body and no queue.
    #[error(
        "`body_sha256` needs `queue` beside it: messages with the same body may be in several queues"
    )]
    NoQueue,
    /// It tells nothing.
    #[error("what happened? Give `error_class`, `error_message` or `stack_trace`")]
    NoFailure,
    /// A name that no message or queue can have.
    #[error("`{0}` has 1 to 255 bytes, and no NUL")]
    NotAName(&'static str),
    /// A digest that is not one.
    #[error(
        "`body_sha256` is the SHA-256 of the body as it was delivered, in 64 hexadecimal digits"
    )]
    NotADigest,
}

impl NewErrorReport {
    /// Checks a report, and cuts what is too long of it.
    ///
    /// # Errors
    /// Returns an error if it does not tell which message it is about or what happened to it, or if a name or the
    /// digest is malformed.
    pub fn check(self) -> Result<ErrorReport, ErrorReportFault> {
        let body_sha256 = self.body_sha256.as_deref().map(digest).transpose()?;
        let message = ReportedMessage {
            message_id: name("message_id", self.message_id)?,
            body_sha256,
            queue: name("queue", self.queue)?,
            vhost: name("vhost", self.vhost)?,
        };
        match (&message.message_id, &message.body_sha256, &message.queue) {
            (None, None, _) => return Err(ErrorReportFault::NoMessage),
            (None, Some(_), None) => return Err(ErrorReportFault::NoQueue),
            _ => {}
        }
        let mut circumstances = self.circumstances;
        for text in [
            &mut circumstances.host,
            &mut circumstances.process,
            &mut circumstances.version,
            &mut circumstances.traceparent,
        ] {
            *text = told(text.take(), MOST_NAME_BYTES);
        }
        let failure = ReportedFailure {
            error_class: told(self.error_class, MOST_NAME_BYTES),
            error_message: told(self.error_message, MOST_MESSAGE_BYTES),
            stack_trace: told(self.stack_trace, MOST_STACK_BYTES),
            circumstances,
        };
        let texts = [&failure.error_class, &failure.error_message, &failure.stack_trace];
        if texts.into_iter().all(Option::is_none) {
            return Err(ErrorReportFault::NoFailure);
        }
        Ok(ErrorReport { message, failure })
    }
}

fn name(member: &'static str, value: Option<String>) -> Result<Option<String>, ErrorReportFault> {
    let is_name =
        |text: &String| (1..=MOST_SHORT_BYTES).contains(&text.len()) && !text.contains('\0');
    match value {
        Some(text) if !is_name(&text) => Err(ErrorReportFault::NotAName(member)),
        value => Ok(value),
    }
}

fn digest(text: &str) -> Result<[u8; 32], ErrorReportFault> {
    let is_hex = text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hex {
        return Err(ErrorReportFault::NotADigest);
    }
    let mut digest = [0; 32];
    for (place, byte) in digest.iter_mut().enumerate() {
        let pair = &text[2 * place..2 * place + 2];
        *byte = u8::from_str_radix(pair, 16).map_err(|_| ErrorReportFault::NotADigest)?;
    }
    Ok(digest)
}

/// A text as it can be kept; `None` if nothing is in it.
fn told(text: Option<String>, most_bytes: usize) -> Option<String> {
    let text = text.filter(|text| !text.trim().is_empty())?;
    Some(cut(&text.replace('\0', "\u{fffd}"), most_bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> NewErrorReport {
        NewErrorReport {
            message_id: Some("m-1".into()),
            error_message: Some("no stock".into()),
            ..NewErrorReport::default()
        }
    }

    #[test]
    fn a_report_names_its_message_and_tells_something() {
        let check = |change: fn(&mut NewErrorReport)| {
            let mut new = report();
            change(&mut new);
            new.check().map(|report| report.message)
        };
        assert!(check(|_| {}).is_ok());
        assert_eq!(check(|new| new.message_id = None), Err(ErrorReportFault::NoMessage));
        assert_eq!(
            check(|new| new.message_id = Some(String::new())),
            Err(ErrorReportFault::NotAName("message_id"))
        );
        assert_eq!(
            check(|new| new.queue = Some("q".repeat(256))),
            Err(ErrorReportFault::NotAName("queue"))
        );
        assert_eq!(
            check(|new| new.error_message = Some("  ".into())),
            Err(ErrorReportFault::NoFailure)
        );
        let by_body = check(|new| {
            new.message_id = None;
            new.body_sha256 = Some("0A".repeat(32));
        });
        assert_eq!(by_body, Err(ErrorReportFault::NoQueue));
        let by_body = check(|new| {
            new.message_id = None;
            new.queue = Some("orders".into());
            new.body_sha256 = Some("0A".repeat(32));
        });
        assert_eq!(by_body.expect("taken").body_sha256, Some([10; 32]));
        for odd in ["", "0a", "é".repeat(32).as_str(), "+a".repeat(32).as_str()] {
            assert_eq!(digest(odd), Err(ErrorReportFault::NotADigest), "{odd}");
        }
    }

    #[test]
    fn what_is_too_long_is_cut_and_what_cannot_be_kept_replaced() {
        let mut new = report();
        new.error_class = Some("a\0b".into());
        new.error_message = Some("é".repeat(MOST_MESSAGE_BYTES));
        new.circumstances.host = Some("h".repeat(10_000));
        let failure = new.check().expect("taken").failure;
        assert_eq!(failure.error_class.as_deref(), Some("a\u{fffd}b"));
        assert!(failure.error_message.expect("kept").len() <= MOST_MESSAGE_BYTES);
        assert!(failure.circumstances.host.expect("kept").len() <= MOST_NAME_BYTES);
    }
}
