//! Tables of how numbers are read.

use super::*;

#[test]
fn counts_are_grouped_by_thousands() {
    for (number, text) in
        [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567"), (-1_000, "−1,000")]
    {
        assert_eq!(count(number), text);
    }
    assert_eq!(counted(1, "letter"), "1 letter");
    assert_eq!(counted(0, "letter"), "0 letters");
}

#[test]
fn sizes_have_at_most_one_decimal_below_ten() {
    for (bytes, text) in [
        (0, "0 B"),
        (1_023, "1023 B"),
        (1_024, "1 KiB"),
        (1_536, "1.5 KiB"),
        (10_240, "10 KiB"),
        (262_144, "256 KiB"),
        (31_457_280, "30 MiB"),
        (1_073_741_824, "1 GiB"),
    ] {
        assert_eq!(size(bytes), text, "{bytes}");
    }
}

#[test]
fn ages_have_one_unit() {
    for (seconds, text) in [
        (-5, "now"),
        (0, "now"),
        (59, "59 s"),
        (60, "1 min"),
        (3_599, "59 min"),
        (3_600, "1 h"),
        (172_800, "2 d"),
        (6_000_000, "2 mo"),
        (100_000_000, "3 y"),
    ] {
        assert_eq!(age(seconds), text, "{seconds}");
    }
}

#[test]
fn times_are_told_in_utc() {
    let at = DateTime::from_timestamp(1_773_285_260, 123_000_000).expect("a time");
    assert_eq!(absolute(at), "2026-03-12 03:14:20 UTC");
    assert_eq!(hour(at), "03:14");
    assert_eq!(machine(at), "2026-03-12T03:14:20.123Z");
}

#[test]
fn error_classes_lose_their_namespace() {
    for (class, short) in [
        ("com.example.Broken", "Broken"),
        ("billing::money::Broken", "Broken"),
        ("App\\Errors\\Broken", "Broken"),
        ("Broken", "Broken"),
        ("odd.", "odd."),
    ] {
        assert_eq!(short_class(class), short);
    }
}

#[test]
fn small_numbers_become_words() {
    assert_eq!([1, 2, 3].map(times), ["once", "twice", "3 times"]);
    assert_eq!(
        [1, 2, 3, 4, 11, 12, 13, 21, 111].map(ordinal),
        ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th"]
    );
}

#[test]
fn what_the_desk_says_becomes_a_sentence() {
    assert_eq!(sentence("there is no letter 7"), "There is no letter 7.");
    assert_eq!(sentence("Say which.\n"), "Say which.");
    assert_eq!(sentence("ärger"), "Ärger.");
    assert_eq!(sentence(""), "");
}

#[test]
fn spans_are_told_in_two_units() {
    for (seconds, wanted) in [
        (0, "0 s"),
        (59, "59 s"),
        (366, "6 min 06 s"),
        (7_260, "2 h 01 min"),
        (190_000, "2 d 04 h"),
    ] {
        assert_eq!(span(seconds), wanted);
    }
}

#[test]
fn the_end_of_an_id_is_told_whatever_an_address_names() {
    for (id, wanted) in [
        ("019a0f3e-5a4b-7c2d-8e1f-0123456789ab", "…456789ab"),
        ("ääääa", "…ääääa"),
        ("aääääääää", "…ääääääää"),
        ("", "…"),
    ] {
        assert_eq!(short(&id), wanted);
    }
}

#[test]
fn times_are_found_in_sentences() {
    let found = |sentence: &str| {
        time_in(sentence).map(|(place, at)| (sentence[place].to_owned(), machine(at)))
    };
    let told = |text: &str, at: &str| Some((text.to_owned(), at.to_owned()));
    assert_eq!(
        found("“ü” stopped at 2026-03-12 03:14:20 UTC: more"),
        told("2026-03-12 03:14:20 UTC", "2026-03-12T03:14:20.000Z")
    );
    assert_eq!(
        found("UTC, since 2026-03-12 03:14 UTC"),
        told("2026-03-12 03:14 UTC", "2026-03-12T03:14:00.000Z")
    );
    for sentence in [
        "",
        "since 03:14 UTC",
        "2026-13-12 03:14 UTC",
        "é26-03-12 03:14:20 UTC",
        "2026-3-12  3:14 UTC",
    ] {
        assert_eq!(found(sentence), None, "{sentence}");
    }
}
