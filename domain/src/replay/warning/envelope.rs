//! Warnings about letters that are envelopes.

use std::fmt;

use super::{ReplayWarning, WarningKind, share};
use crate::decoding::Envelope;

/// So many letters of a plan, of which the first ones were looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OfFirst {
    /// How many it is about.
    pub letters: i64,
    /// How many were looked into.
    pub looked_into: i64,
    /// How many the plan has.
    pub total: i64,
}

/// In words.
impl fmt::Display for OfFirst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { letters, looked_into, total } = *self;
        if looked_into < total {
            return write!(f, "{letters} of the first {looked_into} letters");
        }
        f.write_str(&share(letters, total))
    }
}

impl ReplayWarning {
    /// That letters would go as the envelopes that frameworks put around messages that failed.
    #[must_use]
    pub fn error_envelope(envelopes: &[Envelope], share: OfFirst) -> Self {
        let message = format!(
            "{} put an envelope around {share}: the error, and inside the message that failed. A worker is not made \
             for the envelope. Send what is inside, with its own properties.",
            names(envelopes)
        );
        Self::new(WarningKind::ErrorEnvelope, share.letters, message)
    }

    /// That letters would go without the envelopes that workers may expect.
    #[must_use]
    pub fn expected_envelope(envelopes: &[Envelope], share: OfFirst) -> Self {
        let message = format!(
            "The {} envelope of {share} is taken off. A worker that expects the envelope cannot read what is inside: \
             send such letters as they are.",
            names(envelopes)
        );
        Self::new(WarningKind::ExpectedEnvelope, share.letters, message)
    }

    /// That letters are not envelopes that can be opened.
    #[must_use]
    pub fn no_envelope(share: OfFirst) -> Self {
        let message =
            format!("Without an envelope that can be opened, and sent as it came: {share}.");
        Self::new(WarningKind::NoEnvelope, share.letters, message)
    }
}

fn names(envelopes: &[Envelope]) -> String {
    let names: Vec<&str> = envelopes.iter().map(|one| one.name()).collect();
    names.join(" and ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_many_letters_were_looked_into_is_told() {
        let first = OfFirst { letters: 3, looked_into: 500, total: 9_000 };
        let envelopes = [Envelope::Sneakers, Envelope::EasyNetQ];
        let told = ReplayWarning::error_envelope(&envelopes, first);
        assert_eq!((told.letters, told.will_fail), (3, false));
        assert!(told.message.contains("Sneakers and EasyNetQ put"), "{}", told.message);
        assert!(told.message.contains("3 of the first 500 letters:"), "{}", told.message);
        let all = OfFirst { letters: 2, looked_into: 2, total: 2 };
        let told = ReplayWarning::expected_envelope(&envelopes[..1], all);
        assert!(
            told.message.starts_with("The Sneakers envelope of all 2 letters"),
            "{}",
            told.message
        );
    }
}
