//! Bodies are made within bounds, and an edit is checked.

use super::*;
use dlo_domain::changing::{Edit, MOST_EDITED_BYTES};
use dlo_domain::decoding::BodyHead;
use uuid::Uuid;

fn letter(number: u128) -> LetterId {
    LetterId(Uuid::from_u128(number))
}

fn sized(letter: LetterId, bytes: i64) -> Size {
    Size { letter, ordinal: 1, bytes }
}

#[test]
fn what_is_in_memory_is_bounded() {
    let mib = 1024 * 1024;
    let sizes = [1, 3 * mib, 2 * mib, 5 * mib, 17 * mib, 0];
    let sizes = (1..).zip(sizes).map(|(n, bytes)| sized(letter(n), bytes)).collect();
    let mut sent = HashMap::new();
    let made = batches(sizes, &mut sent);
    let numbers: Vec<Vec<u128>> =
        made.iter().map(|batch| batch.iter().map(|letter| letter.0.as_u128()).collect()).collect();
    assert_eq!(numbers, [vec![1, 2], vec![3], vec![4], vec![6]]);
    let too_large = &sent[&letter(5)].sent;
    assert!(matches!(too_large, Sent::Failed(why) if why.contains("16 MiB")));
    let many = (0..1_001).map(|n| sized(letter(n), 1)).collect();
    assert_eq!(batches(many, &mut sent).len(), 3);
}

#[test]
fn an_edit_that_changes_nothing_is_no_change() {
    let original = Original {
        letter: letter(1),
        ordinal: 2,
        head: BodyHead { content_type: Some("text/plain".into()), ..BodyHead::default() },
        body: b"a".to_vec(),
    };
    assert_eq!(edited(&original, b"a", None), Sent::Same);
    assert_eq!(edited(&original, b"a", Some("text/plain")), Sent::Same);
    for (body, kind, other) in [
        (&b"b"[..], None, None),
        (b"b", Some("text/plain"), None),
        (b"a", Some("application/json"), Some("application/json")),
    ] {
        let Sent::Changed(frozen) = edited(&original, body, kind) else {
            panic!("a change");
        };
        assert_eq!(frozen.body, body);
        assert_eq!(frozen.content_type.as_deref(), other);
        assert_eq!(frozen.ordinal, 2);
    }
}

#[test]
fn an_edit_is_checked() {
    assert_eq!(check_edit(b"", None), Ok(()));
    assert!(check_edit(&vec![0; MOST_EDITED_BYTES + 1], None).is_err());
    for kind in ["", "a\0b", "a\nb", &"x".repeat(256)] {
        assert!(check_edit(b"", Some(kind)).is_err(), "{kind}");
    }
    let edit = Edit { body: "no base64!".into(), content_type: None };
    assert!(read_edit(&edit).unwrap_err().contains("base64"));
}
