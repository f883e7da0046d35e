//! The steps by which a body was read.

use serde::{Deserialize, Serialize};

/// What bytes are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// RFC 1952.
    Gzip,
    /// RFC 1950, which HTTP calls `deflate`.
    Zlib,
    /// RFC 1951, which some senders call `deflate`.
    Deflate,
    /// RFC 7932.
    Brotli,
    /// RFC 8878.
    Zstd,
    /// Snappy, framed or as one block.
    Snappy,
    /// LZ4 frames.
    Lz4,
    /// RFC 4648, also with line breaks.
    Base64,
    /// Avro's single-object encoding: the fingerprint of a schema, and a value.
    SingleObject,
    /// What clients of a schema registry write before a message: the number of its schema.
    RegistryFrame,
    /// A JSON document.
    Json,
    /// JSON documents on lines of their own.
    Ndjson,
    /// XML 1.0.
    Xml,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// MessagePack.
    #[serde(rename = "msgpack")]
    MessagePack,
    /// RFC 8949.
    Cbor,
    /// Apache Avro: an object container file, or a value.
    Avro,
    /// What PHP's `serialize` writes.
    Php,
    /// What Java's serialisation writes.
    Java,
    /// What Python's `pickle` writes.
    Pickle,
    /// A message of Protobuf.
    Protobuf,
    /// What a framework puts around a message that failed.
    Envelope,
    /// Text.
    Text,
    /// None of these.
    Binary,
}

impl Format {
    /// Whether what is in it is values, which can be shown as a tree.
    #[must_use]
    pub fn has_values(self) -> bool {
        use Format::{
            Avro, Cbor, Form, Java, Json, MessagePack, Ndjson, Php, Pickle, Protobuf, Xml,
        };
        matches!(self, Json | Ndjson | Xml | Form | MessagePack | Cbor)
            || matches!(self, Avro | Php | Java | Pickle | Protobuf)
    }

    /// Whether it is written as text, in some charset.
    pub(crate) fn is_text(self) -> bool {
        matches!(self, Self::Json | Self::Ndjson | Self::Xml | Self::Form | Self::Text)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
            Self::Deflate => "deflate",
            Self::Brotli => "Brotli",
            Self::Zstd => "Zstandard",
            Self::Snappy => "Snappy",
            Self::Lz4 => "LZ4",
            Self::Base64 => "base64",
            Self::SingleObject => "single object",
            Self::RegistryFrame => "schema registry",
            Self::Json => "JSON",
            Self::Ndjson => "NDJSON",
            Self::Xml => "XML",
            Self::Form => "form",
            Self::MessagePack => "MessagePack",
            Self::Cbor => "CBOR",
            Self::Avro => "Avro",
            Self::Php => "PHP",
            Self::Java => "Java",
            Self::Pickle => "pickle",
            Self::Protobuf => "Protobuf",
            Self::Envelope => "envelope",
            Self::Text => "text",
            Self::Binary => "binary",
        }
    }
}

/// By what a format was known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Evidence {
    /// The sender says so, and it holds.
    Label,
    /// A rule for the queue in which it died says so.
    Rule,
    /// Its first bytes, which nothing else begins with.
    Magic,
    /// All of it can be read so.
    Shape,
    /// The fingerprint of a known schema stands before it.
    Fingerprint,
    /// The schema registry tells of which type it is, by the number before it.
    Registry,
    /// It fits one of the known message types, and better than all others.
    Fit,
    /// It is nothing else.
    Rest,
}

/// How sure a step is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It could be something else.
    Likely,
    /// It is not something else.
    Certain,
}

/// How likely a message type must be to be taken for that of a letter, in percent.
const SURE: u8 = 90;

/// One step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Step {
    /// What was undone; in the last step, what was read.
    pub format: Format,
    /// By what that was known.
    pub evidence: Evidence,
    /// How sure it is.
    pub certainty: Certainty,
    /// The bytes that came out, as many as were asked for.
    pub bytes: i64,
    /// The charset of a text that is not plain UTF-8; the framework of an envelope; the type of a message of
    /// Protobuf or Avro; what stands before a message and names its schema.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// The known message types that the bytes fit best, the likeliest first, where the sender names none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranking: Vec<RankedType>,
}

/// A message type that bytes may be of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RankedType {
    /// Its full name.
    pub message_type: String,
    /// How likely it is, in percent: of all known types, and of being none of them.
    pub percent: u8,
    /// How well the bytes fit it: by how many bits they are shorter for somebody who knows the type than as noise.
    pub bits: i32,
}

impl Step {
    pub(crate) fn new(format: Format, evidence: Evidence, bytes: usize) -> Self {
        let certainty = match (format, evidence) {
            (Format::Base64, Evidence::Shape) => Certainty::Likely,
            _ => Certainty::Certain,
        };
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX);
        Self { format, evidence, certainty, bytes, detail: None, ranking: Vec::new() }
    }

    /// The message type of its bytes, where that is as good as certain.
    pub(crate) fn sure_type(&self) -> Option<&str> {
        let is_sure = match self.evidence {
            Evidence::Fit => self.ranking.first().is_some_and(|first| first.percent >= SURE),
            Evidence::Shape | Evidence::Rest => false,
            _ => true,
        };
        let has_types = matches!(self.format, Format::Protobuf | Format::Avro);
        self.detail.as_deref().filter(|_| is_sure && has_types)
    }

    /// Of which type a message of Protobuf or Avro is, and by what that was known, as a sentence; `None` for anything
    /// else.
    pub(crate) fn says_type(&self) -> Option<String> {
        if !matches!(self.format, Format::Protobuf | Format::Avro) {
            return None;
        }
        let percents = |ranked: &[RankedType]| {
            let told = ranked.iter().map(|one| format!("{} ({} %)", one.message_type, one.percent));
            told.collect::<Vec<_>>().join(", ")
        };
        Some(match (&self.detail, self.evidence, &self.ranking[..]) {
            (Some(name), Evidence::Fit, [first, rest @ ..]) => {
                let likely = rest.iter().take(2).take_while(|one| one.percent > 0).count();
                let next = percents(&rest[..likely]);
                let next = if next.is_empty() { next } else { format!("; next come {next}") };
                format!("It fits the message type {name} best ({} %){next}.", first.percent)
            }
            (Some(name), Evidence::Rule, _) => {
                format!("A rule for its queue says that it is a message of the type {name}.")
            }
            (Some(name), Evidence::Magic, _) => {
                format!("Its own schema says that it is a message of the type {name}.")
            }
            (Some(name), Evidence::Fingerprint, _) => {
                format!("The fingerprint before it says that it is a message of the type {name}.")
            }
            (Some(name), Evidence::Registry, _) => {
                format!("The schema registry says that it is a message of the type {name}.")
            }
            (Some(name), ..) => format!("Its sender says that it is a message of the type {name}."),
            (None, ..) if self.format == Format::Avro => return None,
            (None, ..) => {
                "Its message type is not known: its fields are shown by their numbers. Schemas tell more: upload one."
                    .to_owned()
            }
        })
    }

    /// What was found, and by what.
    #[must_use]
    pub fn says(&self) -> String {
        let by = match (self.evidence, self.certainty) {
            (Evidence::Label, _) => ", as its sender says",
            (Evidence::Rule, _) => ", as a rule for its queue says",
            (Evidence::Magic, _) => ", by its first bytes",
            (Evidence::Shape, Certainty::Likely) => ", as it seems by its form",
            (Evidence::Shape, Certainty::Certain) => ", by its form",
            (Evidence::Fingerprint, _) => ", by its schema's fingerprint",
            (Evidence::Registry, _) => ", as the schema registry says",
            (Evidence::Fit, _) => ", as it fits best",
            (Evidence::Rest, _) => "",
        };
        let detail = self.detail.as_ref().map(|name| format!(" ({name})"));
        format!("{}{}{by}", self.format.name(), detail.unwrap_or_default())
    }
}
