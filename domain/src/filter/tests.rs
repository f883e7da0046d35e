//! The language as a whole: what is read, what is refused, and what is written back.

use chrono::{TimeZone as _, Utc};
use proptest::prelude::*;

use super::*;
use crate::death::Reason;

fn read(text: &str) -> LetterFilter {
    LetterFilter::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
}

#[test]
fn texts_are_read_and_written_in_one_form() {
    for (text, written) in [
        ("", ""),
        ("  ", ""),
        ("queue:orders.*   reason:expired", "queue:orders.* reason:expired"),
        ("a AND b OR c d", "a b OR c d"),
        ("(a OR b) AND (c)", "(a OR b) c"),
        ("((a b) c)", "a b c"),
        ("NOT a -b -(c d)", "-a -b -(c d)"),
        ("--a", "--a"),
        ("error:\"connection refused\"", "error_message:\"connection refused\""),
        ("TYPE:Order class:*.E", "message_type:Order error_class:*.E"),
        ("state:HELD", "state:held"),
        ("state:(held, unknown)", "state:(held,unknown)"),
        ("queue:(\"a b\",c*)", "queue:(\"a b\",c*)"),
        ("severity:>=high", "severity:>=high"),
        ("size:>64KB size:1..2mb", "size:>64kb size:1..2mb"),
        ("age:<60m age:1h..2d", "age:<1h age:1h..2d"),
        ("last_arrived:2026-11-20..2026-11-21", "last_arrived:2026-11-20..2026-11-21"),
        ("since:3600s until:2026-11-21T03:00:00Z", "since:1h until:2026-11-21T03:00:00Z"),
        ("has:header.tenant -has:body.a.b", "has:header.tenant -has:body.a.b"),
        ("header.tenant:acme", "header.tenant:acme"),
        ("header.\"a b\".\"c.d\":x", "header.\"a b\".\"c.d\":x"),
        ("body.a:>1.50 body.b:-1..1e3", "body.a:>1.5 body.b:-1..1000"),
        ("body.path:../x", "body.path:\"../x\""),
        ("exchange:\"\"", "exchange:\"\""),
        ("queue:a\\b", "queue:\"a\\\\b\""),
        ("\"say \\\"no\\\" \\*\"", "\"say \\\"no\\\" \\*\""),
        ("*time*out*", "time*out"),
        ("\"-a\" \"OR\" \"a:b\" \"header.x\"", "\"-a\" \"OR\" \"a:b\" \"header.x\""),
        ("or and not Or", "or and not Or"),
        ("id:019A0F3E-5a4b-7c2d-8e1f-0123456789ab", "id:019a0f3e-5a4b-7c2d-8e1f-0123456789ab"),
    ] {
        assert_eq!(read(text).to_string(), written, "{text}");
        assert_eq!(read(written), read(text), "{text}");
    }
}

#[test]
fn faults_name_the_place_and_the_cure() {
    for (text, position, length, why) in [
        ("colour:red", 0, 6, "there is no field `colour`"),
        ("state:held colour:red", 11, 6, "there is no field `colour`"),
        ("state:dead", 6, 4, "`dead` is not a state: use held, "),
        ("ä reason:x", 9, 1, "is not a reason"),
        ("queue:\"a", 6, 2, "never closed"),
        ("since:soon", 6, 4, "is not a time"),
        ("age:soon", 4, 4, "is not a length of time"),
        ("queue:", 0, 6, "has no value"),
        ("queue: a", 0, 6, "has no value"),
        ("source:\"\"", 0, 9, "has no value"),
        ("queue:>a", 6, 1, "no greater and smaller"),
        ("since:>1h", 6, 1, "takes a time as it is"),
        ("(a", 0, 1, "never closed"),
        ("a)", 1, 1, "unmatched parenthesis"),
        ("()", 1, 1, "a term is missing before"),
        ("a OR", 4, 0, "ends where a term should follow"),
        ("OR a", 0, 2, "needs a term on either side"),
        ("a AND OR b", 6, 2, "needs a term on either side"),
        ("- a", 0, 1, "a minus stands right before"),
        ("a\"b\"", 0, 2, "right after a word"),
        ("foo(bar)", 0, 4, "right after a word"),
        ("\"a\"b", 0, 3, "text follows this quote"),
        ("*", 0, 1, "no text to search for"),
        ("error:*", 6, 1, "needs a text to look for"),
        ("state:(held", 6, 5, "this list is never closed"),
        ("state:(held unknown)", 12, 1, "put a comma"),
        ("state:()", 6, 1, "has no value"),
        ("since:(1h,2h)", 6, 1, "one value, not a list"),
        ("size:1tb", 5, 3, "is not a size"),
        ("size:1kb..x", 10, 1, "is not a size"),
        ("arrivals:many", 9, 4, "is not a number"),
        ("body.a:>b", 8, 1, "only numbers are compared"),
        ("id:7", 3, 1, "is not an id"),
        ("last_arrived:>1h", 14, 2, "write age:<1h"),
        ("first_arrived:>1h", 15, 2, "write first_age:<1h"),
        ("header:x", 0, 6, "write header.name:value"),
        ("header.x", 0, 8, "a value is missing"),
        ("header.:x", 0, 7, "a name is missing"),
        ("body.a..b:x", 0, 9, "a name is missing"),
        (":x", 0, 1, "the field name is missing before"),
        ("queue:a\0", 7, 1, "NUL character"),
    ] {
        let fault = LetterFilter::parse(text).expect_err(text);
        assert!(fault.why.contains(why), "{text}: {}", fault.why);
        assert_eq!((fault.position, fault.length), (position, length), "{text}");
    }
}

#[test]
fn what_is_as_deep_as_may_be_is_read_again_as_it_was_written() {
    for text in [
        format!("{}a", "-".repeat(MOST_DEPTH)),
        format!("{}(a b)", "-".repeat(MOST_DEPTH - 1)),
        format!("{}a b{}", "-(".repeat(MOST_DEPTH / 2), ")".repeat(MOST_DEPTH / 2)),
    ] {
        let filter = LetterFilter::parse(&text).expect("not too deep");
        assert_eq!(LetterFilter::parse(&filter.to_string()), Ok(filter), "{text}");
    }
}

#[test]
fn what_anybody_may_send_is_bounded() {
    let long = "x".repeat(MOST_BYTES + 1);
    let deep = format!("{}a{}", "(".repeat(MOST_DEPTH + 1), ")".repeat(MOST_DEPTH + 1));
    let minus = format!("{}a", "-".repeat(MOST_DEPTH + 1));
    let many = "a ".repeat(MOST_TERMS + 1);
    let listed = format!("queue:({}a)", "a,".repeat(MOST_TERMS));
    let steps = format!("body.{}:1", vec!["a"; MOST_STEPS + 1].join("."));
    for (text, why) in [
        (long, "more than 4096 bytes"),
        (deep, "more than 20 parentheses"),
        (minus, "more than 20 parentheses"),
        ("(".repeat(MOST_BYTES), "more than 20 parentheses"),
        (many, "more than 100 values"),
        (listed, "more than 100 values"),
        (steps, "at most 16 names"),
    ] {
        let fault = LetterFilter::parse(&text).expect_err("too much");
        assert!(fault.why.contains(why), "{}", fault.why);
    }
    assert!(LetterFilter::parse(&"a ".repeat(MOST_TERMS)).is_ok());
}

#[test]
fn a_form_with_empty_fields_filters_nothing() {
    let pairs = [("queue", ""), ("state", ""), ("cursor", "x"), ("q", "")];
    let filter = LetterFilter::from_query(pairs).expect("readable");
    assert!(filter.is_empty());
}

#[test]
fn a_field_of_its_own_wins_over_the_text() {
    let pairs = [("q", "state:held queue:a -queue:b"), ("queue", "b c\"*"), ("age", "<1h")];
    let filter = LetterFilter::from_query(pairs).expect("readable");
    assert_eq!(filter.to_string(), "state:held queue:\"b c\\\"*\" -queue:b age:<1h");
    for (name, value) in [("state", "dead"), ("since", "soon"), ("queue", "a\0"), ("age", "1h 2h")]
    {
        assert!(LetterFilter::from_query([(name, value)]).is_err(), "{name}");
    }
}

#[test]
fn a_form_holds_what_it_can_and_the_rest_stays() {
    let text =
        "state:held queue:a* since:1h size:>1kb -reason:expired state:unknown source:\"x\\*\"";
    let (form, rest) = read(text).form();
    assert_eq!(
        form,
        FilterForm {
            state: Some(LetterState::Held),
            queue: Some("a*".into()),
            since: Some(Moment::Ago(3600)),
            ..FilterForm::default()
        }
    );
    assert_eq!(rest.to_string(), "size:>1kb -reason:expired state:unknown source:\"x\\*\"");
    let full = FilterForm {
        source: Some("s".into()),
        reason: Some(Reason::Maxlen),
        error_class: Some("E*".into()),
        until: Some(Moment::At(Utc.timestamp_opt(0, 0).single().expect("a time"))),
        ..form
    };
    assert_eq!(LetterFilter::from(full.clone()).form(), (full, LetterFilter::default()));
}

#[test]
fn it_is_known_which_states_a_filter_can_mean() {
    for (text, held, discarded) in [
        ("", true, true),
        ("state:held", true, false),
        ("-state:held", false, true),
        ("-(state:held queue:a)", true, true),
        ("state:(held,discarded) a", true, true),
        ("state:held OR a", true, true),
        ("state:held state:discarded", false, false),
        ("-(state:held OR a)", false, true),
    ] {
        let filter = read(text);
        assert_eq!(filter.allows_state(LetterState::Held), held, "{text}");
        assert_eq!(filter.allows_state(LetterState::Discarded), discarded, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_text_makes_it_panic(text in ".{0,60}") {
        let _ = LetterFilter::parse(&text);
    }

    #[test]
    fn no_text_of_its_own_signs_makes_it_panic(
        parts in proptest::collection::vec(
            prop_oneof![
                Just("("), Just(")"), Just("\""), Just("\\"), Just("-"), Just(" "), Just(":"),
                Just(","), Just(".."), Just("*"), Just(">="), Just("<"), Just("NOT "), Just(" OR "),
                Just("has:"), Just("state:"), Just("held"), Just("body."), Just("header.\""),
                Just("age:"), Just("1h"), Just("ä"), Just("size:"), Just("9kb"),
            ],
            0..24,
        )
    ) {
        let text = parts.concat();
        if let Ok(filter) = LetterFilter::parse(&text) {
            prop_assert_eq!(LetterFilter::parse(&filter.to_string()), Ok(filter), "{}", text);
        }
    }
}
