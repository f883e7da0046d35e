//! Forms that come back as the policies that they were.

use super::*;

#[test]
fn a_form_comes_back_as_the_policy_that_it_was() {
    let policy = NewPolicy {
        name: "again".into(),
        filter: "queue:work".into(),
        window: Some(RetryWindow {
            days: vec![Day::Mon, Day::Fri],
            from: "09:00".parse().expect("a time"),
            until: "17:00".parse().expect("a time"),
        }),
        headers: "-x-delay, id=\"7\"".parse().expect("changes"),
        open_envelopes: true,
        shadow: true,
        ..NewPolicy::default()
    };
    let draft = draft_of(String::new(), &policy);
    assert_eq!(policy_of(&draft).expect("a policy"), policy);
    let begun = policy_of(&draft_of_new()).expect("a policy");
    assert_eq!(begun, NewPolicy::default());
}

#[test]
fn delays_are_read_with_their_units() {
    assert_eq!(delays("10, 2m 1h;1d").expect("delays"), [10, 120, 3_600, 86_400]);
    for text in ["-1", "10x", "0s", "5000000d", "s"] {
        assert!(delays(text).is_err(), "{text}");
    }
}
