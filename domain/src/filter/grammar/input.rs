//! The text as it is read: its bounds, the place in it, and what cannot be read.

use winnow::Parser as _;
use winnow::combinator::{alt, eof, opt, peek};
use winnow::error::ParserError;
use winnow::stream::{LocatingSlice, Location as _, Stateful};
use winnow::token::{any, take_while};

use super::{MOST_BYTES, MOST_DEPTH, MOST_TERMS};

pub(super) type Input<'a> = Stateful<LocatingSlice<&'a str>, Spent>;
pub(super) type Parsed<T> = Result<T, Misread>;

/// What of the bounds is used up.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Spent {
    depth: usize,
    terms: usize,
}

/// What cannot be read: from one byte to another, and why.
#[derive(Debug, Clone)]
pub(super) struct Misread {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) why: String,
}

impl ParserError<Input<'_>> for Misread {
    type Inner = Self;

    fn from_input(input: &Input<'_>) -> Self {
        let start = at(input);
        Self::new(start, start + 1, "this cannot be read: put it in quotes")
    }

    fn into_inner(self) -> Result<Self, Self> {
        Ok(self)
    }
}

impl Misread {
    pub(super) fn new(start: usize, end: usize, why: impl Into<String>) -> Self {
        Self { start, end, why: why.into() }
    }
}

pub(super) fn open(text: &str) -> Input<'_> {
    Stateful { input: LocatingSlice::new(text), state: Spent::default() }
}

pub(super) fn check_bounds(text: &str) -> Parsed<()> {
    if let Some(place) = text.find('\0') {
        let why = "there is a NUL character: remove it";
        return Err(Misread::new(place, place + 1, why));
    }
    if text.len() > MOST_BYTES {
        let why = format!("the filter has more than {MOST_BYTES} bytes: shorten it");
        return Err(Misread::new(MOST_BYTES, text.len(), why));
    }
    Ok(())
}

pub(super) fn at(input: &Input<'_>) -> usize {
    input.input.current_token_start()
}

pub(super) fn peek_char(input: &mut Input<'_>) -> Option<char> {
    let seen: Parsed<Option<char>> = peek(opt(any)).parse_next(input);
    seen.ok().flatten()
}

pub(super) fn skip_char(input: &mut Input<'_>) -> Parsed<()> {
    any.void().parse_next(input)
}

/// Goes past a character, if it is the next one.
pub(super) fn took(input: &mut Input<'_>, character: char) -> Parsed<bool> {
    let found: Option<char> = opt(character).parse_next(input)?;
    Ok(found.is_some())
}

pub(super) fn spaces(input: &mut Input<'_>) -> Parsed<()> {
    take_while(0.., char::is_whitespace).void().parse_next(input)
}

/// `AND`, `OR` or `NOT` as a word of its own.
pub(super) fn keyword(input: &mut Input<'_>, word: &'static str) -> Parsed<()> {
    let ends = alt((
        eof.void(),
        any.verify(|c: &char| c.is_whitespace() || matches!(c, '(' | ')' | '"')).void(),
    ));
    (word, peek(ends)).void().parse_next(input)
}

pub(super) fn took_keyword(input: &mut Input<'_>, word: &'static str) -> Parsed<bool> {
    let found: Option<()> = opt(|input: &mut Input<'_>| keyword(input, word)).parse_next(input)?;
    Ok(found.is_some())
}

pub(super) fn sees_keyword(input: &mut Input<'_>, word: &'static str) -> bool {
    let seen: Parsed<()> = peek(|input: &mut Input<'_>| keyword(input, word)).parse_next(input);
    seen.is_ok()
}

pub(super) fn deeper<'a, T>(
    input: &mut Input<'a>,
    start: usize,
    inner: fn(&mut Input<'a>) -> Parsed<T>,
) -> Parsed<T> {
    input.state.depth += 1;
    if input.state.depth > MOST_DEPTH {
        let why = format!("more than {MOST_DEPTH} parentheses and negations within each other");
        return Err(Misread::new(start, start + 1, why));
    }
    let read = inner(input)?;
    input.state.depth -= 1;
    Ok(read)
}

pub(super) fn spend(input: &mut Input<'_>, start: usize) -> Parsed<()> {
    input.state.terms += 1;
    if input.state.terms > MOST_TERMS {
        let why = format!("the filter has more than {MOST_TERMS} values: shorten it");
        return Err(Misread::new(start, start + 1, why));
    }
    Ok(())
}
