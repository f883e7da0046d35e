//! The smallest pieces: names, words, quoted texts, paths.

use std::ops::Range;

use winnow::Parser as _;
use winnow::combinator::opt;
use winnow::token::{any, take_while};

use super::input::{Input, Misread, Parsed, at, peek_char, skip_char, took};
use crate::filter::path::{MOST_STEPS, Path};
use crate::filter::pattern::Pattern;

/// A word or a quoted text.
#[derive(Debug, Clone)]
pub(super) struct Lexeme {
    /// As it is meant, without quotes and escapes.
    pub(super) text: String,
    /// The same with its wildcards.
    pub(super) pattern: Pattern,
    /// Whether it stands in quotes.
    pub(super) is_quoted: bool,
    /// Where it stands, in bytes.
    pub(super) span: Range<usize>,
}

impl Lexeme {
    /// A word as it stands.
    pub(super) fn bare(text: &str, span: Range<usize>) -> Self {
        Self {
            text: text.to_owned(),
            pattern: Pattern::with_wildcards(text),
            is_quoted: false,
            span,
        }
    }
}

fn is_plain(c: char) -> bool {
    !c.is_whitespace() && !matches!(c, '(' | ')' | '"')
}

/// A name before a colon, or a word; may be empty.
pub(super) fn name<'a>(input: &mut Input<'a>) -> Parsed<&'a str> {
    take_while(0.., |c| is_plain(c) && c != ':').parse_next(input)
}

/// A value: a word or a quoted text. Within a list a comma ends it too.
pub(super) fn value(input: &mut Input<'_>, is_listed: bool) -> Parsed<Lexeme> {
    let start = at(input);
    if peek_char(input) == Some('"') {
        return quoted(input, if is_listed { &[','] } else { &[] });
    }
    let mut word = take_while(0.., |c| is_plain(c) && !(is_listed && c == ','));
    let word: &str = word.parse_next(input)?;
    let lexeme = Lexeme::bare(word, start..at(input));
    ends_here(input, start)?;
    Ok(lexeme)
}

/// A quote or a parenthesis right after a word is more likely a slip than meant.
pub(super) fn ends_here(input: &mut Input<'_>, start: usize) -> Parsed<()> {
    match peek_char(input) {
        Some('"' | '(') => {
            let why = "a quote or a parenthesis stands right after a word: put all of it in \
                       quotes, and write \\\" for a quote within";
            Err(Misread::new(start, at(input) + 1, why))
        }
        _ => Ok(()),
    }
}

/// `"…"` with `\"`, `\\` and `\*`, the star that is no wildcard. A space, a parenthesis or one of
/// `may_follow` comes after it.
pub(super) fn quoted(input: &mut Input<'_>, may_follow: &[char]) -> Parsed<Lexeme> {
    let start = at(input);
    skip_char(input)?;
    let mut text = String::new();
    let mut pieces = vec![String::new()];
    loop {
        let escaped = match next_char(input)? {
            Some('\\') => next_char(input)?.map(|next| (next, true)),
            Some('"') => {
                let lexeme = Lexeme {
                    text,
                    pattern: Pattern::of_pieces(pieces),
                    is_quoted: true,
                    span: start..at(input),
                };
                closed(input, start, may_follow)?;
                return Ok(lexeme);
            }
            other => other.map(|next| (next, false)),
        };
        let Some((character, is_escaped)) = escaped else {
            let why = "this quote is never closed: add `\"`";
            return Err(Misread::new(start, at(input), why));
        };
        text.push(character);
        if character == '*' && !is_escaped {
            pieces.push(String::new());
        } else if let Some(piece) = pieces.last_mut() {
            piece.push(character);
        }
    }
}

fn next_char(input: &mut Input<'_>) -> Parsed<Option<char>> {
    opt(any).parse_next(input)
}

fn closed(input: &mut Input<'_>, start: usize, may_follow: &[char]) -> Parsed<()> {
    match peek_char(input) {
        Some(c) if (is_plain(c) || c == '"') && !may_follow.contains(&c) => {
            let why = "text follows this quote: put a space between, or write \\\" for a quote \
                within";
            Err(Misread::new(start, at(input), why))
        }
        _ => Ok(()),
    }
}

/// The names of a path: `begun` is what stands before the first quote.
pub(super) fn path(input: &mut Input<'_>, begun: &str, start: usize) -> Parsed<Path> {
    let mut steps: Vec<String> = begun.split('.').map(str::to_owned).collect();
    while peek_char(input) == Some('"') {
        let unfinished = steps.pop();
        let step = quoted(input, &['.', ':'])?;
        if unfinished.is_some_and(|text| !text.is_empty()) {
            let why = "a quote stands right after a name: put all of the name in quotes";
            return Err(Misread::new(step.span.start, step.span.end, why));
        }
        steps.push(step.text);
        if !took(input, '.')? {
            break;
        }
        let more = name(input)?;
        steps.extend(more.split('.').map(str::to_owned));
        if peek_char(input) != Some('"') {
            break;
        }
    }
    let span = start..at(input);
    let fault = |why: String| Misread::new(span.start, span.end, why);
    if steps.iter().any(String::is_empty) {
        let why = "a name is missing in this path: write header.name or body.first.second";
        return Err(fault(why.to_owned()));
    }
    Path::of(steps).ok_or_else(|| fault(format!("a path has at most {MOST_STEPS} names")))
}
