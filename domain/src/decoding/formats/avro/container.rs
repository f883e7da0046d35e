//! Object container files.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::Crc;
use flate2::read::DeflateDecoder;
use serde_json::Value;

use super::binary::Bytes;
use super::schema::Schema;
use super::writing;
use crate::decoding::coding::{self, Packed};
use crate::decoding::formats::{BYTES_BEHIND, Gauge};
use crate::decoding::layer::Layer;
use crate::decoding::step::Format;

/// What each begins with.
pub const MAGIC: [u8; 4] = *b"Obj\x01";

/// The bytes that stand behind each block.
const SYNC_BYTES: usize = 16;

/// The checksum behind each block of Snappy.
const CHECKSUM_BYTES: usize = 4;

/// The most that the blocks of one file are unpacked to, in bytes.
const MOST_BLOCK_BYTES: usize = 16 * 1024 * 1024;

const TOO_LARGE: &str = "its blocks have more than 16 MiB";

/// What a file has in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Container {
    /// Its value where it has one, as a message has; else the list of them.
    pub value: Value,
    /// The full name of the type of its values, if that has one.
    pub name: Option<String>,
}

/// Reads a file.
///
/// # Errors
/// Returns why it cannot be read.
pub fn read(bytes: &[u8]) -> Result<Container, String> {
    let mut bytes = Bytes(bytes);
    if bytes.take(MAGIC.len())? != MAGIC {
        return Err("it does not begin as a container of Avro".to_owned());
    }
    let head = Head::read(&mut bytes)?;
    let schema = Schema::read(head.schema.ok_or("it has no schema")?)?;
    let sync = bytes.take(SYNC_BYTES)?;
    let mut gauge = Gauge::default();
    let mut values = Vec::new();
    let mut left = MOST_BLOCK_BYTES;
    while !bytes.0.is_empty() {
        let count = bytes.long()?;
        let block = unpack(head.codec, bytes.counted()?, left)?;
        left = left.checked_sub(block.len()).ok_or(TOO_LARGE)?;
        let mut block = Bytes(&block);
        for _ in 0..count {
            values.push(block.value(&schema, schema.root(), &mut gauge)?);
        }
        if !block.0.is_empty() {
            return Err(BYTES_BEHIND.to_owned());
        }
        if bytes.take(SYNC_BYTES)? != sync {
            return Err("a block does not end as its beginning says".to_owned());
        }
    }
    let value = match <[Value; 1]>::try_from(values) {
        Ok([value]) => value,
        Err(values) => Value::Array(values),
    };
    let name = schema.name(schema.root()).map(ToOwned::to_owned);
    Ok(Container { value, name })
}

/// Writes other values in the place of those of a file, by the same schema, in one block.
///
/// # Errors
/// Returns why that cannot be done.
pub fn write(original: &[u8], after: &Value) -> Result<Vec<u8>, String> {
    let mut bytes = Bytes(original);
    bytes.take(MAGIC.len())?;
    let head = Head::read(&mut bytes)?;
    let schema = Schema::read(head.schema.ok_or("it has no schema")?)?;
    let sync = bytes.take(SYNC_BYTES)?;
    let mut written = original[..original.len() - bytes.0.len()].to_vec();
    let mut before = Vec::new();
    let mut count = 0;
    while !bytes.0.is_empty() {
        count += bytes.long()?;
        before.extend(&*unpack(head.codec, bytes.counted()?, MOST_BLOCK_BYTES - before.len())?);
        bytes.take(SYNC_BYTES)?;
    }
    let count = usize::try_from(count).map_err(|why| why.to_string())?;
    let after = if count == 1 {
        std::slice::from_ref(after)
    } else {
        after.as_array().map_or(&[][..], Vec::as_slice)
    };
    if after.is_empty() {
        return Err(
            "it has several values, and would have none: it must stay a list of them".to_owned()
        );
    }
    let block = writing::write_items(&schema, &before, count, after)?;
    writing::write_count(after.len(), &mut written);
    writing::write_counted(&pack(head.codec, &block)?, &mut written);
    written.extend(sync);
    Ok(written)
}

/// What a file says of itself.
#[derive(Debug, Default)]
struct Head<'a> {
    schema: Option<&'a [u8]>,
    codec: &'a [u8],
}

impl<'a> Head<'a> {
    fn read(bytes: &mut Bytes<'a>) -> Result<Self, String> {
        let mut head = Self::default();
        loop {
            let count = bytes.long()?;
            if count == 0 {
                return Ok(head);
            }
            if count < 0 {
                bytes.long()?;
            }
            for _ in 0..count.unsigned_abs() {
                let (name, value) = (bytes.counted()?, bytes.counted()?);
                match name {
                    b"avro.schema" => head.schema = Some(value),
                    b"avro.codec" => head.codec = value,
                    _ => {}
                }
            }
        }
    }
}

/// Unpacks a block to at most so many bytes.
fn unpack<'a>(codec: &[u8], block: &'a [u8], most: usize) -> Result<Cow<'a, [u8]>, String> {
    let unpacked = match codec {
        b"" | b"null" => return Ok(Cow::Borrowed(block)),
        b"deflate" => {
            let mut plain = Vec::new();
            let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
            let read = DeflateDecoder::new(block).take(limit).read_to_end(&mut plain);
            read.map_err(|why| format!("a block cannot be unpacked: {why}"))?;
            plain
        }
        b"snappy" => {
            let block = block.len().checked_sub(CHECKSUM_BYTES).map(|end| &block[..end]);
            opened(Format::Snappy, block.unwrap_or_default(), most)?
        }
        b"zstandard" => opened(Format::Zstd, block, most)?,
        other => {
            let name = String::from_utf8_lossy(other);
            return Err(format!("its codec `{name}` is not known"));
        }
    };
    Ok(Cow::Owned(unpacked))
}

/// Packs a block as its codec wants it.
fn pack(codec: &[u8], block: &[u8]) -> Result<Vec<u8>, String> {
    match codec {
        b"deflate" => Layer::Deflate.pack(block),
        b"snappy" => {
            let mut checksum = Crc::new();
            checksum.update(block);
            Ok([Layer::SnappyBlock.pack(block)?, checksum.sum().to_be_bytes().to_vec()].concat())
        }
        b"zstandard" => Layer::Zstd.pack(block),
        _ => Ok(block.to_vec()),
    }
}

fn opened(format: Format, bytes: &[u8], most: usize) -> Result<Vec<u8>, String> {
    let (_, opened) = coding::open(format, Packed { bytes, is_whole: true, most })?;
    if opened.is_whole { Ok(opened.bytes) } else { Err(TOO_LARGE.to_owned()) }
}
