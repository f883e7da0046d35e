//! Places in the list of queues.

use crate::topology::QueueCursor;

#[test]
fn a_cursor_is_read_as_it_was_written_and_nothing_else_is() {
    let cursor = QueueCursor {
        broker: "main".to_owned(),
        vhost: "/".to_owned(),
        name: "a/b %41<ü>".to_owned(),
    };
    assert_eq!(cursor.to_string().parse(), Ok(cursor.clone()));
    // "main", then "main\0/\0a\0b", bytes that are no text, and too long a name.
    let long = QueueCursor { name: "q".repeat(300), ..cursor.clone() };
    for text in ["", "!", "bWFpbg", "bWFpbgAvAGEAYg", "_w", &long.to_string()] {
        assert!(text.parse::<QueueCursor>().is_err(), "{text}");
    }
    assert!(cursor.is_before(("main", "a", "a")), "the next vhost");
    assert!(cursor.is_before(("main", "/", "a/c")));
    for passed in [("main", "/", "a/b %41<ü>"), ("main", "", "z"), ("lain", "z", "z")] {
        assert!(!cursor.is_before(passed), "{passed:?}");
    }
}
