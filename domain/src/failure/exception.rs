//! An exception written out as one text: its class, its message, and its stack below.

use super::Failure;

/// The parts of an exception's text, as .NET, Java, Python and PHP write it: `Class: message`, then lines of a stack.
pub(super) fn read(text: &str) -> Failure {
    let text = text.trim_start();
    let (head, stack) = match text.find("\n   at ").or_else(|| text.find("\n\tat ")) {
        Some(place) => (&text[..place], Some(text)),
        None => (text, None),
    };
    let (class, message) = match head.split_once(": ") {
        Some((class, message)) if is_class(class) => (Some(class), message),
        _ => match head.trim_end() {
            class if is_class(class) => (Some(class), ""),
            message => (None, message),
        },
    };
    // What .NET writes of inner exceptions stands behind an arrow.
    let message = message.split("\n ---> ").next().unwrap_or_default();
    let message = message.split(" ---> ").next().unwrap_or_default().trim();
    Failure {
        error_class: class.map(str::to_owned),
        error_message: (!message.is_empty()).then(|| message.to_owned()),
        stack_trace: stack.map(str::to_owned),
        ..Failure::default()
    }
}

/// Whether a text is the name of a class: several names with dots, colons or backslashes between them.
pub(super) fn is_class(text: &str) -> bool {
    let is_sign =
        |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '$' | '`' | '+' | '\\' | ':');
    text.contains(['.', '\\', ':'])
        && text.chars().all(is_sign)
        && text.starts_with(char::is_alphabetic)
}

/// The innermost class of a Java stack trace: its last `Caused by:`, else its first line.
pub(super) fn innermost_class(stack: &str) -> Option<String> {
    let line = stack
        .lines()
        .rev()
        .find_map(|line| line.trim().strip_prefix("Caused by: "))
        .or_else(|| stack.lines().next())?;
    let class = line.split([':', ' ', '\t']).next()?;
    class.contains('.').then(|| class.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn class_message_and_stack_are_told_apart() {
        let text = "System.IO.IOException: disk is full: /var ---> System.Exception: inner\n   at A.B()\n   at C.D()";
        let failure = read(text);
        assert_eq!(failure.error_class.as_deref(), Some("System.IO.IOException"));
        assert_eq!(failure.error_message.as_deref(), Some("disk is full: /var"));
        assert_eq!(failure.stack_trace.as_deref(), Some(text));
        let failure = read("no such order: 42");
        assert_eq!((failure.error_class, failure.stack_trace), (None, None));
        assert_eq!(failure.error_message.as_deref(), Some("no such order: 42"));
        let failure = read("Acme.Odd\n   at A.B()");
        assert_eq!(failure.error_class.as_deref(), Some("Acme.Odd"));
        assert_eq!(failure.error_message, None);
    }
}
