//! Text with wildcards: `*` stands for any characters, also none.

/// The literal pieces between the wildcards, in order.
///
/// One piece is a text without wildcards; an empty first or last piece is a wildcard at that end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pattern(Vec<String>);

impl Pattern {
    /// From the pieces between wildcards. Two wildcards in a row are one.
    #[must_use]
    pub fn of_pieces(pieces: impl IntoIterator<Item = String>) -> Self {
        let mut kept: Vec<String> = pieces.into_iter().collect();
        let last = kept.len().saturating_sub(1);
        let mut place = 0;
        kept.retain(|piece| {
            let is_end = place == 0 || place == last;
            place += 1;
            is_end || !piece.is_empty()
        });
        if kept.is_empty() {
            kept.push(String::new());
        }
        Self(kept)
    }

    /// From a text in which every `*` is a wildcard.
    #[must_use]
    pub fn with_wildcards(text: &str) -> Self {
        Self::of_pieces(text.split('*').map(str::to_owned))
    }

    /// From a text that means itself.
    #[must_use]
    pub fn literal(text: &str) -> Self {
        Self(vec![text.to_owned()])
    }

    /// The text, when there is no wildcard in it.
    #[must_use]
    pub fn as_literal(&self) -> Option<&str> {
        match &self.0[..] {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The pieces between the wildcards.
    #[must_use]
    pub fn pieces(&self) -> &[String] {
        &self.0
    }

    /// The same without regard to the case of A to Z.
    #[must_use]
    pub fn folded(&self) -> Self {
        Self(self.0.iter().map(|piece| fold(piece)).collect())
    }

    /// Whether a text as a whole is like this.
    #[must_use]
    pub fn is_like(&self, text: &str) -> bool {
        let [first, middle @ .., last] = &self.0[..] else {
            return self.0.first().is_some_and(|only| only == text);
        };
        let Some(rest) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        rest.strip_suffix(last.as_str()).is_some_and(|rest| in_order(middle, rest))
    }

    /// Whether some part of a text is like this.
    #[must_use]
    pub fn is_within(&self, text: &str) -> bool {
        in_order(&self.0, text)
    }

    /// The text in which `*` is a wildcard, for a pattern whose pieces hold none themselves.
    #[must_use]
    pub fn as_wildcard_text(&self) -> Option<String> {
        let plain = self.0.iter().all(|piece| !piece.contains('*'));
        plain.then(|| self.0.join("*"))
    }
}

fn in_order(pieces: &[String], mut text: &str) -> bool {
    pieces.iter().all(|piece| match text.split_once(piece.as_str()) {
        // An empty piece is found at once, before anything.
        Some((before, after)) if piece.is_empty() => {
            debug_assert!(before.is_empty() && after == text);
            true
        }
        Some((_, after)) => {
            text = after;
            true
        }
        None => false,
    })
}

/// Text without regard to the case of A to Z. Other letters keep theirs, so that every database
/// and every machine answers the same.
#[must_use]
pub fn fold(text: &str) -> String {
    text.to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wildcards_stand_for_any_characters() {
        let cases = [
            ("orders.*", "orders.work", true),
            ("orders.*", "orders.", true),
            ("orders.*", "order", false),
            ("*work", "orders.work", true),
            ("a*a", "a", false),
            ("a*a", "aa", true),
            ("a*b*c", "a--b--c", true),
            ("a*b*c", "a--c--b", false),
            ("*", "", true),
            ("", "", true),
            ("", "x", false),
            ("**", "x", true),
            ("ä*", "äb", true),
        ];
        for (pattern, text, is_like) in cases {
            let read = Pattern::with_wildcards(pattern);
            assert_eq!(read.is_like(text), is_like, "{pattern} {text}");
        }
    }

    #[test]
    fn a_part_of_a_text_is_found() {
        let refused = Pattern::with_wildcards("Conn*refused").folded();
        assert!(refused.is_within("x connection was refused by y"));
        assert!(!refused.is_within("x refused connection"));
    }
}
