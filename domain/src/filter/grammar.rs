//! The grammar: text to tree, with the place of what cannot be read.
//!
//! ```text
//! filter  = any
//! any     = all ("OR" all)*
//! all     = one ("AND"? one)*
//! one     = ("NOT" | "-") one | "(" any ")" | "has:" subject | subject ":" test | phrase | word
//! test    = value | "(" value ("," value)* ")" | (">" | ">=" | "<" | "<=") value | value ".." value
//! ```
//!
//! Text comes from anybody: its length, its depth and its terms are bounded, and nothing panics.

mod input;
mod lexeme;
mod test;

use super::fault::FilterFault;
use super::fields::{FIELDS, Field, PATHS};
use super::pattern::Pattern;
use super::tree::{Expr, Subject, Term, Test, Value};
use input::{
    Input, Misread, Parsed, at, check_bounds, deeper, open, peek_char, sees_keyword, skip_char,
    spaces, spend, took, took_keyword,
};
use lexeme::Lexeme;

/// The longest text of a filter, in bytes.
pub const MOST_BYTES: usize = 4 * 1024;
/// The most values in a filter, those of lists one by one.
pub const MOST_TERMS: usize = 100;
/// The most parentheses and negations around a term.
pub const MOST_DEPTH: usize = 20;

/// Reads a filter; nothing when the text is blank.
pub(super) fn parse(text: &str) -> Result<Option<Expr>, FilterFault> {
    let fault = |misread: Misread| FilterFault::new(text, misread.start..misread.end, misread.why);
    check_bounds(text).map_err(fault)?;
    if text.trim().is_empty() {
        return Ok(None);
    }
    let mut input = open(text);
    let root = disjunction(&mut input).map_err(fault)?;
    if peek_char(&mut input) == Some(')') {
        let start = at(&input);
        let why = "unmatched parenthesis: remove it, or put it in quotes";
        return Err(fault(Misread::new(start, start + 1, why)));
    }
    Ok(Some(root))
}

/// Reads what stands after `field:`, and nothing else.
pub(super) fn parse_test(field: Field, text: &str) -> Result<Test, FilterFault> {
    let fault = |misread: Misread| FilterFault::new(text, misread.start..misread.end, misread.why);
    check_bounds(text).map_err(fault)?;
    let mut input = open(text);
    let read = test::test(&mut input, &Subject::Field(field), 0).map_err(fault)?;
    spaces(&mut input).map_err(fault)?;
    if peek_char(&mut input).is_none() {
        return Ok(read);
    }
    let name = field.info().name;
    let why = format!("one value too many: give one value of `{name}`");
    Err(fault(Misread::new(at(&input), text.len(), why)))
}

fn disjunction(input: &mut Input<'_>) -> Parsed<Expr> {
    let mut branches = vec![conjunction(input)?];
    while took_keyword(input, "OR")? {
        branches.push(conjunction(input)?);
    }
    let start = at(input);
    Expr::any(branches).ok_or_else(|| Misread::new(start, start, "this condition is empty"))
}

fn conjunction(input: &mut Input<'_>) -> Parsed<Expr> {
    let mut parts = vec![one(input)?];
    loop {
        spaces(input)?;
        if matches!(peek_char(input), None | Some(')')) || sees_keyword(input, "OR") {
            break;
        }
        took_keyword(input, "AND")?;
        parts.push(one(input)?);
    }
    let start = at(input);
    Expr::all(parts).ok_or_else(|| Misread::new(start, start, "this condition is empty"))
}

fn one(input: &mut Input<'_>) -> Parsed<Expr> {
    spaces(input)?;
    let start = at(input);
    match peek_char(input) {
        None => Err(Misread::new(
            start,
            start,
            "the filter ends where a term should follow: add one, or remove the last word",
        )),
        Some(')') => {
            Err(Misread::new(start, start + 1, "a term is missing before this parenthesis"))
        }
        Some('-') => {
            skip_char(input)?;
            if peek_char(input).is_none_or(char::is_whitespace) {
                let why = "a minus stands right before what must not hold: -field:value";
                return Err(Misread::new(start, start + 1, why));
            }
            deeper(input, start, one).map(|inner| Expr::Not(Box::new(inner)))
        }
        Some('(') => {
            skip_char(input)?;
            let inner = deeper(input, start, disjunction)?;
            if peek_char(input) != Some(')') {
                let why = "this parenthesis is never closed: add `)`, or put it in quotes";
                return Err(Misread::new(start, start + 1, why));
            }
            skip_char(input)?;
            Ok(inner)
        }
        Some(_) if took_keyword(input, "NOT")? => {
            deeper(input, start, one).map(|inner| Expr::Not(Box::new(inner)))
        }
        Some(_) => {
            for operator in ["AND", "OR"] {
                if took_keyword(input, operator)? {
                    let why = format!(
                        "`{operator}` needs a term on either side: add one, or write \"{operator}\" for the word"
                    );
                    return Err(Misread::new(start, at(input), why));
                }
            }
            term(input).map(Expr::Term)
        }
    }
}

fn term(input: &mut Input<'_>) -> Parsed<Term> {
    let start = at(input);
    spend(input, start)?;
    if peek_char(input) == Some('"') {
        let phrase = lexeme::quoted(input, &[])?;
        return free_text(&phrase);
    }
    let name = lexeme::name(input)?;
    if name.eq_ignore_ascii_case("has") && took(input, ':')? {
        let from = at(input);
        let name = lexeme::name(input)?;
        let subject = subject(input, name, from)?;
        return Ok(Term { subject, test: Test::Exists });
    }
    let is_path = PATHS.iter().any(|path| begins_with(name, path.prefix));
    if peek_char(input) != Some(':') && !is_path {
        let word = Lexeme::bare(name, start..at(input));
        lexeme::ends_here(input, start)?;
        return free_text(&word);
    }
    let subject = subject(input, name, start)?;
    if !took(input, ':')? {
        let why = "a value is missing: write header.name:value or body.name:value";
        return Err(Misread::new(start, at(input), why));
    }
    let test = test::test(input, &subject, start)?;
    Ok(Term { subject, test })
}

fn begins_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
}

/// What a name leads to. A path's name may go on in quotes.
fn subject(input: &mut Input<'_>, name: &str, start: usize) -> Parsed<Subject> {
    if let Some(field) = Field::named(name) {
        return Ok(Subject::Field(field));
    }
    for (place, path) in PATHS.iter().enumerate() {
        if begins_with(name, path.prefix) {
            let path = lexeme::path(input, &name[path.prefix.len()..], start)?;
            return Ok(match place {
                0 => Subject::Header(path),
                _ => Subject::Body(path),
            });
        }
    }
    let end = at(input).max(start + 1);
    Err(Misread::new(start, end, no_field(name)))
}

fn no_field(name: &str) -> String {
    if name.is_empty() {
        return "the field name is missing before the colon: write field:value".to_owned();
    }
    if ["header", "body"].iter().any(|one| name.eq_ignore_ascii_case(one)) {
        return format!("a name is missing: write {name}.name:value");
    }
    let usual: Vec<&str> = FIELDS.iter().take(9).map(|info| info.name).collect();
    format!(
        "there is no field `{name}`: use {}, header.name, body.name or another that the help \
         names; to look for this text, put it in quotes",
        usual.join(", ")
    )
}

fn free_text(lexeme: &Lexeme) -> Parsed<Term> {
    let (start, end) = (lexeme.span.start, lexeme.span.end);
    let pattern = prose(&lexeme.pattern)
        .ok_or_else(|| Misread::new(start, end, "there is no text to search for"))?;
    Ok(Term { subject: Subject::Text, test: Test::Is(vec![Value::Text(pattern)]) })
}

/// Wildcards at the ends say nothing of a part of a text.
fn prose(pattern: &Pattern) -> Option<Pattern> {
    let pieces = pattern.pieces().iter().filter(|piece| !piece.is_empty());
    let pieces: Vec<String> = pieces.cloned().collect();
    (!pieces.is_empty()).then(|| Pattern::of_pieces(pieces))
}
