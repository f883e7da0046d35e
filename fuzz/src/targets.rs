//! A function for each target: it panics if the parser that it tries does not hold.

use std::fmt::Debug;
use std::sync::LazyLock;

use arbitrary::{Arbitrary as _, Unstructured};
use dlo_domain::arrival::Delivered;
use dlo_domain::decoding::{
    self, AvroSchema, KnownTypes, Labels, MessageTypes, Ranked, Rewritable,
};
use dlo_domain::extract::Extract;
use dlo_domain::failure::HeaderMap;
use dlo_domain::filter::{KnownValues, LetterFilter, complete};
use dlo_domain::fingerprint::Fingerprint;
use dlo_domain::grouping::Lines;
use dlo_domain::reading;
use dlo_domain::relations::MOST_RELATION_BYTES;
use dlo_domain::wire::{FieldTable, MOST_LEVELS, WireText};

use super::messages::{depth, message, table, written_message};

/// More than a page shows of a body.
const MOST_BYTES: usize = 1024 * 1024;

/// A body is unpacked and read: bounded, whatever it claims to be.
pub fn bodies(input: &[u8]) {
    type Body<'a> = (Option<&'a str>, Option<&'a str>, &'a [u8]);
    if let Some(Delivered { properties, body, .. }) = written_message(input) {
        let content_type = properties.content_type.as_ref().and_then(WireText::as_str);
        let content_encoding = properties.content_encoding.as_ref().and_then(WireText::as_str);
        body_of(content_type, content_encoding, &body);
    } else if let Ok((content_type, content_encoding, body)) =
        Body::arbitrary_take_rest(Unstructured::new(input))
    {
        body_of(content_type, content_encoding, body);
    }
}

/// Message types of a shop.
fn types() -> &'static MessageTypes {
    static TYPES: LazyLock<MessageTypes> = LazyLock::new(|| {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/../domain/tests/protobuf");
        let mut compiler = protox::Compiler::new([directory]).expect("a directory");
        compiler.open_file("shop.proto").expect("a schema");
        let schemas = include_str!("../../domain/tests/avro/shop.avsc").to_owned();
        let schemas = AvroSchema::read_files(&[("shop.avsc".to_owned(), schemas)].into());
        MessageTypes::new(&[compiler.descriptor_pool()], schemas.expect("schemas"))
    });
    &TYPES
}

fn body_of(content_type: Option<&str>, content_encoding: Option<&str>, body: &[u8]) {
    let nothing = FieldTable::default();
    let known = KnownTypes::of(types(), content_type, None, &nothing);
    let labels = Labels { content_type, content_encoding, known };
    for is_whole in [true, false] {
        let plain = decoding::unpack(labels, body, is_whole, MOST_BYTES);
        assert!(plain.bytes.len() <= MOST_BYTES.max(body.len()), "{}", plain.bytes.len());
        let _ = decoding::read_text(labels, &plain.bytes, plain.is_whole);
        let _ = decoding::read_document(labels, &plain.bytes);
    }
    if let Ok(read) = Rewritable::read(labels, body, MOST_BYTES)
        && read.can_be_rewritten().is_ok()
        && let Some(values) = read.values()
    {
        // What is sent in place of values says what they say, or is not sent.
        let _ = read.with_values(&values);
        let _ = read.with_values("{\"zz\": [1, \"a\", null, {\"b\": 2.5}]}");
    }
    if let Some(inside) = decoding::open_envelope(labels, body, MOST_BYTES) {
        // What is sent in place of the envelope is stored as what arrives is.
        let json = serde_json::to_string(&inside.headers).expect("every table has a JSON form");
        assert_eq!(serde_json::from_str::<FieldTable>(&json).expect("it is read"), inside.headers);
    }
}

/// The ranking of message types: the same for the same bytes, in order, with shares that are at most all there is.
pub fn ranking(input: &[u8]) {
    let MessageTypes { protobuf, avro, .. } = types();
    for is_format in [true, false] {
        is_ranking(|| decoding::rank(protobuf, input, is_format));
        is_ranking(|| avro.rank(input, is_format));
    }
}

fn is_ranking<T: Debug + PartialEq>(rank: impl Fn() -> Vec<Ranked<T>>) {
    let ranked = rank();
    assert_eq!(rank(), ranked);
    assert!(ranked.iter().all(|one| one.bits.is_finite() && one.share >= 0.0), "{ranked:?}");
    assert!(ranked.iter().map(|one| one.share).sum::<f64>() <= 1.000_001, "{ranked:?}");
    assert!(ranked.windows(2).all(|pair| pair[0].share >= pair[1].share), "{ranked:?}");
}

/// The filter language: what is read can be written, and is read again as the same; completion holds at
/// every place of any text.
pub fn filters(input: &[u8]) {
    let Ok(text) = <&str>::arbitrary_take_rest(Unstructured::new(input)) else {
        return;
    };
    if let Ok(filter) = LetterFilter::parse(text) {
        let written = filter.to_string();
        let again = LetterFilter::parse(&written);
        assert_eq!(again.as_ref(), Ok(&filter), "{text:?} was written as {written:?}");
    }
    for (cursor, _) in text.char_indices().take(64) {
        let _ = complete(text, cursor, &KnownValues::default());
    }
}

/// Masking, signatures and the miner: every line has a group, and the same line has the same one.
pub fn grouping(input: &[u8]) {
    let mut lines = Lines::new();
    let mut count = 0;
    for line in input.split(|byte| *byte == b'\n').take(200) {
        lines.push(line);
        lines.push(line);
        count += 2;
    }
    let groups: Vec<_> = lines.groups().collect();
    assert_eq!(groups.len(), count);
    assert!(groups.chunks(2).all(|pair| pair[0] == pair[1]));
}

/// Everything that intake reads out of a message: death history, origin, failure, notes.
pub fn headers(input: &[u8]) {
    let written = written_message(input).ok_or(());
    let Ok(delivered) = written.or_else(|()| message(&mut Unstructured::new(input))) else {
        return;
    };
    let read = reading::read(&delivered, &HeaderMap::default(), types());
    let again = delivered.clone();
    assert_eq!(Fingerprint::of(&delivered), Fingerprint::of(&again));
    // Postgres keeps no NUL in a text, and one text that holds it would refuse the whole letter.
    for note in &read.notes {
        assert!(!note.contains('\0'), "a note holds NUL: {note:?}");
    }
    let message = read.failure.error_message.as_deref();
    let extract = Extract::of(&delivered, read.relations.clone(), read.contents.clone(), message);
    assert!(!extract.text().contains('\0'), "an extract holds NUL");
    for (field, value) in extract.relations.named() {
        assert!(!value.contains('\0') && value.len() <= MOST_RELATION_BYTES, "{field:?}");
    }
}

/// Headers as they are stored: any table comes back from its JSON as it was, and JSON that somebody else
/// wrote is refused or read, never a panic.
pub fn wire_json(input: &[u8]) {
    let written = serde_json::from_slice::<FieldTable>(input).map_err(drop);
    let Ok(table) = written.or_else(|()| table(&mut Unstructured::new(input), 0)) else {
        return;
    };
    let json = serde_json::to_string(&table).expect("every table has a JSON form");
    let again = serde_json::from_str::<FieldTable>(&json);
    // What lies deeper than intake takes tables apart comes back as its octets, or is refused.
    if depth(&table) <= MOST_LEVELS {
        assert_eq!(again.expect("what intake stores is read"), table);
    }
}
