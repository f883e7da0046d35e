//! A tree as text, which is read back as the same tree.

use std::fmt;

use super::fields::Kind;
use super::moment;
use super::path::Path;
use super::pattern::Pattern;
use super::size::size;
use super::tree::{Expr, Subject, Term, Test, Value};

const KEYWORDS: [&str; 3] = ["AND", "OR", "NOT"];

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        f.write_str(" ")?;
                    }
                    match part {
                        Self::Any(_) => write!(f, "({part})")?,
                        _ => part.fmt(f)?,
                    }
                }
                Ok(())
            }
            Self::Any(parts) => {
                for (place, part) in parts.iter().enumerate() {
                    if place > 0 {
                        f.write_str(" OR ")?;
                    }
                    part.fmt(f)?;
                }
                Ok(())
            }
            Self::Not(inner) => match &**inner {
                // A filter as deep as may be read has no room for parentheses of its own.
                nested @ (Self::Term(_) | Self::Not(_)) => write!(f, "-{nested}"),
                other => write!(f, "-({other})"),
            },
            Self::Term(term) => term.fmt(f),
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(field) => f.write_str(field.info().name),
            Self::Header(path) => write!(f, "header.{path}"),
            Self::Body(path) => write!(f, "body.{path}"),
            Self::Text => Ok(()),
        }
    }
}

impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, step) in self.steps().iter().enumerate() {
            if place > 0 {
                f.write_str(".")?;
            }
            let is_plain = !step.chars().any(|c| needs_quotes(c) || matches!(c, '.' | ':'));
            if is_plain {
                f.write_str(step)?;
            } else {
                write!(f, "\"{}\"", escape(step).replace('*', "\\*"))?;
            }
        }
        Ok(())
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.test == Test::Exists {
            return write!(f, "has:{}", self.subject);
        }
        if self.subject != Subject::Text {
            write!(f, "{}:", self.subject)?;
        }
        let is_prose = match &self.subject {
            Subject::Field(field) => field.kind() == Kind::Prose,
            Subject::Text => true,
            Subject::Header(_) | Subject::Body(_) => false,
        };
        let is_word = self.subject == Subject::Text;
        let show = |value: &Value| match value {
            Value::Text(pattern) => text(pattern, is_prose, is_word),
            other => plain(other),
        };
        match &self.test {
            Test::Exists => Ok(()),
            Test::Is(values) => match &values[..] {
                [one] => f.write_str(&show(one)),
                many => {
                    let shown: Vec<String> = many.iter().map(show).collect();
                    write!(f, "({})", shown.join(","))
                }
            },
            Test::Compare(side, value) => write!(f, "{}{}", side.sign(), show(value)),
            Test::Between(low, high) => write!(f, "{}..{}", show(low), show(high)),
        }
    }
}

fn plain(value: &Value) -> String {
    match value {
        Value::Text(pattern) => text(pattern, false, false),
        Value::Word(word) => (*word).to_owned(),
        Value::Id(id) => id.to_string(),
        Value::Number(number) => number.to_string(),
        Value::Size(bytes) => size(*bytes),
        Value::Age(seconds) => moment::length(*seconds),
        Value::Time(time) => time.to_string(),
    }
}

/// A text, in quotes where it must be.
fn text(pattern: &Pattern, is_prose: bool, is_word: bool) -> String {
    let pieces = pattern.pieces();
    let written = pieces.join("*");
    let has_star = pieces.iter().any(|piece| piece.contains('*'));
    let looks_like_more = written.contains("..")
        || written.starts_with(['>', '<'])
        || (is_word
            && (written.starts_with('-')
                || written.contains(':')
                || KEYWORDS.contains(&written.as_str())
                || begins_a_path(&written)));
    let is_plain = !written.is_empty() && !has_star && !written.chars().any(needs_quotes);
    // A star at an end of such a text would be dropped as it is read.
    debug_assert!(!is_prose || pieces.iter().all(|piece| !piece.is_empty()));
    if is_plain && !looks_like_more {
        return written;
    }
    let pieces: Vec<String> =
        pieces.iter().map(|piece| escape(piece).replace('*', "\\*")).collect();
    format!("\"{}\"", pieces.join("*"))
}

fn begins_a_path(word: &str) -> bool {
    super::fields::PATHS.iter().any(|path| {
        word.get(..path.prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(path.prefix))
    })
}

fn needs_quotes(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\\' | '(' | ')' | ',')
}

fn escape(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}
