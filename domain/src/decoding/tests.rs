//! Packed bodies, as senders make them.

use super::Format;
use super::layer::Layer;

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
pub(crate) fn packed(format: Format, bytes: &[u8]) -> Vec<u8> {
    let layer = match format {
        // Nothing tells a block of Snappy by its bytes.
        Format::Snappy => Layer::SnappyFrames,
        other => Layer::of(other, b"").expect("a coding"),
    };
    layer.pack(bytes).expect("packed")
}
