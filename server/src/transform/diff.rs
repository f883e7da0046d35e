//! What differs between two bodies, line by line, as people are shown it.

use std::time::{Duration, Instant};

use dlo_domain::changing::{Diff, DiffLine, DiffMark};
use similar::{ChangeTag, TextDiff};

use super::packing::unpack;
use super::pretty::pretty;
use super::strict;

/// Lines shown at most.
const MOST_LINES: usize = 400;

/// Characters of one line shown at most.
const MOST_CHARACTERS: usize = 500;

/// Lines around a change.
const AROUND: usize = 3;

/// A diff that is not found by then is a coarser one.
const WITHIN: Duration = Duration::from_millis(200);

/// Bodies above this are told as different, and no more, in bytes.
const MOST_BYTES: usize = 1024 * 1024;

/// Compares two bodies, the one that was there and the one to be sent, by what they hold: their
/// content encodings are taken off, and JSON is laid out.
#[must_use]
pub fn of_bodies(before: (Option<&str>, &[u8]), after: (Option<&str>, &[u8])) -> Diff {
    let (before, after) = (readable(before), readable(after));
    of_texts(&before, &after)
}

/// A body as lines of text: JSON laid out, else text, else rows of bytes in hexadecimal.
#[must_use]
pub fn readable((encoding, body): (Option<&str>, &[u8])) -> String {
    let unpacked = unpack(encoding, body).map(|unpacked| unpacked.bytes);
    let bytes = unpacked.as_deref().unwrap_or(body);
    match std::str::from_utf8(bytes) {
        Ok(text) if strict::check(bytes).is_ok() => pretty(text),
        Ok(text) if !text.contains('\0') => text.to_owned(),
        _ => rows(bytes),
    }
}

/// Sixteen bytes a line.
fn rows(bytes: &[u8]) -> String {
    let shown = &bytes[..bytes.len().min(MOST_BYTES / 4)];
    let mut text = String::with_capacity(shown.len() * 3);
    for row in shown.chunks(16) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&hex::encode(row));
    }
    text
}

/// Compares two texts.
#[must_use]
pub fn of_texts(before: &str, after: &str) -> Diff {
    if before == after {
        return Diff::default();
    }
    if before.len().max(after.len()) > MOST_BYTES {
        return Diff {
            lines: Vec::new(),
            cut: true,
        };
    }
    let diff = TextDiff::configure()
        .deadline(Instant::now() + WITHIN)
        .diff_lines(before, after);
    let mut lines = Vec::new();
    for (place, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        let begins_late = group.first().is_some_and(|op| op.old_range().start > 0);
        if place > 0 || begins_late {
            lines.push(line(DiffMark::Skipped, ""));
        }
        for op in group {
            for change in diff.iter_changes(op) {
                if lines.len() >= MOST_LINES {
                    return Diff { lines, cut: true };
                }
                let mark = match change.tag() {
                    ChangeTag::Equal => DiffMark::Same,
                    ChangeTag::Delete => DiffMark::Removed,
                    ChangeTag::Insert => DiffMark::Added,
                };
                lines.push(line(mark, change.value()));
            }
        }
    }
    Diff { lines, cut: false }
}

fn line(mark: DiffMark, text: &str) -> DiffLine {
    let text = text.trim_end_matches(['\n', '\r']);
    let mut shown: String = text.chars().take(MOST_CHARACTERS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    DiffLine { mark, text: shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marks(diff: &Diff) -> String {
        let mark = |line: &DiffLine| match line.mark {
            DiffMark::Same => ' ',
            DiffMark::Added => '+',
            DiffMark::Removed => '-',
            DiffMark::Skipped => '~',
        };
        diff.lines.iter().map(mark).collect()
    }

    #[test]
    fn json_is_compared_member_by_member() {
        let diff = of_bodies((None, br#"{"a":1,"b":2}"#), (None, br#"{"a":1,"b":3}"#));
        assert_eq!(marks(&diff), "  -+ ");
        assert_eq!(diff.lines[2].text, "  \"b\": 2");
        let same = of_bodies((None, br#"{"a": 1}"#), (None, br#"{"a":1}"#));
        assert_eq!(same, Diff::default());
    }

    #[test]
    fn packed_bodies_are_compared_by_what_they_hold() {
        let diff = of_bodies((Some("base64"), b"YQ=="), (Some("base64"), b"Yg=="));
        assert_eq!(marks(&diff), "-+");
        assert_eq!(diff.lines[0].text, "a");
    }

    #[test]
    fn bytes_are_compared_in_rows() {
        let mut after = vec![0xff; 64];
        after[20] = 0;
        let diff = of_bodies((None, &[0xff; 64]), (None, &after));
        assert_eq!(marks(&diff), " -+  ");
    }

    #[test]
    fn far_and_long_differences_are_cut() {
        let many = |word: &str| format!("{word}\n").repeat(2_000);
        let diff = of_texts(&many("a"), &many("b"));
        assert!(diff.cut && diff.lines.len() == MOST_LINES);
        let diff = of_texts(&"x".repeat(MOST_BYTES + 1), "y");
        assert!(diff.cut && diff.lines.is_empty());
        let text = |last: &str| format!("{}{last}", many("a"));
        assert_eq!(marks(&of_texts(&text("x"), &text("y"))), "~   -+");
    }
}
