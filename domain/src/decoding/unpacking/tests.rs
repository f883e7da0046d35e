use proptest::prelude::*;

use super::super::tests::{PACKING, packed};
use super::*;

const MOST: usize = 1_000;

fn named(encoding: &str, body: &[u8]) -> Option<Vec<u8>> {
    let labels = Labels { content_encoding: Some(encoding), ..Labels::default() };
    let unpacked = unpack_named(labels, body, true, MOST);
    (unpacked.faults.is_empty() && unpacked.is_whole).then(|| unpacked.bytes.into_owned())
}

fn unnamed(body: &[u8]) -> (Vec<u8>, Vec<(Format, Evidence)>) {
    let unpacked = unpack(Labels::default(), body, true, MOST);
    let steps = unpacked.steps.iter().map(|step| (step.format, step.evidence)).collect();
    (unpacked.bytes.into_owned(), steps)
}

const PLAIN: &[u8] = b"{\"id\": 42, \"name\": \"a name, a name, a name\"}";

#[test]
fn each_coding_is_undone_by_its_name_and_by_its_bytes() {
    for (name, format) in PACKING {
        let body = packed(format, PLAIN);
        assert_eq!(named(name, &body).as_deref(), Some(PLAIN), "{name}");
        let upper = format!(" {}", name.to_uppercase());
        assert_eq!(named(&upper, &body).as_deref(), Some(PLAIN), "{name}");
        let by_bytes = unnamed(&body);
        match format {
            // Nothing tells these by their bytes.
            Format::Brotli | Format::Deflate => assert_eq!(by_bytes.1, [], "{name}"),
            Format::Base64 => assert_eq!(by_bytes.1, [(format, Evidence::Shape)]),
            _ => assert_eq!(by_bytes, (PLAIN.to_vec(), vec![(format, Evidence::Magic)])),
        }
    }
}

#[test]
fn codings_are_undone_in_their_turn() {
    let zipped = packed(Format::Gzip, PLAIN);
    let both = packed(Format::Base64, &zipped);
    assert_eq!(named("gzip, base64", &both).as_deref(), Some(PLAIN));
    let (plain, steps) = unnamed(&both);
    assert_eq!(plain, PLAIN);
    assert_eq!(steps, [(Format::Base64, Evidence::Shape), (Format::Gzip, Evidence::Magic)]);
    let mut lines = both.clone();
    for at in (1..both.len() / 20).rev() {
        lines.splice(at * 20..at * 20, *b"\r\n");
    }
    assert_eq!(unnamed(&lines).0, PLAIN);
}

#[test]
fn what_is_called_by_a_wrong_name_is_undone_as_what_it_is() {
    let body = packed(Format::Zstd, PLAIN);
    let labels = Labels { content_encoding: Some("gzip"), ..Labels::default() };
    let unpacked = unpack(labels, &body, true, MOST);
    assert_eq!(&*unpacked.bytes, PLAIN);
    assert_eq!(unpacked.faults, ["The sender calls the body gzip, but it is Zstandard."]);
    let body = packed(Format::Base64, &body);
    let unpacked = unpack(labels, &body, true, MOST);
    assert_eq!((&*unpacked.bytes, unpacked.steps.len()), (PLAIN, 2), "only its form tells");
    assert!(unpacked.faults[0].contains("cannot be unpacked"), "{:?}", unpacked.faults);
    for (name, _) in PACKING {
        let unpacked =
            unpack(Labels { content_encoding: Some(name), ..Labels::default() }, PLAIN, true, MOST);
        assert_eq!(&*unpacked.bytes, PLAIN, "{name}");
        assert_eq!((unpacked.steps.len(), unpacked.faults.len()), (0, 1), "{name}");
    }
}

#[test]
fn plain_texts_are_left_as_they_are() {
    for body in [
        &b""[..],
        b"deadbeefdeadbeefdeadbeef",
        b"theorderthatcouldnotbeplaced",
        b"0123456789012345678901234567",
        b"x\x9c is not zlib",
        b"\x1f\x8b\x08 nor is this gzip",
        b"{\"a\": \"eyJ1c2VyX2lkIjoidS0zMTgifQ==\"}",
    ] {
        assert_eq!(unnamed(body), (body.to_vec(), Vec::new()));
    }
}

#[test]
fn what_comes_out_is_bounded() {
    for (name, format) in PACKING {
        assert_eq!(named(name, &packed(format, &[b' '; MOST])).map(|b| b.len()), Some(MOST));
        let labels = Labels { content_encoding: Some(name), ..Labels::default() };
        let bomb = packed(format, &vec![b' '; 5_000_000]);
        let unpacked = unpack(labels, &bomb, true, MOST);
        assert_eq!((unpacked.bytes.len(), unpacked.is_whole), (MOST, false), "{name}");
    }
    let mut nested = PLAIN.to_vec();
    for _ in 0..20 {
        nested = packed(Format::Gzip, &nested);
    }
    assert_eq!(unnamed(&nested).1.len(), MOST_STEPS);
}

proptest! {
    #[test]
    fn nothing_is_made_up_of_a_beginning(size in 0..2_000_usize, cut in 0..400_usize) {
        let plain: Vec<u8> = (0..size).map(|n| u8::try_from(n * n % 251).expect("small")).collect();
        for (name, format) in PACKING {
            let body = packed(format, &plain);
            let labels = Labels { content_encoding: Some(name), ..Labels::default() };
            let begin = &body[..cut.min(body.len())];
            let unpacked = unpack_named(labels, begin, false, MOST);
            prop_assert!(!unpacked.is_whole, "{name}");
            prop_assert!(
                !unpacked.faults.is_empty() || plain.starts_with(&unpacked.bytes),
                "{name}"
            );
        }
    }

    #[test]
    fn any_bytes_under_any_name_are_bounded(bytes: Vec<u8>, which in 0..9_usize) {
        let name = PACKING.get(which).map_or("", |one| one.0);
        let labels = Labels { content_encoding: Some(name), ..Labels::default() };
        let unpacked = unpack(labels, &bytes, true, MOST);
        prop_assert!(unpacked.bytes.len() <= bytes.len().max(MOST));
    }
}
