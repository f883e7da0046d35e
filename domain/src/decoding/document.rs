//! Bytes with a structure: which format they are in, by which evidence, and what they say.

use serde_json::Value;

use super::envelope::Envelope;
use super::formats::avro::AvroId;
use super::formats::protobuf::MessageId;
use super::formats::{avro, cbor, form, is_text, java, json, msgpack, ndjson, php, pickle, xml};
use super::labels::Labels;
use super::message;
use super::step::{Certainty, Evidence, Format, Step};

/// Bytes that were read as values.
#[derive(Debug, Clone, PartialEq)]
pub struct Document {
    /// What they are written in, by what that is known, and how many they are.
    pub step: Step,
    /// What they say.
    pub value: Value,
    /// Whether only the outer members are in `value`.
    pub(super) is_outline: bool,
    /// The known message type by which they were read.
    pub(super) type_id: Option<TypeId>,
}

/// A known message type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TypeId {
    Protobuf(MessageId),
    Avro(AvroId),
}

/// What came of reading bytes as values.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Attempt {
    /// What was read; `None` where the bytes have no structure that is known.
    pub document: Option<Document>,
    /// What the sender says that does not hold, as a sentence.
    pub fault: Option<String>,
}

/// How much of JSON is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Extent {
    Whole,
    /// The outer members alone, where that is enough.
    Outline,
}

/// Values, or the outer members of JSON.
struct Read {
    value: Value,
    is_outline: bool,
}

/// Reads bytes, all of a body: as what the sender says, else as what they show.
#[must_use]
pub fn read_document(labels: Labels<'_>, bytes: &[u8]) -> Attempt {
    read(labels, Extent::Whole, bytes)
}

/// The same, but of JSON that says the same to everybody and is not an envelope, the outer members alone.
pub(super) fn read_outline(labels: Labels<'_>, bytes: &[u8]) -> Attempt {
    read(labels, Extent::Outline, bytes)
}

fn read(labels: Labels<'_>, extent: Extent, bytes: &[u8]) -> Attempt {
    let labelled = labels.content_type.and_then(format_of);
    let mut fault = None;
    if let Some(format) = labelled {
        match read_labelled(labels, extent, format, bytes) {
            Ok(document) => return Attempt { document: Some(document), fault: None },
            Err(why) => {
                fault = Some(why);
            }
        }
    }
    if let Some(document) = message::read_named(labels.known, bytes) {
        return Attempt { document: Some(document), fault };
    }
    if bytes.starts_with(&avro::MAGIC)
        && labelled != Some(Format::Avro)
        && let Ok(document) = read_container(bytes)
    {
        return Attempt { document: Some(document), fault };
    }
    let candidates = candidates(bytes).filter(|(format, _)| Some(*format) != labelled);
    for (format, evidence) in candidates {
        if let Ok(read) = extent.read_as(format, bytes)
            && (evidence == Evidence::Magic || says_something(format, &read.value))
        {
            let document = Document::of(bytes, (format, evidence), read);
            return Attempt { document: Some(document), fault };
        }
    }
    Attempt { document: message::read_unlabelled(labels.known, bytes), fault }
}

impl Document {
    fn of(bytes: &[u8], (format, evidence): (Format, Evidence), read: Read) -> Self {
        let mut step = Step::new(format, evidence, bytes.len());
        let is_guess = matches!(format, Format::MessagePack | Format::Cbor | Format::Form);
        if is_guess && evidence == Evidence::Shape {
            step.certainty = Certainty::Likely;
        }
        let Read { value, is_outline } = read;
        Self { step, value, is_outline, type_id: None }
    }
}

impl Extent {
    fn read_as(self, format: Format, bytes: &[u8]) -> Result<Read, String> {
        if (self, format) == (Self::Outline, Format::Json) {
            let json::Outline { value, is_plain } = json::outline(bytes)?;
            if is_plain && Envelope::of(&value).is_none() {
                return Ok(Read { value, is_outline: true });
            }
        }
        read_as(format, bytes).map(|value| Read { value, is_outline: false })
    }
}

/// Reads bytes as what their sender calls them.
///
/// # Errors
/// Returns why they are not read so, as a sentence.
fn read_labelled(
    labels: Labels<'_>,
    extent: Extent,
    format: Format,
    bytes: &[u8],
) -> Result<Document, String> {
    let read = match format {
        Format::Protobuf => message::protobuf::read_labelled(labels.known, bytes),
        Format::Avro if !bytes.starts_with(&avro::MAGIC) => {
            return message::avro::read_labelled(labels.known, bytes);
        }
        Format::Avro => read_container(bytes),
        _ => extent
            .read_as(format, bytes)
            .map(|read| Document::of(bytes, (format, Evidence::Label), read)),
    };
    read.map_err(|why| format!("The sender calls it {}, but it is not: {why}.", format.name()))
}

/// Reads an object container file, whose type is that of its schema.
fn read_container(bytes: &[u8]) -> Result<Document, String> {
    let avro::Container { value, name } = avro::read(bytes)?;
    let mut step = Step::new(Format::Avro, Evidence::Magic, bytes.len());
    step.detail = name;
    Ok(Document { step, value, is_outline: false, type_id: None })
}

/// Whether bytes are an object or a list of JSON.
pub(super) fn is_json(bytes: &[u8]) -> bool {
    let begins = matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'['));
    begins && serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_ok()
}

/// The format that a media type names, if it is one that has a structure.
pub(super) fn format_of(content_type: &str) -> Option<Format> {
    let essence = content_type.split(';').next().unwrap_or_default();
    let essence = essence.trim().to_ascii_lowercase();
    let (family, kind) = essence.split_once('/').unwrap_or(("", &essence));
    let (before, kind) = kind.rsplit_once('+').unwrap_or(("", kind));
    if kind == "binary" && (family == "avro" || before.contains("avro")) {
        return Some(Format::Avro);
    }
    Some(match kind.strip_prefix("x-").unwrap_or(kind) {
        "ndjson" | "jsonl" | "jsonlines" | "json-lines" | "json-seq" => Format::Ndjson,
        "xml" => Format::Xml,
        "www-form-urlencoded" => Format::Form,
        "msgpack" | "messagepack" | "vnd.msgpack" => Format::MessagePack,
        "cbor" => Format::Cbor,
        "avro" | "vnd.apache.avro" => Format::Avro,
        "php-serialized" | "vnd.php.serialized" | "php.serialized" => Format::Php,
        "java-serialized-object" => Format::Java,
        "protobuf" | "proto" | "google-protobuf" | "vnd.google.protobuf" | "grpc" => {
            Format::Protobuf
        }
        "python-serialize" | "python-pickle" | "pickle" => Format::Pickle,
        kind if kind.contains("json") => Format::Json,
        _ => return None,
    })
}

/// What bytes can be by how they begin, the surest first.
fn candidates(bytes: &[u8]) -> impl Iterator<Item = (Format, Evidence)> {
    let first = bytes.iter().find(|byte| !byte.is_ascii_whitespace());
    let json = matches!(first, Some(b'{' | b'[' | b'"' | 0x1e));
    let shapes = [
        (json, Format::Json),
        (json, Format::Ndjson),
        (matches!(first, Some(b'<' | 0xef)), Format::Xml),
        (php::may_begin(bytes), Format::Php),
        (pickle::may_begin(bytes), Format::Pickle),
        (msgpack::may_begin(bytes), Format::MessagePack),
        (cbor::may_begin(bytes), Format::Cbor),
        (std::str::from_utf8(bytes).is_ok_and(form::is_form), Format::Form),
    ];
    let magic = match bytes {
        [0xd9, 0xd9, 0xf7, ..] => Some((Format::Cbor, Evidence::Magic)),
        [0xac, 0xed, 0, 5, ..] => Some((Format::Java, Evidence::Magic)),
        _ => None,
    };
    let shapes = shapes.into_iter().filter(|(may_be, _)| *may_be);
    magic.into_iter().chain(shapes.map(|(_, format)| (format, Evidence::Shape)))
}

/// Whether a value proves that its bytes are in this format: few bytes can be anything.
fn says_something(format: Format, value: &Value) -> bool {
    let is_name =
        |name: &String| name.starts_with(|c: char| c.is_alphabetic() || "_$@".contains(c));
    let has_names = |value: &Value| {
        let members = value.as_object().filter(|members| !members.is_empty());
        members.is_some_and(|members| members.keys().all(|name| is_name(name) && is_text(name)))
    };
    match format {
        Format::MessagePack | Format::Cbor => {
            has_names(value) || value.as_array().is_some_and(|values| values.iter().any(has_names))
        }
        _ => true,
    }
}

pub(super) fn read_as(format: Format, bytes: &[u8]) -> Result<Value, String> {
    let text = || std::str::from_utf8(bytes).map_err(|why| why.to_string());
    match format {
        Format::Json => serde_json::from_slice(bytes).map_err(|why| why.to_string()),
        Format::Ndjson => ndjson::read(text()?),
        Format::Xml => xml::read(text()?),
        Format::Form => Ok(form::read(bytes)),
        Format::MessagePack => msgpack::read(bytes),
        Format::Cbor => cbor::read(bytes),
        Format::Php => php::read(bytes),
        Format::Pickle => pickle::read(bytes),
        Format::Java => java::read(bytes),
        _ => Err("it has no structure".to_owned()),
    }
}

#[cfg(test)]
mod tests;
