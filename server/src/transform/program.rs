//! A jq program: read once, asked of one value after the other. Only a worker does this.
//!
//! The program gets the functions of jq that look at their input, and none that reaches out: no
//! environment, no files, no modules, no further input, no way to end the process. Numbers that it
//! does not touch come out as they went in, digit by digit.

use std::io::Write;

use jaq_core::load::{Arena, File, Loader};
use jaq_core::{Compiler, Ctx, Native, Vars, compile, data, load, unwrap_valr};
use jaq_json::{Val, read, write};

use super::{MOST_UNPACKED_BYTES, strict, too_large};

/// Functions that are left out: they reach out of the program, or end it.
const LEFT_OUT: [&str; 13] = [
    "env",
    "halt",
    "halt_error",
    "debug",
    "debug_empty",
    "stderr",
    "stderr_empty",
    "localtime",
    "strflocaltime",
    // Not there in any case; named so that a fault can say so.
    "input",
    "inputs",
    "input_filename",
    "$ENV",
];

/// What some senders write before a text in UTF-8 (a byte order mark).
const MARK: &[u8] = b"\xef\xbb\xbf";

/// A program that can be asked.
pub(super) struct Program(compile::Filter<Native<Data>>);

type Data = data::JustLut<Val>;

/// What a program makes of a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// The same value.
    Same,
    /// Another one, as JSON without spaces.
    Changed(Vec<u8>),
}

/// Why a program cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    /// What is wrong.
    pub why: String,
    /// Where it begins, in characters from 0.
    pub position: usize,
    /// How many characters it has.
    pub length: usize,
}

impl Program {
    /// Reads a program.
    pub(super) fn read(text: &str) -> Result<Self, Fault> {
        // jq takes one in a comment; Postgres, which keeps the program, takes none anywhere.
        if let Some(at) = text.find('\0') {
            let why = "it holds a NUL character: remove it".to_owned();
            return Err(fault(text, Some((why, &text[at..=at]))));
        }
        let kept = |name: &str| !LEFT_OUT.contains(&name);
        let defs = jaq_core::defs()
            .chain(jaq_std::defs())
            .chain(jaq_json::defs())
            .filter(|def| kept(def.name));
        let funs = jaq_core::funs::<Data>()
            .chain(jaq_std::funs::<Data>())
            .chain(jaq_json::funs::<Data>())
            .filter(|(name, ..)| kept(name));
        let arena = Arena::default();
        let file = File { code: text, path: () };
        let modules =
            Loader::new(defs).load(&arena, file).map_err(|errors| of_reading(text, errors))?;
        let no_data = |_: load::Import<&str, ()>| Err("nothing can be imported".to_owned());
        load::import(&modules, no_data).map_err(|errors| of_reading(text, errors))?;
        Compiler::default()
            .with_funs(funs)
            .compile(modules)
            .map(Self)
            .map_err(|errors| of_names(text, errors))
    }

    /// Asks the program of one JSON value; it must answer with exactly one. A mark of UTF-8 before it is
    /// no part of the value, and stays.
    pub(super) fn ask(&self, body: &[u8]) -> Result<Asked, String> {
        let Some(value) = body.strip_prefix(MARK) else {
            return self.ask_value(body);
        };
        Ok(match self.ask_value(value)? {
            Asked::Same => Asked::Same,
            Asked::Changed(after) => Asked::Changed([MARK, &after].concat()),
        })
    }

    fn ask_value(&self, body: &[u8]) -> Result<Asked, String> {
        strict::check(body).map_err(|why| format!("its body is not valid JSON: {why}"))?;
        let value =
            read::parse_single(body).map_err(|why| format!("its body is not valid JSON: {why}"))?;
        let before = written(&value)?;
        let context = Ctx::<Data>::new(&self.0.lut, Vars::new([]));
        let mut answers = self.0.id.run((context, value)).map(unwrap_valr);
        let after = match answers.next() {
            None => return Err("the jq program gives nothing for it".to_owned()),
            Some(Err(why)) => return Err(format!("the jq program fails: {}", shortened(&why))),
            Some(Ok(value)) => written(&value)?,
        };
        match answers.next() {
            None => {}
            Some(Err(why)) => return Err(format!("the jq program fails: {}", shortened(&why))),
            Some(Ok(_)) => return Err("the jq program gives more than one value for it".to_owned()),
        }
        if before == after {
            return Ok(Asked::Same);
        }
        strict::check(&after).map_err(|why| format!("the jq program gives invalid JSON: {why}"))?;
        Ok(Asked::Changed(after))
    }
}

fn shortened(why: &impl ToString) -> String {
    let text = why.to_string();
    let mut short: String = text.chars().take(300).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    // Postgres keeps no NUL in a text.
    short.replace('\0', "\u{fffd}")
}

fn written(value: &Val) -> Result<Vec<u8>, String> {
    let mut text = Bounded(Vec::new());
    write::write(&mut text, &write::Pp::default(), 0, value)
        .map_err(|_| format!("what the jq program gives is too large: {}", too_large()))?;
    Ok(text.0)
}

/// Takes no more than a body may have.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0.len() + bytes.len() > MOST_UNPACKED_BYTES {
            return Err(std::io::Error::other("too large"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn of_reading(text: &str, errors: load::Errors<&str, ()>) -> Fault {
    let first = errors.into_iter().next().and_then(|(_, error)| match error {
        load::Error::Io(faults) => faults.into_iter().next().map(|(path, _)| {
            let why = "modules and data cannot be imported here".to_owned();
            (why, path)
        }),
        load::Error::Lex(faults) => faults.into_iter().next().map(|(expected, found)| {
            let end = found.chars().next().map_or(0, char::len_utf8);
            (format!("expected {}", expected.as_str()), &found[..end])
        }),
        load::Error::Parse(faults) => faults
            .into_iter()
            .next()
            .map(|(expected, found)| (format!("expected {}", expected.as_str()), found)),
    });
    fault(text, first)
}

fn of_names(text: &str, errors: compile::Errors<&str, ()>) -> Fault {
    let first = errors.into_iter().flat_map(|(_, faults)| faults).next();
    let first = first.map(|(found, undefined)| {
        let why = if LEFT_OUT.contains(&found) {
            format!("`{found}` is not available here")
        } else {
            format!("there is no {} `{found}`", undefined.as_str())
        };
        (why, found)
    });
    fault(text, first)
}

/// A fault at a part of the text.
fn fault(text: &str, found: Option<(String, &str)>) -> Fault {
    let (why, found) = found.unwrap_or_else(|| ("it cannot be read".to_owned(), ""));
    let start = text.as_ptr().addr();
    let place = found.as_ptr().addr().checked_sub(start);
    let characters = |part: &str| part.chars().count();
    match place.and_then(|at| Some((text.get(..at)?, text.get(at..at + found.len())?))) {
        Some((before, part)) => {
            Fault { why, position: characters(before), length: characters(part) }
        }
        None => Fault { why, position: characters(text), length: 0 },
    }
}

#[cfg(test)]
mod tests;
