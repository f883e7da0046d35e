//! What is shown of names that nobody can read.

use super::*;

#[test]
fn what_can_be_read_stays_as_it_is() {
    for text in
        ["", "orders.dead", "grüße ✉ 注文 заказы", "e\u{301}", "שלום", "a b", "⟨U+202E⟩", "👍🏽"]
    {
        assert!(matches!(visible(text), Cow::Borrowed(same) if same == text));
        assert!(matches!(visible_lines(text), Cow::Borrowed(same) if same == text));
    }
}

#[test]
fn what_nobody_sees_is_named() {
    for (hidden, shown) in [
        ("\u{202e}evil.krow", "⟨U+202E⟩evil.krow"),
        ("work\u{200b}", "work⟨U+200B⟩"),
        ("a\u{2066}b\u{2069}", "a⟨U+2066⟩b⟨U+2069⟩"),
        ("a\0b", "a⟨U+0000⟩b"),
        ("\u{1b}[31m", "⟨U+001B⟩[31m"),
        ("\u{7f}\u{9f}", "⟨U+007F⟩⟨U+009F⟩"),
        ("co\u{ad}op", "co⟨U+00AD⟩op"),
        ("\u{feff}a", "⟨U+FEFF⟩a"),
        ("\u{3164}\u{ffa0}\u{115f}", "⟨U+3164⟩⟨U+FFA0⟩⟨U+115F⟩"),
        ("a\u{e0041}", "a⟨U+E0041⟩"),
        ("a\u{2028}b", "a⟨U+2028⟩b"),
        ("\u{61c}\u{180e}\u{fff9}", "⟨U+061C⟩⟨U+180E⟩⟨U+FFF9⟩"),
    ] {
        assert_eq!(visible(hidden), shown);
        assert_eq!(visible_lines(hidden), shown);
    }
}

#[test]
fn a_name_has_one_line_and_a_body_has_many() {
    assert_eq!(visible("a\nb\tc\r\n"), "a⟨U+000A⟩b⟨U+0009⟩c⟨U+000D⟩⟨U+000A⟩");
    assert!(matches!(visible_lines("a\nb\tc\r\n"), Cow::Borrowed("a\nb\tc\r\n")));
    // One that is the end of no line goes back to its beginning, and is written over.
    assert_eq!(visible_lines("a\rb"), "a⟨U+000D⟩b");
}

#[test]
fn a_combining_mark_needs_something_before_it() {
    assert_eq!(visible("\u{301}a"), "⟨U+0301⟩a");
    assert_eq!(visible("\u{301}\u{302}"), "⟨U+0301⟩⟨U+0302⟩");
    assert_eq!(visible("\u{200b}\u{301}"), "⟨U+200B⟩⟨U+0301⟩");
    assert_eq!(visible("a\u{301}"), "a\u{301}");
}

#[test]
fn a_name_that_runs_from_right_to_left_is_isolated_within_a_sentence() {
    assert_eq!(visible_within("שלום"), "\u{2068}שלום\u{2069}");
    assert_eq!(visible_within("\u{202e}work"), "⟨U+202E⟩work");
    assert!(matches!(visible_within("work"), Cow::Borrowed("work")));
}

#[test]
fn marks_are_told_apart_from_what_looks_like_one() {
    assert_eq!(
        pieces("⟨U+202E⟩\u{202e}a"),
        [Piece::Plain("⟨U+202E⟩"), Piece::Mark("⟨U+202E⟩".to_owned()), Piece::Plain("a"),]
    );
    assert!(pieces("").is_empty());
}

/// Whatever a text holds, nothing hidden is left in what is shown of it.
#[test]
fn nothing_hidden_is_left() {
    let every: String = (0..=0x10_FFFF).filter_map(char::from_u32).collect();
    assert!(!visible(&every).chars().any(is_hidden));
    let shown = visible_lines(&every);
    let mut left = shown.chars().filter(|one| is_hidden(*one));
    assert!(left.all(|one| matches!(one, '\n' | '\t')));
}
