use proptest::prelude::*;

use super::*;

fn canon(text: &str) -> String {
    Masker::new().mask(text).canon.to_owned()
}

#[test]
fn values_are_masked_by_their_looks() {
    let table = [
        ("order 4711 of 9.50 EUR", "order <number> of <number>"),
        ("id 550e8400-e29b-41d4-a716-446655440000 gone", "id <uuid> gone"),
        ("at 0xdeadbeef and deadbeefcafe", "at <hex> and <hex>"),
        ("to 10.0.0.1:5672 from fe80::1:2", "to <ip> from <ip>"),
        ("host db-1.prod.internal is down", "host <host> is down"),
        ("db.example.com:5432 refused", "<host> refused"),
        ("redis:6379 refused, rank:3 kept", "<host> refused, rank:<number> kept"),
        ("localhost refused", "<host> refused"),
        ("mail to ann@example.org bounced", "mail to <email> bounced"),
        ("GET https://api.example.com/v1/x?y=1 failed.", "GET <url> failed."),
        ("open /var/lib/app/report.csv: denied", "open <path>: denied"),
        ("open C:\\data\\in\\a.csv: denied", "open <path>: denied"),
        ("since 2026-11-21T10:00:00Z", "since <time>"),
        ("at Sat May 8 09:04:50 2004", "at <time>"),
        ("key 'order_total' is missing", "key <quoted> is missing"),
        ("retry=true after 5 ms", "retry=<flag> after <number>"),
        ("one of [red, green, blue]", "one of [<list>]"),
        ("user= host=h1", "user=<empty> host=<id>"),
        ("sent 3216 bytes (3.14 KB) away", "sent <number> (<number>) away"),
        ("utf8 and sha256 are words", "utf8 and sha256 are words"),
        ("and/or application/json", "and/or application/json"),
        ("用户123不存在", "用户<number>不存在"),
    ];
    for (text, expected) in table {
        assert_eq!(mask(text), expected, "{text}");
    }
}

#[test]
fn a_quoted_sentence_is_read_like_any_other() {
    assert_eq!(mask(r#"desc = "connection refused""#), r#"desc = "connection refused""#);
    assert_eq!(mask(r#"tag="View Lock""#), "tag=<quoted>");
    assert_eq!(mask("can't open the user's 'file'"), "can't open the user's <quoted>");
}

#[test]
fn how_long_a_list_is_does_not_count() {
    assert_eq!(canon("ask to delete blk_1 blk_2 blk_3"), canon("ask to delete blk_7"));
    assert_eq!(canon("nodes n1 <ok> n2 <ok> n3 <ok>"), canon("nodes n1 <ok> n2 <ok>"));
    assert_eq!(canon("from 1.2.3.4 ()"), canon("from 1.2.3.4 (a.example.com)"));
}

#[test]
fn capitals_count_only_in_names() {
    assert_eq!(canon("Connection Refused"), canon("connection refused."));
    assert_ne!(canon("OrderPlaced"), canon("orderplaced"));
}

#[test]
fn what_is_too_long_is_cut() {
    let long = format!("{}{}", "ä".repeat(MOST_MASKED_BYTES), "tail");
    assert!(mask(&long).len() <= MOST_MASKED_BYTES);
    let wordy = "word ".repeat(MOST_MASKED_BYTES);
    assert!(canon(&wordy).split(' ').count() <= MOST_PIECES);
}

#[test]
fn pathological_lines_take_linear_work() {
    // Each of these made some scanner start over at every byte; a quadratic one takes minutes.
    let nasty =
        ["a..", "[a,", "=\"", "((((", "'", "x=[", "<nu", "1:", "://", "a=b{", "5 ms ", "é1"];
    for part in nasty {
        let line = part.repeat(1_000_000 / part.len());
        let once = mask(&line);
        assert!(once.len() <= 4 * MOST_MASKED_BYTES, "{part}");
    }
}

/// Texts made of what the masks look for, and of anything.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        prop::sample::select(vec![
            "a", "user", "=", ":", "::", "://", " ", "  ", "\"", "'", "`", "(", ")", "[", "]", "{",
            "}", ",", ", ", "..", ".", "/", "\\", "@", "5", "10.0.0.1", "0x1f", "ms", "May", "Sat",
            "UTC", "true", "<number>", "<*>", "<", ">", "<empty>", "é", "用户", "C:\\x", "x.com",
            "deadbeef", "-", "\n", "?", "key=", "Name{", "1-2-3", "\u{fffd}",
        ])
        .prop_map(str::to_owned),
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn masking_never_panics_and_is_deterministic(text in text()) {
        let mut masker = Masker::new();
        let first = masker.mask(&text).canon.to_owned();
        prop_assert_eq!(masker.mask("something else").canon, "something else");
        prop_assert_eq!(masker.mask(&text).canon, first);
    }

    #[test]
    fn masking_twice_is_masking_once(text in text()) {
        let once = mask(&text);
        prop_assert_eq!(mask(&once), once);
    }
}
