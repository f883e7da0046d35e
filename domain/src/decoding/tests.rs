//! Packed bodies, as senders make them.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use super::Format;

/// Every coding, by a name that senders give it.
pub(super) const PACKING: [(&str, Format); 8] = [
    ("gzip", Format::Gzip),
    ("deflate", Format::Zlib),
    ("deflate", Format::Deflate),
    ("br", Format::Brotli),
    ("zstd", Format::Zstd),
    ("snappy", Format::Snappy),
    ("lz4", Format::Lz4),
    ("base64", Format::Base64),
];

/// Bytes in this coding.
pub(super) fn packed(format: Format, bytes: &[u8]) -> Vec<u8> {
    const WRITES: &str = "a Vec takes every write";
    match format {
        Format::Gzip => {
            let mut writer = GzEncoder::new(Vec::new(), Compression::fast());
            writer.write_all(bytes).expect(WRITES);
            writer.finish().expect(WRITES)
        }
        Format::Zlib => {
            let mut writer = ZlibEncoder::new(Vec::new(), Compression::default());
            writer.write_all(bytes).expect(WRITES);
            writer.finish().expect(WRITES)
        }
        Format::Deflate => {
            let mut writer = DeflateEncoder::new(Vec::new(), Compression::fast());
            writer.write_all(bytes).expect(WRITES);
            writer.finish().expect(WRITES)
        }
        Format::Brotli => {
            let mut writer = brotli::CompressorWriter::new(Vec::new(), 4_096, 5, 20);
            writer.write_all(bytes).expect(WRITES);
            writer.into_inner()
        }
        Format::Zstd => {
            let level = ruzstd::encoding::CompressionLevel::Fastest;
            ruzstd::encoding::compress_to_vec(bytes, level)
        }
        Format::Snappy => {
            let mut writer = snap::write::FrameEncoder::new(Vec::new());
            writer.write_all(bytes).expect(WRITES);
            writer.into_inner().expect(WRITES)
        }
        Format::Lz4 => {
            let mut writer = lz4_flex::frame::FrameEncoder::new(Vec::new());
            writer.write_all(bytes).expect(WRITES);
            writer.finish().expect(WRITES)
        }
        Format::Base64 => STANDARD.encode(bytes).into_bytes(),
        _ => bytes.to_vec(),
    }
}
