//! Changes of headers as people write them in one line: `-x-delay, tenant=acme, /laravel/attempts=0`. What is written is
//! read again as the same: what would be taken for something else stands as a JSON text, `tenant="7"`.

use std::fmt;
use std::str::FromStr;

use serde_json::Value;

use super::{BadHeaders, HeaderChanges};
use crate::globs::Globs;

impl fmt::Display for HeaderChanges {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut comma = "";
        for name in self.leave_out.patterns() {
            write!(f, "{comma}-")?;
            write_text(f, name, is_plain(name))?;
            comma = ", ";
        }
        for (name, value) in &self.set {
            f.write_str(comma)?;
            write_text(f, name, is_plain(name) && !name.starts_with('-') && !name.contains('='))?;
            f.write_str("=")?;
            match value {
                Value::String(text) => {
                    write_text(
                        f,
                        text,
                        text.is_empty() || is_plain(text) && of_word(text).is_none(),
                    )?;
                }
                other => write!(f, "{other}")?,
            }
            comma = ", ";
        }
        Ok(())
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str, is_plain: bool) -> fmt::Result {
    if is_plain { f.write_str(text) } else { write!(f, "{}", Value::from(text)) }
}

/// Whether a text needs no quotes where it stands alone.
fn is_plain(text: &str) -> bool {
    let is_trimmed = !text.is_empty() && text.trim().len() == text.len();
    is_trimmed && !text.starts_with('"') && !text.contains(|c: char| c == ',' || c.is_control())
}

/// The whole number, `true` or `false` that a word is.
fn of_word(word: &str) -> Option<Value> {
    let value = serde_json::from_str::<Value>(word).ok();
    value.filter(|value| value.is_i64() || value.is_boolean())
}

impl FromStr for HeaderChanges {
    type Err = BadHeaders;

    fn from_str(line: &str) -> Result<Self, BadHeaders> {
        let (mut leave_out, mut changes) = (Vec::new(), Self::default());
        let mut rest = line;
        loop {
            rest = rest.trim_start_matches(|c: char| c == ',' || c.is_whitespace());
            if rest.is_empty() {
                break;
            }
            let one = rest.split(',').next().unwrap_or_default().trim_end();
            let fault = || BadHeaders::NoChange(one.to_owned());
            if let Some(after) = rest.strip_prefix('-') {
                let name = Token::read(after, |c| c == ',').ok_or_else(fault)?;
                leave_out.push(name.text);
                rest = name.rest;
            } else {
                let name = Token::read(rest, |c| c == ',' || c == '=').ok_or_else(fault)?;
                let after = name.rest.strip_prefix('=').ok_or_else(fault)?;
                let value = Token::read(after, |c| c == ',').ok_or_else(fault)?;
                rest = value.rest;
                let word = of_word(&value.text).filter(|_| !value.is_quoted);
                changes.set.insert(name.text, word.unwrap_or_else(|| Value::from(value.text)));
            }
        }
        changes.leave_out = Globs::of(leave_out)?;
        Ok(changes)
    }
}

/// A name or a value.
struct Token<'l> {
    text: String,
    is_quoted: bool,
    /// What follows, from the character at which it ends.
    rest: &'l str,
}

impl<'l> Token<'l> {
    /// Reads as far as such a character. `None` if quotes are not closed, or something else follows them.
    fn read(line: &'l str, ends: impl Fn(char) -> bool) -> Option<Self> {
        let line = line.trim_start();
        if !line.starts_with('"') {
            let (text, rest) = line.split_at(line.find(ends).unwrap_or(line.len()));
            return Some(Self { text: text.trim_end().to_owned(), is_quoted: false, rest });
        }
        let mut texts = serde_json::Deserializer::from_str(line).into_iter::<String>();
        let text = texts.next()?.ok()?;
        let rest = line.get(texts.byte_offset()..)?.trim_start();
        let is_whole = rest.chars().next().is_none_or(ends);
        is_whole.then_some(Self { text, is_quoted: true, rest })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn read(line: &str) -> HeaderChanges {
        line.parse().expect("changes of headers")
    }

    #[test]
    fn headers_are_left_out_and_set_in_one_line() {
        let line =
            " -x-delay ,-MT-Fault-*, /laravel/attempts = 0, tenant=a=b, dry=true, id=\"7\", n=,";
        let changes = read(line);
        assert_eq!(changes.leave_out.patterns(), ["x-delay", "MT-Fault-*"]);
        let set = json!({"/laravel/attempts": 0, "tenant": "a=b", "dry": true, "id": "7", "n": ""});
        assert_eq!(serde_json::to_value(&changes.set).expect("JSON"), set);
        let again =
            "-x-delay, -MT-Fault-*, /laravel/attempts=0, dry=true, id=\"7\", n=, tenant=a=b";
        assert_eq!(changes.to_string(), again);
        assert_eq!(read(" , "), HeaderChanges::default());
    }

    #[test]
    fn what_is_not_a_change_is_told() {
        for (line, part) in
            [("a=1, x-delay, b=2", "`x-delay`"), ("a=\"1", "`a=\"1`"), ("a=\"1\"2", "`a=\"1\"2`")]
        {
            let why = line.parse::<HeaderChanges>().expect_err("refused").to_string();
            assert!(why.starts_with(part) && why.contains("write `-name`"), "{why}");
        }
        let empty = "- ".parse::<HeaderChanges>().expect_err("refused");
        assert!(empty.to_string().contains("a pattern is empty"), "{empty}");
    }

    fn changes() -> impl Strategy<Value = HeaderChanges> {
        let name = || prop_oneof!["[-a-c=,\" /*]{1,6}", "\\PC{1,8}"];
        let value = prop_oneof![
            any::<i64>().prop_map(Value::from),
            any::<bool>().prop_map(Value::from),
            prop_oneof!["[-0-9=,\" \\\\]{0,6}", "true|false|null|7", ".{0,8}"]
                .prop_map(Value::from),
        ];
        let set = prop::collection::btree_map(name(), value, 0..4);
        (prop::collection::vec(name(), 0..4), set).prop_map(|(leave_out, set)| HeaderChanges {
            leave_out: Globs::of(leave_out).expect("patterns"),
            set,
        })
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_again_as_the_same(changes in changes()) {
            prop_assert_eq!(read(&changes.to_string()), changes);
        }

        #[test]
        fn any_line_is_read_or_refused(line in "[-=,\"\\\\a ]{0,12}|.{0,12}") {
            let _: Result<HeaderChanges, BadHeaders> = line.parse();
        }
    }
}
