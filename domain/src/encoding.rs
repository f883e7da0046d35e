//! How a body is written, as its sender says: whether that is known, and whether it holds; and what it
//! says without that. The bytes are kept as they came whatever is said of them.

use std::borrow::Cow;
use std::io::{ErrorKind, Read};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::read::{MultiGzDecoder, ZlibDecoder};

use crate::reading::cut;

/// The most that is unpacked to see whether it can be, in bytes.
const MOST_UNPACKED_BYTES: u64 = 256 * 1024;

/// The longest name that is repeated in a note, in bytes.
const MOST_NAME_BYTES: usize = 64;

/// Content encodings in use. Some clients name a charset here.
const ENCODINGS: [&str; 8] =
    ["identity", "binary", "base64", "deflate", "br", "zstd", "8bit", "7bit"];

/// Charsets in use, by the names that senders give them.
const CHARSETS: [&str; 16] = [
    "utf-8",
    "utf8",
    "utf-16",
    "utf-16le",
    "utf-16be",
    "utf-32",
    "ascii",
    "us-ascii",
    "iso-8859-1",
    "iso-8859-15",
    "latin1",
    "latin-1",
    "windows-1252",
    "cp1252",
    "shift_jis",
    "gb18030",
];

/// What is wrong with what a sender says of a body, as sentences. `bytes` are its first bytes;
/// `whole` when they are all of it.
#[must_use]
pub fn remarks(
    content_type: Option<&str>,
    content_encoding: Option<&str>,
    bytes: &[u8],
    whole: bool,
) -> Vec<String> {
    let mut remarks = Vec::new();
    let written = content_encoding.unwrap_or_default().split(',');
    let names: Vec<String> = written
        .map(|name| name.trim().to_ascii_lowercase())
        .filter(|name| !name.is_empty())
        .collect();
    for name in &names {
        if !is_gzip(name) && !ENCODINGS.contains(&&**name) && !CHARSETS.contains(&&**name) {
            remarks.push(unknown("content encoding", name));
        }
    }
    // What was applied last stands last, and is the first that is seen of the body.
    if names.last().is_some_and(|name| is_gzip(name)) {
        remarks.extend(fault_of_gzip(bytes, whole).map(|why| {
            format!("The sender calls the body gzip, but it cannot be unpacked: {why}.")
        }));
    }
    if let Some(charset) = content_type.and_then(charset)
        && !CHARSETS.contains(&&*charset)
    {
        remarks.push(unknown("charset", &charset));
    }
    remarks
}

fn unknown(what: &str, name: &str) -> String {
    // Postgres keeps no NUL in a text.
    let name = cut(name, MOST_NAME_BYTES).replace('\0', "\u{fffd}");
    format!("The {what} `{name}` is not known: the body is kept as it came.")
}

/// A body without its content encodings, where these are known and hold and what comes out has at most
/// `most` bytes; nothing otherwise. A body without encodings is not copied.
#[must_use]
pub fn unpacked<'a>(
    content_encoding: Option<&str>,
    body: &'a [u8],
    most: usize,
) -> Option<Cow<'a, [u8]>> {
    let mut bytes = Cow::Borrowed(body);
    // What was applied last stands last.
    for name in content_encoding.unwrap_or_default().rsplit(',') {
        let name = name.trim().to_ascii_lowercase();
        bytes = match &*name {
            name if is_gzip(name) => Cow::Owned(at_most(MultiGzDecoder::new(&*bytes), most)?),
            "deflate" => Cow::Owned(at_most(ZlibDecoder::new(&*bytes), most)?),
            "base64" => {
                let packed = bytes.trim_ascii();
                if packed.len() / 4 * 3 > most.saturating_add(3) {
                    return None;
                }
                Cow::Owned(STANDARD.decode(packed).ok()?)
            }
            "br" | "zstd" => return None,
            // A charset, or nothing at all: it packs nothing.
            _ => bytes,
        };
    }
    (bytes.len() <= most).then_some(bytes)
}

fn at_most(from: impl Read, most: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let limit = u64::try_from(most).unwrap_or(u64::MAX).saturating_add(1);
    from.take(limit).read_to_end(&mut bytes).ok()?;
    (bytes.len() <= most).then_some(bytes)
}

fn is_gzip(name: &str) -> bool {
    matches!(name, "gzip" | "x-gzip")
}

fn charset(content_type: &str) -> Option<String> {
    let parameters = content_type.split(';').skip(1);
    let named = parameters.filter_map(|parameter| parameter.split_once('='));
    named
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case("charset"))
        .map(|(_, value)| value.trim().trim_matches('"').to_ascii_lowercase())
        .find(|value| !value.is_empty())
}

fn fault_of_gzip(bytes: &[u8], whole: bool) -> Option<String> {
    let unpacked = MultiGzDecoder::new(bytes).take(MOST_UNPACKED_BYTES);
    match std::io::copy(&mut { unpacked }, &mut std::io::sink()) {
        Ok(_) => None,
        Err(fault) if fault.kind() == ErrorKind::UnexpectedEof && !whole => None,
        Err(fault) if fault.kind() == ErrorKind::UnexpectedEof => {
            Some("it ends too early".to_owned())
        }
        Err(fault) => Some(fault.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;
    use flate2::Compression;
    use flate2::write::GzEncoder;

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut gzip = GzEncoder::new(Vec::new(), Compression::fast());
        gzip.write_all(bytes).expect("a Vec takes every write");
        gzip.finish().expect("a Vec takes every write")
    }

    fn of_encoding(name: &str, bytes: &[u8]) -> Vec<String> {
        remarks(None, Some(name), bytes, true)
    }

    #[test]
    fn what_is_known_and_holds_needs_no_remark() {
        assert_eq!(remarks(None, None, b"x", true), [""; 0]);
        for name in ["", "identity", "UTF-8", "binary", "br", "zstd", "base64"] {
            assert_eq!(of_encoding(name, b"x"), [""; 0], "{name}");
        }
        for name in ["gzip", "GZIP", "x-gzip", "identity, gzip"] {
            assert_eq!(of_encoding(name, &packed(b"{}")), [""; 0], "{name}");
        }
        for kind in ["text/plain; charset=\"UTF-8\"", "application/json", "x;y"] {
            assert_eq!(remarks(Some(kind), None, b"x", true), [""; 0], "{kind}");
        }
    }

    #[test]
    fn a_body_is_unpacked_in_the_turn_of_its_encodings_and_within_bounds() {
        let most = 1_000;
        let open = |name: &str, bytes: &[u8]| {
            unpacked(Some(name), bytes, most).map(std::borrow::Cow::into_owned)
        };
        let plain = b"{\"id\": 42}".to_vec();
        let encoded = STANDARD.encode(packed(&plain)).into_bytes();
        for (name, bytes) in [
            ("", &plain),
            ("identity", &plain),
            ("UTF-8", &plain),
            ("gzip", &packed(&plain)),
            ("X-GZIP", &packed(&plain)),
            ("gzip, base64", &encoded),
        ] {
            assert_eq!(open(name, bytes), Some(plain.clone()), "{name}");
        }
        assert_eq!(open("gzip", &packed(&[b' '; 1_000])).map(|b| b.len()), Some(most));
        let bomb = packed(&vec![b' '; 1_001]);
        let nested = packed(&packed(&vec![b' '; 10_000_000]));
        for (name, bytes) in [
            ("gzip", &bomb),
            ("gzip,gzip", &nested),
            ("gzip", &plain),
            ("gzip", &packed(&plain)[..12].to_vec()),
            ("deflate", &plain),
            ("base64", &plain),
            ("base64", &STANDARD.encode([b' '; 2_000]).into_bytes()),
            ("br", &plain),
            ("", &vec![b' '; 1_001]),
        ] {
            assert_eq!(open(name, bytes), None, "{name}");
        }
    }

    #[test]
    fn unknown_names_are_told_and_cut() {
        let told = of_encoding("gzip2", b"x");
        assert!(told[0].contains("`gzip2` is not known"), "{told:?}");
        let told = remarks(Some("text/plain;charset=klingon"), None, b"x", true);
        assert!(told[0].contains("charset `klingon`"), "{told:?}");
        let told = of_encoding(&"é\0".repeat(5_000), b"x");
        assert!(told[0].len() < 200 && !told[0].contains('\0'), "{told:?}");
    }

    #[test]
    fn gzip_that_is_broken_is_told() {
        let good = packed(b"some text that is long enough to be cut");
        let mut wrong = good.clone();
        let last = wrong.len() - 6;
        wrong[last] ^= 0xff;
        for broken in [&b"no gzip"[..], b"", &good[..good.len() - 9], &wrong] {
            let told = of_encoding("gzip", broken);
            assert!(told[0].contains("cannot be unpacked"), "{told:?}");
        }
        let cut = &good[..good.len() - 9];
        assert_eq!(remarks(None, Some("gzip"), cut, false), [""; 0]);
    }

    #[test]
    fn a_bomb_is_not_unpacked_to_its_end() {
        let mut bomb = packed(&vec![0; 16 * 1024 * 1024]);
        let last = bomb.len() - 6;
        bomb[last] ^= 0xff;
        assert_eq!(of_encoding("gzip", &bomb), [""; 0]);
    }
}
