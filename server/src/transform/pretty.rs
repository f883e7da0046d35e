//! JSON laid out for people: one member a line. The text of every value stays as it is, so that a
//! number is shown with the digits that were sent.

/// Lays JSON out; the text must have been checked. What is no JSON comes out as it is, more or less.
#[must_use]
pub fn pretty(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0_usize;
    let mut rest = text.trim().chars().peekable();
    let newline = |out: &mut String, depth: usize| {
        out.push('\n');
        out.extend(std::iter::repeat_n("  ", depth));
    };
    while let Some(c) = rest.next() {
        match c {
            '"' => {
                out.push('"');
                string(&mut rest, &mut out);
            }
            '{' | '[' => {
                out.push(c);
                while rest.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = rest.next_if(|next| matches!(next, '}' | ']')) {
                    out.push(end);
                } else {
                    depth += 1;
                    newline(&mut out, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                newline(&mut out, depth);
                out.push(c);
            }
            ',' => {
                out.push(c);
                newline(&mut out, depth);
            }
            ':' => out.push_str(": "),
            c if c.is_ascii_whitespace() => {}
            c => out.push(c),
        }
    }
    out
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
        assert_eq!(pretty(text), laid);
        assert_eq!(pretty(laid), laid);
        assert_eq!(pretty("7"), "7");
        assert_eq!(
            compact(laid),
            r#"{"a":1.10,"b":[],"c":[1,{"x":"a, \"b\": {"}],"d":{}}"#
        );
    }
}
