//! What differs between two bodies, line by line, as people are shown it.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use dlo_domain::budget::ShownBudget;
use dlo_domain::changing::{Diff, DiffLine, DiffMark};
use dlo_domain::decoding::{Labels, Rewritable, read_text};
use dlo_domain::json_text::pretty;
use similar::{ChangeTag, DiffOp, TextDiff};

use super::strict;

/// Lines shown at most.
const MOST_LINES: usize = 400;

/// Characters of one line shown at most.
const MOST_CHARACTERS: usize = 500;

/// Lines around a change.
const AROUND: usize = 3;

/// Bodies above this are not compared, packed or unpacked, in bytes.
pub const MOST_BYTES: usize = 1024 * 1024;

/// JSON that takes more than this when it is laid out is compared as it is, in bytes.
const MOST_LAID_OUT_BYTES: usize = 4 * 1024 * 1024;

/// Lines of either text that are compared, from the first that differs.
const MOST_COMPARED_LINES: usize = 20_000;

/// What the lines of one diff may take on a page, in bytes.
pub const LINES_BUDGET: usize = 400_000;

/// How far a comparison goes.
#[derive(Debug, Clone, Copy)]
pub struct Bounds {
    /// What the lines may take on a page, in bytes.
    pub budget: usize,
    /// A diff that is not found by then is a coarser one.
    pub within: Duration,
}

impl Bounds {
    /// Those of a diff that has a page for itself.
    #[must_use]
    pub const fn of_one(within: Duration) -> Self {
        Self { budget: LINES_BUDGET, within }
    }
}

/// What a line costs beside its text, in bytes.
const LINE_COST: usize = 100;

/// A body, and what its sender says of it.
#[derive(Debug, Clone, Copy)]
pub struct Body<'a> {
    /// How it is written and packed.
    pub labels: Labels<'a>,
    /// The bytes as they are sent.
    pub bytes: &'a [u8],
}

/// Compares two bodies, the one that was there and the one to be sent, by what they hold: what they are packed in is
/// taken off, and values are laid out, whatever they are written in. Bodies above 1 MiB, packed or unpacked, are not
/// compared: the diff has no line then, and is cut. So is one whose lines take more than the budget on a page.
#[must_use]
pub fn of_bodies(before: Body<'_>, after: Body<'_>, bounds: Bounds) -> Diff {
    let (Some(one), Some(other)) = (before.read(), after.read()) else {
        return too_large();
    };
    // Of two formats both are shown as they are.
    let are_alike = one.format() == other.format();
    let laid_out = are_alike.then(|| laid_out(&one).zip(laid_out(&other))).flatten();
    if let Some((before, after)) = laid_out {
        return of_texts(&before, &after, bounds);
    }
    let before = readable(before.labels, one.bytes());
    of_texts(&before, &readable(after.labels, other.bytes()), bounds)
}

impl<'a> Body<'a> {
    fn read(self) -> Option<Rewritable<'a>> {
        Rewritable::read(self.labels, self.bytes, MOST_BYTES).ok()
    }
}

fn too_large() -> Diff {
    Diff { lines: Vec::new(), cut: true }
}

/// The values of a body laid out, if it has some and that does not take too much.
fn laid_out(body: &Rewritable<'_>) -> Option<String> {
    let text = body.values()?;
    strict::check(text.as_bytes()).ok()?;
    pretty(&text, MOST_LAID_OUT_BYTES)
}

/// A body as lines: text in its charset, else rows of bytes in hexadecimal.
fn readable<'a>(labels: Labels<'_>, bytes: &'a [u8]) -> Cow<'a, str> {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.contains('\0') => Cow::Borrowed(text),
        _ => {
            read_text(labels, bytes, true).map_or_else(|| Cow::Owned(rows(bytes)), |read| read.text)
        }
    }
}

/// Sixteen bytes a line.
fn rows(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 33 / 16 + 1);
    for row in bytes.chunks(16) {
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&hex::encode(row));
    }
    text
}

/// Compares two texts. What they begin and end with alike is left aside first; of the rest so many lines are
/// compared, in a limited time, and the diff is cut where there are more.
#[must_use]
pub fn of_texts(before: &str, after: &str, bounds: Bounds) -> Diff {
    if before == after {
        return Diff::default();
    }
    let (before, after): (Vec<&str>, Vec<&str>) = (lines(before), lines(after));
    let same = before.iter().zip(&after).take_while(|(a, b)| a == b).count();
    let first = same.saturating_sub(AROUND);
    let (before, after) = (&before[first..], &after[first..]);
    let is_cut = before.len().max(after.len()) > MOST_COMPARED_LINES;
    let (before, after) = if is_cut { (begin(before), begin(after)) } else { (before, after) };
    let diff =
        TextDiff::configure().deadline(Instant::now() + bounds.within).diff_slices(before, after);
    let mut shown = Shown { lines: Vec::new(), budget: ShownBudget::new(bounds.budget) };
    for (place, group) in diff.grouped_ops(AROUND).iter().enumerate() {
        let begins_late = group.first().is_some_and(|op| op.old_range().start > 0);
        let is_whole = shown.add_group(&diff, group, place > 0 || begins_late || first > 0);
        if !is_whole {
            return Diff { lines: shown.lines, cut: true };
        }
    }
    Diff { lines: shown.lines, cut: is_cut }
}

/// The lines of a text with their ends.
fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

fn begin<'a, 'b>(lines: &'a [&'b str]) -> &'a [&'b str] {
    &lines[..lines.len().min(MOST_COMPARED_LINES)]
}

/// The lines of a diff, as far as they are shown.
struct Shown {
    lines: Vec<DiffLine>,
    budget: ShownBudget,
}

impl Shown {
    /// Adds lines that stand together. Returns whether there was room for all of them.
    fn add_group(
        &mut self,
        diff: &TextDiff<'_, '_, '_, str>,
        group: &[DiffOp],
        follows_others: bool,
    ) -> bool {
        if follows_others {
            self.lines.push(line(DiffMark::Skipped, "", &mut self.budget));
        }
        for change in group.iter().flat_map(|op| diff.iter_changes(op)) {
            if self.lines.len() >= MOST_LINES || !self.budget.take(LINE_COST) {
                return false;
            }
            let mark = match change.tag() {
                ChangeTag::Equal => DiffMark::Same,
                ChangeTag::Delete => DiffMark::Removed,
                ChangeTag::Insert => DiffMark::Added,
            };
            let line = line(mark, change.value(), &mut self.budget);
            self.lines.push(line);
        }
        true
    }
}

fn line(mark: DiffMark, text: &str, budget: &mut ShownBudget) -> DiffLine {
    let text = text.trim_end_matches(['\n', '\r']);
    let end = text.char_indices().nth(MOST_CHARACTERS);
    let most = end.map_or(text.len(), |(end, _)| end);
    let mut shown = budget.take_text(&text[..most]).to_owned();
    if shown.len() < text.len() {
        shown.push('…');
    }
    DiffLine { mark, text: shown }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base64::Engine as _;
    use base64::engine::general_purpose::STANDARD;

    fn marks(diff: &Diff) -> String {
        let mark = |line: &DiffLine| match line.mark {
            DiffMark::Same => ' ',
            DiffMark::Added => '+',
            DiffMark::Removed => '-',
            DiffMark::Skipped => '~',
        };
        diff.lines.iter().map(mark).collect()
    }

    const BOUNDS: Bounds = Bounds::of_one(Duration::from_millis(200));

    fn of(encoding: Option<&str>, before: &[u8], after: &[u8]) -> Diff {
        let labels = Labels { content_encoding: encoding, ..Labels::default() };
        of_bodies(Body { labels, bytes: before }, Body { labels, bytes: after }, BOUNDS)
    }

    fn of_texts(before: &str, after: &str) -> Diff {
        super::of_texts(before, after, BOUNDS)
    }

    #[test]
    fn json_is_compared_member_by_member() {
        let diff = of(None, br#"{"a":1,"b":2}"#, br#"{"a":1,"b":3}"#);
        assert_eq!(marks(&diff), "  -+ ");
        assert_eq!(diff.lines[2].text, "  \"b\": 2");
        let same = of(None, br#"{"a": 1}"#, br#"{"a":1}"#);
        assert_eq!(same, Diff::default());
    }

    #[test]
    fn packed_bodies_are_compared_by_what_they_hold() {
        let diff = of(Some("base64"), b"YQ==", b"Yg==");
        assert_eq!(marks(&diff), "-+");
        assert_eq!(diff.lines[0].text, "a");
    }

    #[test]
    fn values_are_compared_whatever_they_are_written_in() {
        let diff = of(None, b"\x82\xa2id\xa242\xa2of\xa1a", b"\x82\xa2id\xa243\xa2of\xa1a");
        assert_eq!(marks(&diff), " -+  ");
        assert_eq!(diff.lines[2].text, "  \"id\": \"43\",");
        let lines = |id: u8| format!("{{\"id\":1.10}}\n{{\"id\":{id}}}\n").into_bytes();
        let diff = of(None, &lines(1), &lines(2));
        assert!(diff.lines.iter().any(|line| line.text == "    \"id\": 1.10"), "{diff:?}");
        // A format that became another one shows in the bytes.
        let diff = of(None, b"{\"id\":\"42\",\"of\":\"a\"}", b"\x82\xa2id\xa242\xa2of\xa1a");
        assert_eq!(marks(&diff), "-+");
    }

    #[test]
    fn text_is_compared_in_its_charset() {
        let latin = b"Die Stra\xdfe ist gesperrt, und der K\xfcnde w\xe4hlt neu\n";
        let diff = of(None, latin, &[&latin[..], b"und noch etwas\n"].concat());
        assert_eq!(diff.lines[0].text, "Die Straße ist gesperrt, und der Künde wählt neu");
        assert_eq!(marks(&diff), " +");
    }

    #[test]
    fn bytes_are_compared_in_rows() {
        let mut after = vec![0xff; 64];
        after[20] = 0;
        let diff = of(None, &[0xff; 64], &after);
        assert_eq!(marks(&diff), " -+  ");
    }

    #[test]
    fn far_and_long_differences_are_cut() {
        let many = |word: &str| format!("{word}\n").repeat(2_000);
        let diff = of_texts(&many("a"), &many("b"));
        assert!(diff.cut && diff.lines.len() == MOST_LINES);
        let diff = of(None, &vec![b'x'; MOST_BYTES + 1], b"y");
        assert!(diff.cut && diff.lines.is_empty());
        let bomb = STANDARD.encode(vec![b'x'; MOST_BYTES + 1]);
        let diff = of(Some("base64"), bomb.as_bytes(), b"eQ==");
        assert!(diff.cut && diff.lines.is_empty());
        let text = |last: &str| format!("{}{last}", many("a"));
        assert_eq!(marks(&of_texts(&text("x"), &text("y"))), "~   -+");
    }

    #[test]
    fn very_many_lines_are_compared_in_part() {
        let many = |first: &str, word: &str| {
            let lines: Vec<String> = (0..200_000).map(|n| format!("{word}{n}\n")).collect();
            let rest = lines.concat();
            format!("{}{first}\n{rest}", "same\n".repeat(100_000))
        };
        let diff = of_texts(&many("one", "a"), &many("two", "b"));
        assert!(diff.cut && marks(&diff).starts_with("~   -"), "{}", marks(&diff));
        assert_eq!(diff.lines[4].text, "one");
    }

    #[test]
    fn what_is_written_out_longer_is_cut_earlier() {
        let line = format!("{}\n", "<".repeat(MOST_CHARACTERS));
        let diff = of_texts(&line.repeat(300), "");
        assert!(diff.cut && diff.lines.len() < 100, "{}", diff.lines.len());
    }
}
