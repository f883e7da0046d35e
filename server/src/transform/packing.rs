//! Content encodings: a body is unpacked to be changed, and packed again in the same way.

use std::borrow::Cow;
use std::io::{ErrorKind, Read, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::{MultiGzDecoder, ZlibDecoder};
use flate2::write::{GzEncoder, ZlibEncoder};

/// The largest body that is changed, in bytes, unpacked and as it is made.
pub const MOST_UNPACKED_BYTES: usize = 16 * 1024 * 1024;

enum Packing {
    Gzip,
    Zlib,
    Base64,
}

/// A body without its content encodings, and how to put them on again.
pub struct Unpacked {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// What was taken off, the first to put on again last.
    packings: Vec<Packing>,
}

/// Takes content encodings off a body.
///
/// # Errors
/// Why it cannot be done: an encoding that is not known, or one that does not hold.
pub fn unpack(encoding: Option<&str>, body: &[u8]) -> Result<Unpacked, UnpackError> {
    unpack_within(encoding, body, MOST_UNPACKED_BYTES)
}

/// Takes content encodings off a body, up to so many bytes.
///
/// # Errors
/// Why it cannot be done: an encoding that is not known, one that does not hold, or a body that is larger.
pub fn unpack_within(
    encoding: Option<&str>,
    body: &[u8],
    most: usize,
) -> Result<Unpacked, UnpackError> {
    let mut left = Vec::new();
    for name in encoding.unwrap_or_default().split(',') {
        left.extend(packing(name).map_err(UnpackError::Unfit)?);
    }
    let mut bytes = Cow::Borrowed(body);
    let mut packings = Vec::new();
    while let Some(packing) = left.pop() {
        bytes = Cow::Owned(off(&packing, &bytes, most)?);
        packings.push(packing);
    }
    if bytes.len() > most {
        return Err(UnpackError::TooLarge(most));
    }
    Ok(Unpacked { bytes: bytes.into_owned(), packings })
}

/// Why content encodings cannot be taken off a body.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnpackError {
    /// An encoding is not known or does not hold.
    #[error("{0}")]
    Unfit(String),
    /// The body has more than so many bytes without them.
    #[error("its body has more than {}", size(*.0))]
    TooLarge(usize),
}

impl Unpacked {
    /// Whether anything was taken off.
    #[must_use]
    pub fn is_packed(&self) -> bool {
        !self.packings.is_empty()
    }

    /// Puts the encodings on other bytes.
    ///
    /// # Errors
    /// When what comes out is too large.
    ///
    /// # Panics
    /// Never: what is written to is memory.
    pub fn pack(&self, bytes: Vec<u8>) -> Result<Vec<u8>, String> {
        let packed =
            self.packings.iter().rev().fold(bytes, |bytes, packing| {
                on(packing, &bytes).expect("a Vec takes every write")
            });
        if packed.len() > MOST_UNPACKED_BYTES {
            return Err(too_large());
        }
        Ok(packed)
    }
}

/// One encoding by its name. Some clients name a charset here, which packs nothing.
fn packing(name: &str) -> Result<Option<Packing>, String> {
    let name = name.trim().to_ascii_lowercase();
    Ok(match name.as_str() {
        "" | "identity" | "binary" | "8bit" | "7bit" | "utf-8" | "utf8" | "ascii" | "us-ascii" => {
            None
        }
        "gzip" | "x-gzip" => Some(Packing::Gzip),
        "deflate" => Some(Packing::Zlib),
        "base64" => Some(Packing::Base64),
        other => {
            let other: String = other.chars().take(64).collect();
            return Err(format!(
                "its content encoding `{other}` cannot be taken off and put on again: known are \
                 gzip, deflate and base64"
            ));
        }
    })
}

fn off(packing: &Packing, bytes: &[u8], most: usize) -> Result<Vec<u8>, UnpackError> {
    match packing {
        Packing::Gzip => read(MultiGzDecoder::new(bytes), "gzip", most),
        Packing::Zlib => read(ZlibDecoder::new(bytes), "deflate", most),
        Packing::Base64 => {
            let packed = bytes.trim_ascii();
            // Four letters are three bytes; up to two of the last ones are filled up.
            if packed.len() / 4 * 3 > most.saturating_add(2) {
                return Err(UnpackError::TooLarge(most));
            }
            STANDARD.decode(packed).map_err(|why| {
                UnpackError::Unfit(format!("its body is called base64 and is not: {why}"))
            })
        }
    }
}

fn read(mut from: impl Read, name: &str, most: usize) -> Result<Vec<u8>, UnpackError> {
    let mut bytes = Vec::new();
    let mut part = [0; 8 * 1024];
    loop {
        let count = match from.read(&mut part) {
            Ok(0) => return Ok(bytes),
            Ok(count) => count,
            Err(why) if why.kind() == ErrorKind::Interrupted => continue,
            Err(why) => {
                let why = format!("its body is called {name} and cannot be unpacked: {why}");
                return Err(UnpackError::Unfit(why));
            }
        };
        if bytes.len() + count > most {
            return Err(UnpackError::TooLarge(most));
        }
        bytes.extend_from_slice(&part[..count]);
    }
}

fn on(packing: &Packing, bytes: &[u8]) -> std::io::Result<Vec<u8>> {
    match packing {
        Packing::Gzip => {
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(bytes)?;
            gzip.finish()
        }
        Packing::Zlib => {
            let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
            zlib.write_all(bytes)?;
            zlib.finish()
        }
        Packing::Base64 => Ok(STANDARD.encode(bytes).into_bytes()),
    }
}

/// What is said of a body that is too large.
pub(super) fn too_large() -> String {
    UnpackError::TooLarge(MOST_UNPACKED_BYTES).to_string()
}

/// A limit in words.
pub(crate) fn size(bytes: usize) -> String {
    match bytes / 1024 {
        kib if kib >= 1024 && kib % 1024 == 0 => format!("{} MiB", kib / 1024),
        kib => format!("{kib} KiB"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(encoding: &str, bytes: &[u8]) -> Vec<u8> {
        let packings = encoding.split(',').filter_map(|name| packing(name).expect("known"));
        packings.fold(bytes.to_vec(), |bytes, one| on(&one, &bytes).expect("packed"))
    }

    #[test]
    fn what_is_taken_off_is_put_on_again() {
        for encoding in ["", "utf-8", "gzip", "deflate", "base64", "gzip, base64"] {
            let body = packed(encoding, b"{\"a\":1}");
            let Ok(unpacked) = unpack(Some(encoding), &body) else {
                panic!("{encoding}");
            };
            assert_eq!(unpacked.bytes, b"{\"a\":1}", "{encoding}");
            let again = unpacked.pack(b"{\"a\":2}".to_vec()).expect("packed");
            assert_eq!(again, packed(encoding, b"{\"a\":2}"), "{encoding}");
        }
    }

    #[test]
    fn what_does_not_hold_is_told() {
        for (encoding, body, says) in [
            ("br", &b"x"[..], "`br`"),
            ("gzip", b"{}", "called gzip"),
            ("deflate", b"{}", "called deflate"),
            ("base64", b"{}", "called base64"),
        ] {
            let why = unpack(Some(encoding), body).err().expect("refused").to_string();
            assert!(why.contains(says), "{why}");
        }
    }

    #[test]
    fn a_bomb_is_not_unpacked_to_its_end() {
        let bomb = packed("gzip", &vec![b' '; MOST_UNPACKED_BYTES + 1]);
        assert!(bomb.len() < 100_000);
        let why = unpack(Some("gzip"), &bomb).err().expect("refused");
        assert!(why.to_string().contains("16 MiB"), "{why}");
        let nested = packed("gzip, gzip, base64", &vec![0; 4 * 1024 * 1024]);
        for most in [10, 1_000, 100_000] {
            let why = unpack_within(Some("gzip, gzip, base64"), &nested, most).err();
            assert_eq!(why, Some(UnpackError::TooLarge(most)));
        }
        let letters = packed("base64", &[0; 1_002]);
        assert!(unpack_within(Some("base64"), &letters, 1_001).is_err());
        assert!(unpack_within(Some("base64"), &letters, 1_002).is_ok());
    }
}
