//! JSON laid out for people: one member a line. The text of every value stays as it is, so that a
//! number is shown with the digits that were sent.
//!
//! A line is indented by its depth, so that what comes out can be hundreds of times as long as what went in:
//! it is made up to a limit and not further.

/// Lays JSON out; the text must have been checked. Returns `None` if that takes more than `most` bytes.
#[must_use]
pub fn pretty(text: &str, most: usize) -> Option<String> {
    let mut out = Layout { text: String::with_capacity(text.len().min(most)), depth: 0, most };
    let mut rest = text.trim().chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                out.text.push('"');
                string(&mut rest, &mut out.text);
            }
            '{' | '[' => {
                out.text.push(c);
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    out.text.push(end);
                } else {
                    out.depth += 1;
                    out.end_line()?;
                }
            }
            '}' | ']' => {
                out.depth = out.depth.saturating_sub(1);
                out.end_line()?;
                out.text.push(c);
            }
            ',' => {
                out.text.push(c);
                out.end_line()?;
            }
            ':' => out.text.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.text.push(c),
        }
    }
    (out.text.len() <= most).then_some(out.text)
}

/// Lines in the making.
struct Layout {
    text: String,
    depth: usize,
    most: usize,
}

impl Layout {
    /// Begins a new line. Returns `None` if it would go beyond the limit.
    fn end_line(&mut self) -> Option<()> {
        if self.text.len() + 1 + 2 * self.depth > self.most {
            return None;
        }
        self.text.push('\n');
        self.text.extend(std::iter::repeat_n("  ", self.depth));
        Some(())
    }
}

/// JSON in one line, without spaces between its values; the text must have been checked.
#[must_use]
pub fn compact(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                out.push('"');
                string(&mut rest, &mut out);
            }
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
}

/// The rest of a string, up to its closing quote.
fn string(rest: &mut impl Iterator<Item = char>, out: &mut String) {
    while let Some(c) = rest.next() {
        out.push(c);
        match c {
            '\\' => out.extend(rest.next()),
            '"' => return,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stand_in_lines_of_their_own() {
        let text = r#" {"a":1.10,"b":[ ],"c":[1,{"x":"a, \"b\": {"}],"d":{}} "#;
        let laid = concat!(
            "{\n  \"a\": 1.10,\n  \"b\": [],\n  \"c\": [\n    1,\n    {\n",
            "      \"x\": \"a, \\\"b\\\": {\"\n    }\n  ],\n  \"d\": {}\n}"
        );
        assert_eq!(pretty(text, 1_000).as_deref(), Some(laid));
        assert_eq!(pretty(laid, laid.len()).as_deref(), Some(laid));
        assert_eq!(pretty("7", 1).as_deref(), Some("7"));
        assert_eq!(compact(laid), r#"{"a":1.10,"b":[],"c":[1,{"x":"a, \"b\": {"}],"d":{}}"#);
    }

    #[test]
    fn what_would_be_too_long_is_given_up() {
        assert_eq!(pretty("[1]", 6), None);
        assert_eq!(pretty("[1]", 7).as_deref(), Some("[\n  1\n]"));
        assert_eq!(pretty("\"long\"", 5), None);
        let deep = format!("{}{}0{}", "[".repeat(126), "0,".repeat(500_000), "]".repeat(126));
        assert_eq!(pretty(&deep, 1_000_000), None);
    }
}
