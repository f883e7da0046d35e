//! Content codings: how each is told, and undone.

use std::io::{ErrorKind, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};

use super::step::Format;

/// The largest window that a sender may have Zstandard remember, in bytes: what RFC 8878 asks readers for.
const MOST_ZSTD_WINDOW: u64 = 8 * 1024 * 1024;

/// Bytes that Brotli reads at once.
const BROTLI_BUFFER: usize = 4 * 1024;

/// What came out of packed bytes.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Opened {
    /// At most as many bytes as were asked for.
    pub(super) bytes: Vec<u8>,
    /// Whether that is all.
    pub(super) is_whole: bool,
}

/// Packed bytes, and how much may come out of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packed<'a> {
    /// The bytes, or the first of them.
    pub(super) bytes: &'a [u8],
    /// Whether that is all.
    pub(super) is_whole: bool,
    /// The most that is unpacked, in bytes.
    pub(super) most: usize,
}

/// The format that a content encoding names, if it packs anything.
pub(super) fn named(name: &str) -> Option<Format> {
    Some(match name {
        "gzip" | "x-gzip" => Format::Gzip,
        "deflate" => Format::Zlib,
        "br" | "brotli" => Format::Brotli,
        "zstd" | "x-zstd" => Format::Zstd,
        "snappy" | "x-snappy" | "x-snappy-framed" => Format::Snappy,
        "lz4" | "x-lz4" => Format::Lz4,
        "base64" => Format::Base64,
        _ => return None,
    })
}

/// The format whose first bytes these are. Two bytes tell zlib, so that alone proves little.
pub(super) fn by_magic(bytes: &[u8]) -> Option<Format> {
    match bytes {
        [0x1f, 0x8b, 8, ..] => Some(Format::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => Some(Format::Zstd),
        [0x04, 0x22, 0x4d, 0x18, ..] => Some(Format::Lz4),
        [0xff, 6, 0, 0, b's', b'N', b'a', b'P', b'p', b'Y', ..] => Some(Format::Snappy),
        [0x78, flags, ..] if (0x7800 + u16::from(*flags)).is_multiple_of(31) => Some(Format::Zlib),
        _ => None,
    }
}

/// Undoes a coding. What a sender calls `deflate` is zlib, or deflate without its frame.
///
/// # Errors
/// Why it cannot be undone.
pub(super) fn open(format: Format, packed: Packed<'_>) -> Result<(Format, Opened), String> {
    let bytes = packed.bytes;
    let opened = match format {
        Format::Gzip => packed.read(MultiGzDecoder::new(bytes)),
        Format::Zlib => match packed.read(ZlibDecoder::new(bytes)) {
            Err(why) => return bare(packed).map(|opened| (Format::Deflate, opened)).ok_or(why),
            opened => opened,
        },
        Format::Brotli => packed.read(brotli::Decompressor::new(bytes, BROTLI_BUFFER)),
        Format::Zstd => zstd(packed),
        Format::Snappy if by_magic(bytes) == Some(Format::Snappy) => {
            packed.read(snap::read::FrameDecoder::new(bytes))
        }
        Format::Snappy => snappy_block(packed),
        Format::Lz4 => packed.read(lz4_flex::frame::FrameDecoder::new(bytes)),
        Format::Base64 => base64(packed),
        _ => Err("it packs nothing".to_owned()),
    };
    opened.map(|opened| (format, opened))
}

impl Packed<'_> {
    fn read(&self, from: impl Read) -> Result<Opened, String> {
        let most = u64::try_from(self.most).unwrap_or(u64::MAX);
        let mut bytes = Vec::new();
        match from.take(most.saturating_add(1)).read_to_end(&mut bytes) {
            Ok(_) => Ok(self.opened(bytes)),
            // What is here came out of the beginning; the rest was not asked for.
            Err(_) if bytes.len() > self.most => Ok(self.opened(bytes)),
            Err(why) if why.kind() == ErrorKind::UnexpectedEof && !self.is_whole => {
                Ok(self.opened(bytes))
            }
            Err(why) if why.kind() == ErrorKind::UnexpectedEof => {
                Err("it ends too early".to_owned())
            }
            Err(why) => Err(why.to_string()),
        }
    }

    fn opened(&self, mut bytes: Vec<u8>) -> Opened {
        let is_whole = self.is_whole && bytes.len() <= self.most;
        bytes.truncate(self.most);
        Opened { bytes, is_whole }
    }
}

/// Deflate without a frame, which has nothing that proves it but that it ends where the bytes end.
fn bare(packed: Packed<'_>) -> Option<Opened> {
    let mut decoder = DeflateDecoder::new(packed.bytes);
    let opened = packed.read(&mut decoder).ok()?;
    let is_read_whole = usize::try_from(decoder.total_in()) == Ok(packed.bytes.len());
    (is_read_whole || !opened.is_whole).then_some(opened)
}

fn zstd(packed: Packed<'_>) -> Result<Opened, String> {
    let mut decoder = ruzstd::decoding::FrameDecoder::new();
    decoder.set_max_window_size(MOST_ZSTD_WINDOW);
    let reader = ruzstd::decoding::StreamingDecoder::new_with_decoder(packed.bytes, decoder);
    packed.read(reader.map_err(|why| why.to_string())?)
}

fn snappy_block(packed: Packed<'_>) -> Result<Opened, String> {
    if !packed.is_whole {
        return Err("it is too large to be unpacked at once".to_owned());
    }
    let length = snap::raw::decompress_len(packed.bytes).map_err(|why| why.to_string())?;
    if length > packed.most {
        return Err(format!("it unpacks to {length} bytes, which is more than is unpacked"));
    }
    let unpacked = snap::raw::Decoder::new().decompress_vec(packed.bytes);
    unpacked.map(|bytes| packed.opened(bytes)).map_err(|why| why.to_string())
}

fn base64(packed: Packed<'_>) -> Result<Opened, String> {
    // Four letters are three bytes; what is not needed is not read.
    let most = packed.most.saturating_add(3) / 3 * 4;
    let mut letters: Vec<u8> = packed
        .bytes
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .take(most + 4)
        .collect();
    let is_cut = letters.len() > most || !packed.is_whole;
    if is_cut {
        letters.truncate(letters.len().min(most) / 4 * 4);
    }
    let bytes = STANDARD.decode(letters).map_err(|why| why.to_string())?;
    let opened = packed.opened(bytes);
    Ok(Opened { is_whole: opened.is_whole && !is_cut, ..opened })
}
