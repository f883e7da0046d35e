//! What an answer means, and how long is waited after it.

use super::*;

fn answer(status: u16, retry_after: Option<u32>, body: &str) -> Result<(), Refusal> {
    let answer = PostAnswer { status, retry_after, body: body.to_owned() };
    Refusal::of(answer, "https://hooks.example/services/T0001/B0002/secret-xyzw?key=another")
}

#[test]
fn only_a_success_is_one() {
    assert_eq!(answer(200, None, "ok"), Ok(()));
    assert_eq!(answer(202, None, ""), Ok(()));
    for status in [100, 301, 302, 400, 403, 404, 410, 429, 500, 502] {
        assert!(answer(status, None, "ok").is_err(), "{status}");
    }
}

#[test]
fn a_refusal_says_what_was_answered_and_when_to_ask_again() {
    let gone = answer(404, None, "no_service").expect_err("refused");
    assert_eq!(gone.answer, "404 no_service");
    let pauses: Vec<i64> = (0..12).map(|failures| gone.pause(failures).num_seconds()).collect();
    assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
    let later = answer(429, Some(30), "").expect_err("refused");
    assert_eq!((later.pause(0).num_seconds(), later.answer.as_str()), (30, "429"));
    let never = answer(429, Some(u32::MAX), "").expect_err("refused");
    assert_eq!(never.pause(0), LONGEST_ASKED);
    let long = answer(500, Some(30), &"\u{202e}x".repeat(1_000)).expect_err("refused");
    assert!(long.answer.len() <= MOST_ANSWER + 4 && long.answer.contains("⟨U+202E⟩"));
    assert_eq!(long.pause(0).num_seconds(), 1, "only who is overrun says when");
}

#[test]
fn an_answer_that_repeats_the_address_does_not_tell_it() {
    for body in [
        "Cannot POST /services/T0001/B0002/secret-xyzw?key=another",
        "no such hook: https://hooks.example/services/T0001/B0002/secret-xyzw?key=another!",
        "unknown key secret-xyzw, nor another",
    ] {
        let told = answer(404, None, body).expect_err("refused").answer;
        assert!(
            !told.contains("secret") && !told.contains("another") && told.contains('…'),
            "{told}"
        );
    }
}

#[test]
fn what_is_refused_for_its_content_is_posted_in_a_shorter_form() {
    for body in ["invalid_blocks", "invalid_payload", "msg_blocks_too_long"] {
        assert!(answer(400, None, body).expect_err("refused").is_of_content, "{body}");
    }
    for (status, body) in [(400, "user_not_found"), (404, "invalid_"), (403, "action_prohibited")] {
        assert!(!answer(status, None, body).expect_err("refused").is_of_content, "{body}");
    }
}
