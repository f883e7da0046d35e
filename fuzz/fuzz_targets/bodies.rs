//! What is said of a body, and how it is unpacked: bounded, whatever it claims to be.
#![no_main]

use dlo_domain::encoding;
use libfuzzer_sys::fuzz_target;

/// More than a page shows.
const MOST_BYTES: usize = 1024 * 1024;

fuzz_target!(|input: (Option<&str>, Option<&str>, &[u8])| {
    let (content_type, content_encoding, body) = input;
    let _ = encoding::remarks(content_type, content_encoding, body, true);
    let _ = encoding::remarks(content_type, content_encoding, body, false);
    if let Some(plain) = encoding::unpacked(content_encoding, body, MOST_BYTES) {
        assert!(plain.len() <= MOST_BYTES, "{} bytes came out", plain.len());
    }
});
