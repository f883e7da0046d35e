//! What a body was packed in, so that another one can be packed in the same way.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::charset::Charset;
use super::coding;
use super::step::Format;

/// Brotli's own default for what is made on the fly: how hard it tries, of 11.
const BROTLI_QUALITY: u32 = 5;

/// The window that Brotli looks back, in bits.
const BROTLI_WINDOW: u32 = 20;

/// Bytes that Brotli takes at once.
const BROTLI_BUFFER: usize = 4 * 1024;

/// One coding of a body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Layer {
    Gzip,
    Zlib,
    Deflate,
    Brotli,
    Zstd,
    SnappyFrames,
    SnappyBlock,
    Lz4,
    /// Letters, on lines where it was written so.
    Base64(Option<Lines>),
    /// Text in another charset than UTF-8.
    Charset(Charset),
    /// These bytes stand before it.
    Prefix(Vec<u8>),
}

/// How base64 is divided into lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lines {
    /// Letters of each line but the last.
    length: usize,
    /// What stands between them.
    between: &'static str,
    /// Whether that stands behind the last, too.
    ends: bool,
}

impl Layer {
    /// That of bytes that are in this format.
    pub(super) fn of(format: Format, packed: &[u8]) -> Option<Self> {
        Some(match format {
            Format::Gzip => Self::Gzip,
            Format::Zlib => Self::Zlib,
            Format::Deflate => Self::Deflate,
            Format::Brotli => Self::Brotli,
            Format::Zstd => Self::Zstd,
            Format::Snappy if coding::by_magic(packed) == Some(Format::Snappy) => {
                Self::SnappyFrames
            }
            Format::Snappy => Self::SnappyBlock,
            Format::Lz4 => Self::Lz4,
            Format::Base64 => Self::Base64(Lines::of(packed)),
            _ => return None,
        })
    }

    /// Packs bytes.
    ///
    /// # Errors
    /// Returns why it cannot be done.
    pub(super) fn pack(&self, bytes: &[u8]) -> Result<Vec<u8>, String> {
        let packed = match self {
            Self::Gzip => written(
                GzEncoder::new(Vec::new(), Compression::default()),
                bytes,
                GzEncoder::finish,
            ),
            Self::Zlib => {
                let to = ZlibEncoder::new(Vec::new(), Compression::default());
                written(to, bytes, ZlibEncoder::finish)
            }
            Self::Deflate => {
                let to = DeflateEncoder::new(Vec::new(), Compression::default());
                written(to, bytes, DeflateEncoder::finish)
            }
            Self::Brotli => {
                let to = brotli::CompressorWriter::new(
                    Vec::new(),
                    BROTLI_BUFFER,
                    BROTLI_QUALITY,
                    BROTLI_WINDOW,
                );
                written(to, bytes, |to| Ok(to.into_inner()))
            }
            Self::Zstd => {
                let level = ruzstd::encoding::CompressionLevel::Fastest;
                return Ok(ruzstd::encoding::compress_to_vec(bytes, level));
            }
            Self::SnappyFrames => {
                written(snap::write::FrameEncoder::new(Vec::new()), bytes, |to| {
                    to.into_inner().map_err(snap::write::IntoInnerError::into_error)
                })
            }
            Self::SnappyBlock => {
                let packed = snap::raw::Encoder::new().compress_vec(bytes);
                return packed.map_err(|why| format!("it cannot be packed again: {why}"));
            }
            Self::Lz4 => written(lz4_flex::frame::FrameEncoder::new(Vec::new()), bytes, |to| {
                to.finish().map_err(std::io::Error::from)
            }),
            Self::Base64(lines) => {
                let letters = STANDARD.encode(bytes);
                return Ok(match lines {
                    None => letters.into_bytes(),
                    Some(lines) => lines.divide(&letters),
                });
            }
            Self::Charset(charset) => {
                let text = std::str::from_utf8(bytes).map_err(|why| why.to_string())?;
                return charset.write(text);
            }
            Self::Prefix(prefix) => return Ok([prefix, bytes].concat()),
        };
        packed.map_err(|why| format!("it cannot be packed again: {why}"))
    }
}

fn written<W: std::io::Write>(
    mut to: W,
    bytes: &[u8],
    end: impl FnOnce(W) -> std::io::Result<Vec<u8>>,
) -> std::io::Result<Vec<u8>> {
    to.write_all(bytes)?;
    end(to)
}

impl Lines {
    /// Those of a text; `None` if it is all on one.
    fn of(text: &[u8]) -> Option<Self> {
        let length = text.iter().position(|byte| matches!(byte, b'\r' | b'\n'))?;
        let between = if text[length] == b'\r' { "\r\n" } else { "\n" };
        let ends = text.ends_with(b"\n");
        // A text that is shorter than a line ends with one, and has no other.
        let is_one = text.len() <= length + between.len();
        let length = if is_one { usize::MAX } else { length };
        (length > 0).then_some(Self { length, between, ends })
    }

    fn divide(self, letters: &str) -> Vec<u8> {
        let lines: Vec<&[u8]> = letters.as_bytes().chunks(self.length).collect();
        let mut text = lines.join(self.between.as_bytes());
        if self.ends {
            text.extend(self.between.as_bytes());
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::super::labels::Labels;
    use super::super::tests::{PACKING, packed};
    use super::super::unpacking::unpack;

    const PLAIN: &[u8] = b"{\"id\": 42, \"name\": \"a name, a name, a name\"}";
    const OTHER: &[u8] = b"{\"id\": 43, \"name\": \"another name, another name\"}";

    #[test]
    fn what_was_taken_off_is_put_on_again() {
        for (name, format) in PACKING {
            for label in [Some(name), None] {
                let labels = Labels { content_encoding: label, ..Labels::default() };
                let body = packed(format, PLAIN);
                let unpacked = unpack(labels, &body, true, 1_000);
                let again = unpacked.pack(OTHER.to_vec()).expect("packed");
                let read = unpack(labels, &again, true, 1_000);
                assert_eq!(
                    (read.steps.len(), &*read.bytes),
                    (unpacked.steps.len(), if unpacked.steps.is_empty() { &*again } else { OTHER }),
                    "{name}"
                );
            }
        }
    }

    #[test]
    fn a_block_of_snappy_stays_a_block() {
        let labels = Labels { content_encoding: Some("snappy"), ..Labels::default() };
        let block = snap::raw::Encoder::new().compress_vec(PLAIN).expect("packed");
        let unpacked = unpack(labels, &block, true, 1_000);
        assert_eq!((&*unpacked.bytes, unpacked.pack(PLAIN.to_vec())), (PLAIN, Ok(block.clone())));
    }

    #[test]
    fn base64_keeps_its_lines() {
        let plain = [b"{\"text\":\"", &b"a".repeat(200)[..], b"\"}"].concat();
        for (length, between, ends) in
            [(76, "\r\n", true), (60, "\n", false), (60, "\n", true), (9_999, "\n", true)]
        {
            let letters = packed(super::Format::Base64, &plain);
            let lines: Vec<&[u8]> = letters.chunks(length).collect();
            let mut text = lines.join(between.as_bytes());
            text.extend(if ends { between.as_bytes() } else { b"" });
            let unpacked = unpack(Labels::default(), &text, true, 1_000);
            assert_eq!(
                (&*unpacked.bytes, unpacked.pack(plain.clone())),
                (&*plain, Ok(text.clone()))
            );
        }
    }
}
