use proptest::prelude::*;

use super::*;
use crate::wire::{FieldValue, MOST_LEVELS, Properties};

/// A content header frame's payload: flags, then the octets of the properties.
fn payload(flags: u16, properties: &[u8]) -> Vec<u8> {
    let mut octets = vec![0, 60, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5];
    octets.extend(flags.to_be_bytes());
    octets.extend(properties);
    octets
}

/// A payload with headers alone.
fn with_headers(fields: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    put_long(&mut octets, fields);
    payload(0x2000, &octets)
}

fn field(name: &[u8], value: &[u8]) -> Vec<u8> {
    let mut octets = Vec::new();
    put_short(&mut octets, name);
    octets.extend(value);
    octets
}

/// An array in an array, so many times, around a void.
fn nested(levels: usize) -> Vec<u8> {
    let mut octets = b"V".to_vec();
    for _ in 0..levels {
        let inside = std::mem::replace(&mut octets, b"A".to_vec());
        put_long(&mut octets, &inside);
    }
    octets
}

#[test]
fn every_property_is_read_at_its_place() {
    let mut octets = Vec::new();
    put_short(&mut octets, b"text/plain");
    put_short(&mut octets, b"gzip");
    put_long(&mut octets, &field(b"n", &[b'I', 0, 0, 0, 7]));
    octets.extend([2, 9]);
    for text in [&b"correlation"[..], b"reply", b"5000", b"m-1"] {
        put_short(&mut octets, text);
    }
    octets.extend(1_700_000_000_u64.to_be_bytes());
    for text in [&b"order.placed"[..], b"guest", b"shop", b"cluster"] {
        put_short(&mut octets, text);
    }
    let octets = payload(0xfffc, &octets);
    let header = ContentHeader::read(&octets);
    assert_eq!(
        header.properties,
        Properties {
            content_type: Some("text/plain".into()),
            content_encoding: Some("gzip".into()),
            delivery_mode: Some(2),
            priority: Some(9),
            correlation_id: Some("correlation".into()),
            reply_to: Some("reply".into()),
            expiration: Some("5000".into()),
            message_id: Some("m-1".into()),
            timestamp: Some(1_700_000_000),
            kind: Some("order.placed".into()),
            user_id: Some("guest".into()),
            app_id: Some("shop".into()),
            cluster_id: Some("cluster".into()),
        }
    );
    assert_eq!(header.headers.get("n"), Some(&FieldValue::LongInt(7)));
    assert_eq!(header.faults, []);
}

#[test]
fn a_text_that_is_not_utf8_is_kept_and_named() {
    let mut octets = Vec::new();
    put_short(&mut octets, &[b'm', 0xff]);
    let octets = payload(1 << 7, &octets);
    let header = ContentHeader::read(&octets);
    let id = header.properties.message_id.expect("a message id");
    assert_eq!(id.as_bytes(), [b'm', 0xff]);
    assert_eq!(header.faults, [WireFault::PropertyNotUtf8("message id")]);
    assert!(header.faults[0].is_undecodable());
}

#[test]
fn both_values_of_a_repeated_name_are_kept() {
    let fields = [field(b"a", b"t\x01"), field(b"b", b"V"), field(b"a", b"V")].concat();
    let octets = with_headers(&fields);
    let header = ContentHeader::read(&octets);
    let values: Vec<_> = header.headers.0.iter().map(|f| f.value.clone()).collect();
    let (yes, void) = (FieldValue::Boolean(true), FieldValue::Void);
    assert_eq!(values, [yes, void.clone(), void]);
    assert_eq!(header.faults, [WireFault::DuplicateName("a".into())]);
    assert!(!header.faults[0].is_undecodable());
}

#[test]
fn the_same_name_in_two_tables_is_not_repeated() {
    let inside = field(b"a", b"V");
    let mut table = b"F".to_vec();
    put_long(&mut table, &inside);
    let octets = with_headers(&[field(b"a", &table), field(b"b", &table)].concat());
    assert_eq!(ContentHeader::read(&octets).faults, []);
}

#[test]
fn what_lies_too_deep_is_kept_as_octets() {
    for levels in [0, 1, MOST_LEVELS, MOST_LEVELS + 1, 26_000] {
        let octets = with_headers(&field(b"n", &nested(levels)));
        let header = ContentHeader::read(&octets);
        assert_eq!(header.faults, [], "{levels}");
        let mut value = header.headers.get("n").expect("there").clone();
        let mut seen = 0;
        while let FieldValue::Array(mut values) = value {
            value = values.remove(0);
            seen += 1;
        }
        assert_eq!(seen, levels.min(MOST_LEVELS));
        if levels > MOST_LEVELS {
            assert_eq!(value, FieldValue::Deep(nested(levels - MOST_LEVELS)));
        }
    }
}

#[test]
fn what_follows_no_rule_is_kept_in_the_fault() {
    let cut = with_headers(&[field(b"a", b"V"), field(b"b", b"?x")].concat());
    let header = ContentHeader::read(&cut);
    assert_eq!(header.headers.0.len(), 1);
    let rest = field(b"b", b"?x");
    assert_eq!(header.faults, [WireFault::Malformed { part: "headers", octets: rest }]);
    for octets in [&b""[..], b"\0", &payload(0x2000, b"\0\0\0\x09V"), &payload(3, b"")] {
        let faults = ContentHeader::read(octets).faults;
        assert!(faults.iter().any(WireFault::is_undecodable), "{octets:?}");
    }
}

#[test]
fn a_table_that_does_not_read_to_its_end_is_kept_as_octets() {
    let mut table = b"F".to_vec();
    put_long(&mut table, &field(b"a", b"?"));
    let header = ContentHeader::read(&with_headers(&field(b"t", &table)));
    assert_eq!(header.headers.get("t"), Some(&FieldValue::Deep(table)));
    assert_eq!(header.faults.len(), 1);
}

#[test]
fn faults_are_bounded() {
    let fields: Vec<u8> = (0..1_000_u32)
        .flat_map(|n| field(&[&[0xff], &n.to_be_bytes()[..]].concat(), b"V"))
        .collect();
    let header = ContentHeader::read(&with_headers(&fields));
    assert_eq!(header.headers.0.len(), 1_000);
    assert!(header.faults.len() <= 10, "{}", header.faults.len());
}

#[test]
fn notes_say_what_is_wrong_and_what_was_kept() {
    assert_eq!(WireFault::notes(&[]), Vec::<String>::new());
    let faults = [
        WireFault::PropertyNotUtf8("message id"),
        WireFault::AddressNotUtf8 { part: "routing key", octets: vec![b'k', 0xff] },
        WireFault::DuplicateName("twice".into()),
    ];
    let notes = WireFault::notes(&faults);
    assert_eq!(notes.len(), 2);
    assert!(
        notes[0].starts_with(
            "Undecodable: the message id is not UTF-8; the routing key is not UTF-8 (its octets in \
             Base64: a/8=)."
        ),
        "{}",
        notes[0]
    );
    assert!(
        notes[1].starts_with("Repeated: the header `twice` is there more than once."),
        "{}",
        notes[1]
    );
}

/// Octets that are often nearly a table.
fn fields(depth: u32) -> BoxedStrategy<Vec<u8>> {
    let scalar = prop_oneof![
        Just(b"V".to_vec()),
        any::<u8>().prop_map(|n| vec![b't', n]),
        any::<i32>().prop_map(|n| [&b"I"[..], &n.to_be_bytes()].concat()),
        proptest::collection::vec(any::<u8>(), 0..4),
        proptest::collection::vec(any::<u8>(), 0..9).prop_map(|text| {
            let mut octets = b"S".to_vec();
            put_long(&mut octets, &text);
            octets
        }),
    ];
    let value = if depth == 0 {
        scalar.boxed()
    } else {
        let inside = (fields(depth - 1), any::<bool>()).prop_map(|(inside, is_table)| {
            let mut octets = if is_table { b"F".to_vec() } else { b"A".to_vec() };
            put_long(&mut octets, &inside);
            octets
        });
        prop_oneof![3 => scalar, 1 => inside].boxed()
    };
    let name = prop_oneof![
        proptest::collection::vec(b'a'..b'd', 0..3),
        proptest::collection::vec(any::<u8>(), 0..3),
    ];
    proptest::collection::vec((name, value), 0..5)
        .prop_map(|pairs| {
            let fields = pairs.iter().map(|(name, value)| field(name, value));
            fields.collect::<Vec<_>>().concat()
        })
        .boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    // What is read is compared with what another reader reads in `server/src/broker/octets/frames/tests.rs`.
    #[test]
    fn any_octets_are_read_with_few_faults(
        fields in fields(3),
        octets in proptest::collection::vec(any::<u8>(), 0..200),
    ) {
        for payload in [with_headers(&fields), octets] {
            let faults = ContentHeader::read(&payload).faults;
            prop_assert!(faults.len() <= 10, "{faults:?}");
        }
    }
}
