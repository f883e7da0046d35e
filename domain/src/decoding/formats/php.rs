//! What PHP's `serialize` writes, taken apart and never made into objects.
//!
//! A list is an array whose keys count from 0 on. An object is its members beside `$class`, and says which of them are
//! `$private` or `$protected`; a member of an ancestor has its class before its name. A reference is
//! `{"$reference": number}`.

mod parsing;
mod telling;
mod writing;

use std::borrow::Cow;

use serde_json::Value;

pub use writing::write;

/// A value as it is serialised.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Serialized {
    Null,
    Bool(bool),
    Integer(i64),
    /// A float, as it is written.
    Float(String),
    Text(Vec<u8>),
    /// A case of an enum, behind its name.
    Enum(Vec<u8>),
    /// A value that stands elsewhere: by `r` as an object, by `R` as the same variable.
    Reference(u8, u32),
    Array(Vec<(Serialized, Serialized)>),
    /// An object with the name of its class.
    Object(Vec<u8>, Vec<(Serialized, Serialized)>),
    /// An object whose class wrote it by itself.
    Own(Vec<u8>, Vec<u8>),
}

/// Reads bytes that are one value and nothing else, also with the slashes that `addslashes` puts in: Symfony's
/// `PhpSerializer` writes them.
pub fn read(bytes: &[u8]) -> Result<Value, String> {
    plain(bytes).map(|(value, _)| value.told())
}

/// Whether bytes that nobody calls so begin as an array or an object.
pub fn may_begin(bytes: &[u8]) -> bool {
    matches!(bytes, [b'a' | b'O', b':', b'0'..=b'9', ..])
}

/// The value that bytes are, and whether slashes were put into them.
fn plain(bytes: &[u8]) -> Result<(Serialized, bool), String> {
    parsing::parse(bytes).map(|value| (value, false)).or_else(|why| {
        let has_slashes = bytes.windows(2).any(|two| two == b"\\\"");
        if !has_slashes {
            return Err(why);
        }
        parsing::parse(&without_slashes(bytes)).map(|value| (value, true))
    })
}

/// What PHP's `stripslashes` makes of bytes.
fn without_slashes(bytes: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(bytes.len());
    let mut bytes = bytes.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => plain.extend(bytes.next().map(|next| if *next == b'0' { 0 } else { *next })),
            other => plain.push(*other),
        }
    }
    plain
}

/// What PHP's `addslashes` makes of bytes.
fn with_slashes(bytes: &[u8]) -> Vec<u8> {
    let mut slashed = Vec::with_capacity(bytes.len());
    for byte in bytes {
        let sign = if *byte == 0 { b'0' } else { *byte };
        if matches!(byte, 0 | b'\'' | b'"' | b'\\') {
            slashed.push(b'\\');
        }
        slashed.push(sign);
    }
    slashed
}

/// The name of a member without its signs of visibility, and which of them it has: `private` or `protected`. A private
/// member of an ancestor has its class before its name.
fn visible<'a>(class: &str, name: &'a str) -> (Cow<'a, str>, Option<&'static str>) {
    match name.strip_prefix('\0').and_then(|name| name.split_once('\0')) {
        None => (Cow::Borrowed(name), None),
        Some(("*", name)) => (Cow::Borrowed(name), Some(PROTECTED)),
        Some((of, name)) if of == class => (Cow::Borrowed(name), Some(PRIVATE)),
        Some((of, name)) => (Cow::Owned(format!("{of}::{name}")), Some(PRIVATE)),
    }
}

const CLASS: &str = "$class";
const PRIVATE: &str = "$private";
const PROTECTED: &str = "$protected";
const OWN: &str = "$serialized";
const REFERENCE: &str = "$reference";
const ENUM: &str = "$enum";

#[cfg(test)]
mod tests;
