//! What stands before a message and names its schema: Avro's single-object encoding (specification 1.12), and what
//! clients of schema registries write (Confluent's wire format: 0, the number of the schema, and for Protobuf which
//! message of it; Apicurio's, where the number has eight bytes; AWS Glue's: 3, how the rest is packed, and the UUID of
//! the schema's version).

use uuid::{Uuid, Version};

use super::coding;
use super::document::is_json;
use super::formats::avro;
use super::formats::protobuf::is_text;
use super::known_types::KnownTypes;
use super::message::avro::best_bits;
use super::message::protobuf::is_message;
use super::registry::RegisteredType;
use super::step::Format;

/// What Avro's single-object encoding begins with.
const SINGLE_OBJECT: [u8; 2] = [0xc3, 0x01];

/// What AWS Glue's clients begin with: the version of their header.
const GLUE: u8 = 3;

/// What stands behind that where the rest is not packed, and where it is, by zlib.
const GLUE_PLAIN: u8 = 0;
const GLUE_ZLIB: u8 = 5;

/// Numbers that say which message of a schema it is, at most: messages within messages.
const MOST_INDEXES: i64 = 16;

/// The numbers that registries give: they count from 1 on.
const REGISTERED: std::ops::RangeInclusive<u32> = 1..=0x00ff_ffff;

/// What a frame is worth as evidence, in bits: its first byte, and a number that is not large.
const FRAME: f64 = 16.0;

/// What stands before a message.
#[derive(Debug, Clone)]
pub(super) struct Frame<'a> {
    /// How it is written.
    pub(super) format: Format,
    /// What it says, for people.
    pub(super) detail: String,
    /// How many bytes it has.
    pub(super) bytes: usize,
    /// What is known of the message by it.
    pub(super) known: KnownTypes<'a>,
}

impl<'a> Frame<'a> {
    /// The frame that bytes begin with; `None` if there is none, or nothing shows that it is one.
    ///
    /// # Errors
    /// Returns a sentence if it is one whose schema is not known.
    pub(super) fn of(
        known: KnownTypes<'a>,
        bytes: &[u8],
        is_whole: bool,
    ) -> Result<Option<Self>, String> {
        if let Some(rest) = bytes.strip_prefix(&SINGLE_OBJECT)
            && let Some((fingerprint, message)) = rest.split_first_chunk::<8>()
            && !message.is_empty()
        {
            return single_object(known, u64::from_le_bytes(*fingerprint)).map(Some);
        }
        if let Some(frame) = glue(known, bytes, is_whole) {
            return Ok(Some(frame));
        }
        let Some((number, behind)) = numbered(bytes) else { return Ok(None) };
        let told = known.registered(number);
        let Some((known, message)) = told
            .and_then(|told| told_behind(known, told, behind))
            .or_else(|| likely_behind(known.framed(), bytes, behind, is_whole))
        else {
            return Ok(None);
        };
        let frame = Self {
            format: Format::RegistryFrame,
            detail: format!("schema {number}"),
            bytes: bytes.len() - message.len(),
            known,
        };
        Ok(Some(frame))
    }
}

fn single_object(known: KnownTypes<'_>, fingerprint: u64) -> Result<Frame<'_>, String> {
    // As it stands in the message.
    let written = hex::encode(fingerprint.to_le_bytes());
    let Some(known) = known.with_fingerprint(fingerprint) else {
        return Err(format!(
            "It seems to be Avro, of a schema with the fingerprint {written}, which is not known here: upload it on \
             Schemas."
        ));
    };
    let bytes = SINGLE_OBJECT.len() + size_of::<u64>();
    let detail = format!("fingerprint {written}");
    Ok(Frame { format: Format::SingleObject, detail, bytes, known })
}

/// What AWS Glue's clients write, where something shows that it is that: the registry itself is not asked.
fn glue<'a>(known: KnownTypes<'a>, bytes: &[u8], is_whole: bool) -> Option<Frame<'a>> {
    let (&[GLUE, packing @ (GLUE_PLAIN | GLUE_ZLIB)], rest) = bytes.split_first_chunk::<2>()?
    else {
        return None;
    };
    let (version, behind) = rest.split_first_chunk::<16>()?;
    let version = Uuid::from_bytes(*version);
    if version.get_version() != Some(Version::Random) || behind.is_empty() {
        return None;
    }
    let known = if packing == GLUE_ZLIB {
        let is_zlib = coding::by_magic(behind) == Some(Format::Zlib);
        is_zlib.then(|| known.framed())?
    } else {
        let known = known.framed();
        let is_avro = best_bits(known, behind).is_some();
        let is_likely = if is_whole {
            is_json(behind) || is_avro || (!is_text(behind) && is_message(known, behind))
        } else {
            begins_json(behind)
        };
        is_likely.then_some(known)?
    };
    let bytes = bytes.len() - behind.len();
    Some(Frame { format: Format::RegistryFrame, detail: format!("schema {version}"), bytes, known })
}

/// The number of a schema that bytes begin with as a registry's client writes it, in four bytes or in eight, and what
/// stands behind it.
pub(super) fn numbered(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let behind = bytes.strip_prefix(&[0])?;
    let behind = behind.strip_prefix(&[0; 4]).unwrap_or(behind);
    let (number, message) = behind.split_first_chunk::<4>()?;
    let number = u32::from_be_bytes(*number);
    (REGISTERED.contains(&number) && !message.is_empty()).then_some((number, message))
}

/// The message behind the number of a schema that the registry told of, with what is known of it; `None` if it is not of
/// that schema.
fn told_behind<'a, 'b>(
    known: KnownTypes<'a>,
    told: &'a RegisteredType,
    behind: &'b [u8],
) -> Option<(KnownTypes<'a>, &'b [u8])> {
    match told {
        RegisteredType::Avro(id) => {
            known.avro()?.read(*id, behind).ok()?;
            Some((known.with_avro(id), behind))
        }
        RegisteredType::Protobuf(types) => {
            let placed = Placed::read(behind)?;
            Some((known.with_protobuf(*types.get(&placed.place)?), placed.message))
        }
        RegisteredType::Json => is_json(behind).then_some((known, behind)),
    }
}

/// The message behind a number that nobody knows, where something shows that it is one.
fn likely_behind<'a, 'b>(
    known: KnownTypes<'a>,
    bytes: &[u8],
    behind: &'b [u8],
    is_whole: bool,
) -> Option<(KnownTypes<'a>, &'b [u8])> {
    if !is_whole {
        return begins_json(behind).then_some((known, behind));
    }
    if is_json(behind) || avro_is_likelier(known, bytes, behind) {
        return Some((known, behind));
    }
    let message = Placed::read(behind)?.message;
    (!is_text(message) && is_message(known, message)).then_some((known, message))
}

/// A message of Protobuf behind the number of its schema.
struct Placed<'a> {
    /// Which of the schema's message types it is of: the place of an outermost one, and of one within it, and so on.
    place: Vec<i64>,
    message: &'a [u8],
}

impl<'a> Placed<'a> {
    fn read(bytes: &'a [u8]) -> Option<Self> {
        let mut bytes = avro::Bytes(bytes);
        let count = bytes.long().ok()?;
        if !(0..=MOST_INDEXES).contains(&count) {
            return None;
        }
        let mut place = Vec::new();
        for _ in 0..count {
            place.push(bytes.long().ok().filter(|index| *index >= 0)?);
        }
        if place.is_empty() {
            // 0 stands for one number that is 0.
            place.push(0);
        }
        (!bytes.0.is_empty()).then_some(Self { place, message: bytes.0 })
    }
}

/// Whether what stands behind a frame is Avro rather than all of it is, without a frame.
fn avro_is_likelier(known: KnownTypes<'_>, bytes: &[u8], message: &[u8]) -> bool {
    best_bits(known, message)
        .is_some_and(|bits| best_bits(known, bytes).is_none_or(|unframed| bits + FRAME >= unframed))
}

fn begins_json(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['))
}
