//! Java's serialisation, taken apart and never made into objects (Java Object Serialization Specification, chapter 6).
//!
//! An object is its fields beside `$class`, and what its class wrote by itself in `$data`. Lists, sets and maps of
//! `java.util` are what they hold, and boxed numbers what is in them. A reference is `{"$reference": number}`.

mod described;
mod modified_utf8;
mod stream;
mod written;

use serde_json::Value;

use self::stream::Stream;

/// The first bytes of every stream.
const MAGIC: [u8; 4] = [0xac, 0xed, 0, 5];

/// Reads bytes that are one stream; several things in it are a list.
pub fn read(bytes: &[u8]) -> Result<Value, String> {
    let bytes = bytes.strip_prefix(&MAGIC).ok_or("it does not begin as one")?;
    let mut values = Stream::new(bytes).read()?;
    Ok(if values.len() == 1 { values.remove(0) } else { Value::Array(values) })
}

#[cfg(test)]
mod tests;
