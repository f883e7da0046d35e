//! What may be shown of a letter: how much a text costs on a page, and where it is cut.
//!
//! A page holds what it shows twice: as HTML, and as JSON within a script for the browser. Both write some
//! characters out, so that 100 KB of `<` become 1 MB of page. A budget counts what comes out.

/// What is left for a page or an answer, in bytes as they are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownBudget {
    left: usize,
}

impl ShownBudget {
    /// A budget of this many bytes.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { left: bytes }
    }

    /// What is left of it, in bytes.
    #[must_use]
    pub fn left(self) -> usize {
        self.left
    }

    /// Takes bytes from it. Returns whether there were so many; otherwise nothing is left.
    pub fn take(&mut self, bytes: usize) -> bool {
        let is_enough = bytes <= self.left;
        self.left = if is_enough { self.left - bytes } else { 0 };
        is_enough
    }

    /// Takes what a text costs. Returns as much of the text as the budget had.
    pub fn take_text<'a>(&mut self, text: &'a str) -> &'a str {
        for (place, c) in text.char_indices() {
            if !self.take(cost_of(c)) {
                return &text[..place];
            }
        }
        text
    }
}

/// What a text costs on a page, in bytes.
#[must_use]
pub fn page_cost(text: &str) -> usize {
    text.chars().map(cost_of).sum()
}

/// What a character costs: once in HTML, and once in JSON that stands in a string of a script.
fn cost_of(c: char) -> usize {
    match c {
        '<' => 11,
        '&' => 6,
        '>' | '"' | '\\' => 5,
        '\n' | '\r' | '\t' => 4,
        _ if c.is_control() => 9,
        _ if c.is_ascii() => 2,
        _ if c.is_alphanumeric() => 2 * c.len_utf8(),
        // What is not printed may be written as `\u{10ffff}`.
        _ => 10 + c.len_utf8(),
    }
}

/// The memory that a JSON text takes when it is read as a tree of values, at most, in bytes: an estimate
/// from the signs outside of strings, made in one pass.
#[must_use]
pub fn json_cost(text: &[u8]) -> usize {
    /// A value in its array or object.
    const VALUE: usize = 96;
    /// An object with few members.
    const OBJECT: usize = 640;
    let (mut cost, mut in_string, mut is_escaped) = (text.len() + VALUE, false, false);
    for byte in text {
        if in_string {
            in_string = is_escaped || *byte != b'"';
            is_escaped = !is_escaped && *byte == b'\\';
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' => cost += OBJECT,
            b'[' | b',' => cost += VALUE,
            _ => {}
        }
    }
    cost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_where_the_budget_ends() {
        let mut budget = ShownBudget::new(10);
        assert_eq!(budget.take_text("abc"), "abc");
        assert_eq!(budget.left(), 4);
        assert_eq!(budget.take_text("ä<"), "ä");
        assert_eq!(budget.left(), 0);
        assert_eq!(budget.take_text("a"), "");
        assert!(budget.take(0) && !budget.take(1));
    }

    #[test]
    fn signs_that_are_written_out_cost_what_comes_out() {
        assert_eq!(page_cost("abc"), 6);
        // `&lt;` and `\\u003c`
        assert_eq!(page_cost("<"), "&lt;".len() + "\\\\u003c".len());
        assert_eq!(page_cost("&"), "&amp;".len() + "&".len());
        assert_eq!(page_cost("\n"), "\n".len() + "\\\\n".len());
        assert_eq!(page_cost("\u{1}"), "\u{1}".len() + "\\\\u0001".len() + 1);
    }

    #[test]
    fn signs_in_strings_are_no_values() {
        assert_eq!(json_cost(br#""{{{{,,,,\"[[""#), json_cost(br#""aaaaaaaa\"aa""#));
        assert!(json_cost(&b"{\"\":0},".repeat(1_000)) > 640_000);
        assert!(json_cost(&b"[0,0,0,0]".repeat(1_000)) < 500_000);
    }
}
