use dlo_domain::wire::{ContentHeader, WireFault};
use lapin::types::parsing::{parse_field_table, parse_short_string};
use proptest::prelude::*;

use super::*;

const BASIC: [u8; 2] = [0, 60];

fn frame(kind: u8, channel: u16, payload: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    put_frame(&mut out, kind, channel, payload);
    out
}

fn put_short(out: &mut Vec<u8>, text: &[u8]) {
    out.push(u8::try_from(text.len()).expect("short"));
    out.extend(text);
}

fn deliver(tag: u64, exchange: &[u8], routing_key: &[u8]) -> Vec<u8> {
    let mut payload = BASIC_DELIVER.to_vec();
    put_short(&mut payload, b"consumer");
    payload.extend(tag.to_be_bytes());
    payload.push(0);
    put_short(&mut payload, exchange);
    put_short(&mut payload, routing_key);
    payload
}

fn get_ok(tag: u64, routing_key: &[u8]) -> Vec<u8> {
    let mut payload = BASIC_GET_OK.to_vec();
    payload.extend(tag.to_be_bytes());
    payload.push(1);
    put_short(&mut payload, b"");
    put_short(&mut payload, routing_key);
    payload.extend(7_u32.to_be_bytes());
    payload
}

/// A content header with a message id alone.
fn header(message_id: &[u8]) -> Vec<u8> {
    let mut payload = BASIC.to_vec();
    payload.extend([0, 0]);
    payload.extend(4_u64.to_be_bytes());
    payload.extend((1_u16 << 7).to_be_bytes());
    put_short(&mut payload, message_id);
    payload
}

/// A content header without properties.
fn bare() -> Vec<u8> {
    let mut payload = header(b"");
    payload.truncate(12);
    payload.extend([0, 0]);
    payload
}

fn tune(frame_max: u32) -> Vec<u8> {
    let mut payload = CONNECTION_TUNE.to_vec();
    payload.extend([0, 0]);
    payload.extend(frame_max.to_be_bytes());
    payload.extend([0, 60]);
    payload
}

struct Read {
    out: Vec<u8>,
    messages: RawMessages,
}

/// Reads octets in pieces of this size.
fn read_in_pieces(octets: &[u8], size: usize) -> Read {
    let messages = RawMessages::default();
    let mut reader = FrameReader::new(messages.clone(), 0);
    let mut out = Vec::new();
    for piece in octets.chunks(size) {
        reader.read(piece, &mut out).expect("read");
    }
    Read { out, messages }
}

fn read(octets: &[u8]) -> Read {
    read_in_pieces(octets, octets.len().max(1))
}

fn at(channel: u16, tag: u64) -> DeliveryPlace {
    DeliveryPlace { channel, tag }
}

#[test]
fn all_but_the_headers_of_deliveries_goes_through_as_it_is() {
    let octets = [
        frame(METHOD, 0, &tune(131_072)),
        frame(METHOD, 1, &deliver(1, b"dlx", b"key")),
        frame(3, 1, b"body"),
        frame(8, 0, b""),
    ]
    .concat();
    for size in [1, 2, 7, 8, 13, 1_000] {
        assert_eq!(read_in_pieces(&octets, size).out, octets, "in pieces of {size}");
    }
}

#[test]
fn a_header_is_replaced_and_kept() {
    for id in [&b"m-1"[..], &[b'm', 0xff]] {
        for (method, tag) in [(deliver(3, b"dlx", b"key"), 3), (get_ok(9, b"key"), 9)] {
            let message = |header: &[u8]| {
                let frames = [frame(METHOD, 2, &method), frame(HEADER, 2, header)];
                [&frames.concat()[..], &frame(3, 2, b"body")].concat()
            };
            for size in [1, 5, 1_000] {
                let read = read_in_pieces(&message(&header(id)), size);
                assert_eq!(read.out, message(&bare()), "in pieces of {size}");
                let kept = read.messages.take(at(2, tag));
                let (header, address, oversize) = (header(id), None, None);
                assert_eq!(kept, Some(RawMessage { address, header, oversize }));
            }
        }
    }
}

#[test]
fn a_routing_key_that_lapin_refuses_is_replaced_and_kept() {
    let octets =
        [frame(METHOD, 1, &get_ok(1, &[b'k', 0xfe])), frame(HEADER, 1, &header(b"m"))].concat();
    let expected = [frame(METHOD, 1, &get_ok(1, b"")), frame(HEADER, 1, &bare())].concat();
    let read = read(&octets);
    assert_eq!(read.out, expected);
    let message = read.messages.take(at(1, 1)).expect("kept");
    assert_eq!(
        message.address,
        Some(RawAddress { exchange: Vec::new(), routing_key: vec![b'k', 0xfe] })
    );
}

#[test]
fn a_header_that_is_longer_than_was_agreed_says_so() {
    let oversize = |frame_max| {
        let octets = [
            frame(METHOD, 0, &tune(frame_max)),
            frame(METHOD, 1, &deliver(1, b"", b"")),
            frame(HEADER, 1, &header(b"a message id")),
        ]
        .concat();
        read(&octets).messages.take(at(1, 1)).expect("kept").oversize
    };
    let bytes = header(b"a message id").len() + AROUND_BYTES;
    let most = u32::try_from(bytes).expect("small");
    assert_eq!(oversize(0), None);
    assert_eq!(oversize(most), None);
    assert_eq!(oversize(most - 1), Some(Oversize { bytes, most: bytes - 1 }));
}

#[test]
fn a_new_channel_has_nothing_of_the_one_before_it() {
    let opened = [&CHANNEL_OPEN_OK[..], &[0, 0, 0, 0]].concat();
    let odd =
        [frame(METHOD, 1, &deliver(1, b"", b"")), frame(HEADER, 1, &header(&[0xff]))].concat();
    let other = read(&[&odd[..], &frame(METHOD, 2, &opened)].concat());
    assert!(other.messages.take(at(1, 1)).is_some());
    let same = read(&[&odd[..], &frame(METHOD, 1, &opened)].concat());
    assert_eq!(same.messages.take(at(1, 1)), None);
}

#[test]
fn a_returned_message_is_no_delivery() {
    let mut returned = BASIC_RETURN.to_vec();
    returned.extend([1, 56]);
    for _ in 0..3 {
        put_short(&mut returned, b"");
    }
    let octets = [frame(METHOD, 1, &returned), frame(HEADER, 1, &header(&[0xff]))].concat();
    assert_eq!(read(&octets).out, octets);
}

#[test]
fn a_broker_of_another_version_is_heard() {
    assert_eq!(read(b"AMQP\0\0\x09\x01").out, b"AMQP\0\0\x09\x01");
}

#[test]
fn a_header_that_no_broker_sends_ends_the_connection() {
    let mut reader = FrameReader::new(RawMessages::default(), 0);
    let mut octets = vec![HEADER, 0, 1];
    octets.extend(u32::MAX.to_be_bytes());
    let why = reader.read(&octets, &mut Vec::new()).expect_err("refused");
    assert_eq!(why.kind(), io::ErrorKind::InvalidData);
}

/// Octets that are often nearly a table.
fn fields() -> impl Strategy<Value = Vec<u8>> {
    let name = prop_oneof![
        proptest::collection::vec(b'a'..b'e', 0..3),
        proptest::collection::vec(any::<u8>(), 0..2),
    ];
    let long = |letter: u8| {
        proptest::collection::vec(any::<u8>(), 0..12).prop_map(move |inside| {
            let count = u32::try_from(inside.len()).expect("small");
            [&[letter][..], &count.to_be_bytes(), &inside].concat()
        })
    };
    let value = prop_oneof![
        4 => (proptest::sample::select(&b"tbBsuUIilLfdDTV"[..]), proptest::collection::vec(any::<u8>(), 8))
            .prop_map(|(letter, octets)| {
                let size = match letter { b'V' => 0, b't' | b'b' | b'B' => 1, b's' | b'u' | b'U' => 2, b'I' | b'i' | b'f' => 4, b'D' => 5, _ => 8 };
                [&[letter][..], &octets[..size]].concat()
            }),
        2 => long(b'S'),
        1 => long(b'x'),
        1 => long(b'A'),
        1 => long(b'F'),
        1 => proptest::collection::vec(any::<u8>(), 0..4),
    ];
    proptest::collection::vec((name, value), 0..5).prop_map(|fields| {
        let mut octets = Vec::new();
        for (name, value) in fields {
            put_short(&mut octets, &name);
            octets.extend(value);
        }
        octets
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3_000))]

    /// What lapin reads is read alike, and what it refuses or loses some of is noted.
    #[test]
    fn a_header_is_read_as_lapin_reads_it(fields in fields()) {
        let count = u32::try_from(fields.len()).expect("small");
        let table = [&count.to_be_bytes()[..], &fields].concat();
        let lapins = parse_field_table(&table[..]).ok().map(|(_, table)| table);
        let mut payload = BASIC.to_vec();
        payload.extend([0, 0, 0, 0, 0, 0, 0, 0, 0, 4, 0x20, 0]);
        payload.extend(&table);
        let header = ContentHeader::read(&payload);
        let is_refused = header.faults.iter().any(WireFault::is_undecodable);
        prop_assert_eq!(lapins.is_none(), is_refused, "{:?}", header.faults);
        if let Some(lapins) = lapins && header.faults.is_empty() {
            let ours = crate::broker::table_to_lapin(&header.headers).expect("lapin's");
            // Compared as text, since lapin finds no NaN equal to itself.
            prop_assert_eq!(format!("{ours:?}"), format!("{lapins:?}"));
        }
    }

    #[test]
    fn a_short_string_is_noted_exactly_when_lapin_refuses_it(id in proptest::collection::vec(any::<u8>(), 0..6)) {
        let mut octets = Vec::new();
        put_short(&mut octets, &id);
        let faults = ContentHeader::read(&header(&id)).faults;
        prop_assert_eq!(parse_short_string(&octets[..]).is_ok(), faults.is_empty());
    }

    #[test]
    fn no_octets_make_the_reader_panic(octets in proptest::collection::vec(any::<u8>(), 0..300), size in 1_usize..50) {
        let mut reader = FrameReader::new(RawMessages::default(), 0);
        let mut out = Vec::new();
        for piece in octets.chunks(size) {
            if reader.read(piece, &mut out).is_err() {
                break;
            }
        }
    }
}
