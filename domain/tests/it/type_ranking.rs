//! Messages of 50 types, some much alike: the ranking names the right one, and none for what is none.

#[path = "../protobuf/measured.rs"]
mod measured;
#[path = "../protobuf/random_messages.rs"]
mod random_messages;

use measured::Measured;

#[test]
fn random_messages_of_fifty_types_are_told_apart() {
    let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/protobuf");
    let measured = Measured::of(directory, &["shop.proto".to_owned()], 80).expect("compiled");
    println!("{measured}");
    assert!(measured.types >= 50 && measured.messages >= 2_400, "{measured}");
    assert!(Measured::percent(measured.first, measured.messages) >= 95.0, "{measured}");
    assert!(Measured::percent(measured.falsely_named, 20_000) <= 2.0, "{measured}");
}
