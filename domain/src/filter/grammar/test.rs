//! What stands after `field:`, read as the field's kind wants it.

use winnow::Parser as _;
use winnow::combinator::{alt, opt};

use super::input::{Input, Misread, Parsed, at, peek_char, skip_char, spaces, spend};
use super::lexeme::{self, Lexeme};
use super::prose;
use crate::filter::decimal::Decimal;
use crate::filter::fields::{Field, Kind};
use crate::filter::moment::{Moment, read_length, read_time};
use crate::filter::size::read_size;
use crate::filter::tree::{Comparison, Subject, Test, Value};

/// How values are read: as a field's kind wants it, or as what JSON and headers hold.
#[derive(Debug, Clone, Copy)]
enum Reading {
    Field(&'static str, Kind),
    Json,
}

pub(super) fn test(input: &mut Input<'_>, subject: &Subject, start: usize) -> Parsed<Test> {
    let reading = match subject {
        Subject::Field(field) => Reading::Field(field.info().name, field.kind()),
        Subject::Header(_) | Subject::Body(_) | Subject::Text => Reading::Json,
    };
    if peek_char(input) == Some('(') {
        return list(input, subject, reading);
    }
    let sign_at = at(input);
    if let Some(side) = comparison(input)? {
        if !reading.is_ordered() {
            return Err(Misread::new(sign_at, at(input), reading.no_order()));
        }
        let value = lexeme::value(input, false)?;
        not_empty(&value, subject, start)?;
        return Ok(Test::Compare(side, reading.ordered(&value)?));
    }
    let value = lexeme::value(input, false)?;
    not_empty(&value, subject, start)?;
    if let Some(range) = range(reading, &value)? {
        return Ok(range);
    }
    Ok(Test::Is(vec![reading.value(value)?]))
}

fn comparison(input: &mut Input<'_>) -> Parsed<Option<Comparison>> {
    let [at_least, at_most, above, below] = Comparison::ALL.map(|side| side.sign().value(side));
    opt(alt((at_least, at_most, above, below))).parse_next(input)
}

fn list(input: &mut Input<'_>, subject: &Subject, reading: Reading) -> Parsed<Test> {
    let start = at(input);
    skip_char(input)?;
    if matches!(reading, Reading::Field(_, Kind::Bound)) {
        let why = "this field takes one value, not a list";
        return Err(Misread::new(start, start + 1, why));
    }
    let mut values: Vec<Value> = Vec::new();
    loop {
        spaces(input)?;
        let place = at(input);
        if !values.is_empty() {
            spend(input, place)?;
        }
        let value = lexeme::value(input, true)?;
        not_empty(&value, subject, start)?;
        values.push(reading.value(value)?);
        spaces(input)?;
        match peek_char(input) {
            Some(',') => skip_char(input)?,
            Some(')') => {
                skip_char(input)?;
                return Ok(Test::Is(values));
            }
            Some(_) => {
                let why = "put a comma between the values of a list: field:(a, b)";
                return Err(Misread::new(at(input), at(input) + 1, why));
            }
            None => {
                let why = "this list is never closed: add `)`";
                return Err(Misread::new(start, at(input), why));
            }
        }
    }
}

fn not_empty(value: &Lexeme, subject: &Subject, start: usize) -> Parsed<()> {
    let may_be_empty = value.is_quoted
        && match subject {
            // The default exchange and its friends have empty names.
            Subject::Field(field) => field.kind() == Kind::Name && *field != Field::Source,
            Subject::Header(_) | Subject::Body(_) => true,
            Subject::Text => false,
        };
    if !value.text.is_empty() || may_be_empty {
        return Ok(());
    }
    let name = match subject {
        Subject::Field(field) => field.info().name,
        Subject::Header(_) => "header.…",
        Subject::Body(_) => "body.…",
        Subject::Text => "text",
    };
    let end = value.span.end.max(start + 1);
    let why = format!("`{name}:` has no value: write one right after the colon");
    Err(Misread::new(start, end, why))
}

/// `a..b`, where the kind has an order and both ends can be read.
fn range(reading: Reading, value: &Lexeme) -> Parsed<Option<Test>> {
    let Some((low, high)) = value.text.split_once("..") else {
        return Ok(None);
    };
    if value.is_quoted || !reading.is_ordered() {
        return Ok(None);
    }
    let middle = value.span.start + low.len();
    let low = Lexeme::bare(low, value.span.start..middle);
    let high = Lexeme::bare(high, middle + 2..value.span.end);
    let ends = (reading.ordered(&low), reading.ordered(&high));
    match (ends, reading) {
        ((Ok(low), Ok(high)), _) => Ok(Some(Test::Between(low, high))),
        // Texts may hold two dots.
        (_, Reading::Json) => Ok(None),
        ((Err(fault), _) | (_, Err(fault)), Reading::Field(..)) => Err(fault),
    }
}

impl Reading {
    fn is_ordered(self) -> bool {
        match self {
            Self::Field(_, kind) => kind.is_ordered(),
            Self::Json => true,
        }
    }

    fn no_order(self) -> String {
        match self {
            Self::Field(name, Kind::Bound) => {
                format!("`{name}` takes a time as it is: write {name}:1h, or last_arrived:>=…")
            }
            Self::Field(name, _) => format!(
                "`{name}` has no greater and smaller: write {name}:value, and put a value that \
                 begins with < or > in quotes"
            ),
            Self::Json => String::new(),
        }
    }

    /// A value that is compared.
    fn ordered(self, lexeme: &Lexeme) -> Parsed<Value> {
        match self {
            Self::Field(..) => self.value(lexeme.clone()),
            Self::Json => lexeme.text.parse().map(Value::Number).map_err(|_| {
                let why = format!(
                    "`{}` is not a number, and only numbers are compared: write 42 or -1.5",
                    lexeme.text
                );
                misread(lexeme, why)
            }),
        }
    }

    fn value(self, lexeme: Lexeme) -> Parsed<Value> {
        let Self::Field(name, kind) = self else {
            return Ok(Value::Text(lexeme.pattern));
        };
        let text = lexeme.text.as_str();
        match kind {
            Kind::Name => Ok(Value::Text(lexeme.pattern)),
            Kind::Prose => prose(&lexeme.pattern)
                .map(Value::Text)
                .ok_or_else(|| misread(&lexeme, format!("`{name}:` needs a text to look for"))),
            Kind::Words(words) => words.find(text).map(Value::Word).ok_or_else(|| {
                let listed = words.listed();
                misread(&lexeme, format!("`{text}` is not {}: use {listed}", words.noun))
            }),
            Kind::Id => uuid::Uuid::try_parse(text).map(Value::Id).map_err(|_| {
                let example = "019a0f3e-5a4b-7c2d-8e1f-0123456789ab";
                misread(&lexeme, format!("`{text}` is not an id: ids are UUIDs such as {example}"))
            }),
            Kind::Number => text.parse::<Decimal>().map(Value::Number).map_err(|_| {
                let why = format!("`{text}` is not a number: write {name}:3 or {name}:>3");
                misread(&lexeme, why)
            }),
            Kind::Size => read_size(text).map(Value::Size).ok_or_else(|| {
                let why = format!("`{text}` is not a size: write 512, 64kb or 1.5mb");
                misread(&lexeme, why)
            }),
            Kind::Age => read_length(text).map(Value::Age).ok_or_else(|| {
                let why = format!("`{text}` is not a length of time: write 90s, 15m, 1h, 7d or 2w");
                misread(&lexeme, why)
            }),
            Kind::Time => read_time(text)
                .map(Value::Time)
                .ok_or_else(|| misread(&lexeme, no_time(name, text))),
            Kind::Bound => Moment::read(text).map(Value::Time).ok_or_else(|| {
                let why = format!(
                    "`{text}` is not a time: write 15m, 1h, 7d or a time such as \
                     2026-11-21T03:00:00Z"
                );
                misread(&lexeme, why)
            }),
        }
    }
}

fn no_time(name: &str, text: &str) -> String {
    let age = if name == "first_arrived" { "first_age" } else { "age" };
    if read_length(text).is_some() {
        return format!("`{text}` is a length of time, and `{name}` a time: write {age}:<{text}");
    }
    format!("`{text}` is not a time: write 2026-11-21 or 2026-11-21T03:00:00Z")
}

fn misread(lexeme: &Lexeme, why: String) -> Misread {
    Misread::new(lexeme.span.start, lexeme.span.end, why)
}
