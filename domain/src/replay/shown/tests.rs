use uuid::Uuid;

use super::*;
use crate::changing::{Edit, Transform};
use crate::replay::Target;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000 + seconds, 0).expect("in range")
}

fn letter(number: u128) -> LetterId {
    LetterId(Uuid::from_u128(number))
}

struct Planned {
    id: LetterId,
    arrival: i32,
    queue: &'static str,
}

fn planned(number: u128) -> Planned {
    Planned { id: letter(number), arrival: 1, queue: "work" }
}

fn token(new: &NewReplay, letters: &[Planned]) -> ShownPlan {
    let mut digest = PlanDigest::begin(new, at(0));
    for one in letters {
        digest.add(PlannedLetter {
            id: one.id,
            arrival: one.arrival,
            arrived_at: at(-5),
            broker: "main",
            vhost: "/",
            address: &Address::queue(one.queue),
        });
    }
    digest.finish()
}

#[test]
fn a_plan_that_is_as_it_was_shown_has_the_same_token() {
    let new = NewReplay {
        selection: Selection::of_ids(vec![letter(2), letter(1)]),
        ..NewReplay::default()
    };
    let again = NewReplay {
        selection: Selection::of_ids(vec![letter(1), letter(2), letter(1)]),
        dry_run: true,
        ..NewReplay::default()
    };
    let letters = [planned(1), planned(2)];
    let shown = token(&new, &letters);
    assert!(shown.is_still(&token(&again, &letters)));
    assert_eq!(shown.token().read(), Ok(shown));
}

#[test]
fn every_field_that_differs_makes_another_plan() {
    let usual = NewReplay::default;
    let jq = Some(Transform { jq: ".".into() });
    let edit = Some(Edit { body: "MQ==".into(), content_type: None });
    let target = Target::Queue { queue: "work".into() };
    let letters = [planned(1), planned(2)];
    let shown = token(&usual(), &letters);
    for new in [
        NewReplay { target, ..usual() },
        NewReplay { canary: Some(Canary::default()), ..usual() },
        NewReplay { rate_per_second: Some(1), ..usual() },
        NewReplay { start_at: Some(at(60)), ..usual() },
        NewReplay { in_order: true, ..usual() },
        NewReplay { keep_expiration: true, ..usual() },
        NewReplay { ignore_loop_cap: true, ..usual() },
        NewReplay { needs_approval: true, ..usual() },
        NewReplay { transform: jq, ..usual() },
        NewReplay {
            headers: serde_json::from_value(serde_json::json!({"leave_out": ["a"]}))
                .expect("changes"),
            ..usual()
        },
        NewReplay { edit, ..usual() },
        NewReplay { selection: Selection::of_ids(vec![letter(1)]), ..usual() },
    ] {
        assert!(!shown.is_still(&token(&new, &letters)), "{new:?}");
    }
}

#[test]
fn letters_that_are_not_those_that_were_shown_make_another_plan() {
    let new = NewReplay::default();
    let shown = token(&new, &[planned(1), planned(2)]);
    let back = Planned { arrival: 2, ..planned(2) };
    let elsewhere = Planned { queue: "other", ..planned(2) };
    for letters in [
        vec![planned(1)],
        vec![planned(1), planned(2), planned(3)],
        vec![planned(1), planned(3)],
        vec![planned(2), planned(1)],
        vec![planned(1), back],
        vec![planned(1), elsewhere],
    ] {
        assert!(!shown.is_still(&token(&new, &letters)));
    }
}

#[test]
fn a_plan_with_a_canary_is_known_from_the_one_without() {
    let letters = [planned(1), planned(2)];
    let careful = NewReplay { canary: Some(Canary::default()), ..NewReplay::default() };
    let plain = token(&NewReplay::default(), &letters);
    assert_eq!(plain.with_canary(&Canary::default()), token(&careful, &letters));
}

#[test]
fn what_arrives_after_the_look_is_known_by_the_youngest_letter_that_was_shown() {
    let mut digest = PlanDigest::begin(&NewReplay::default(), at(0));
    for arrived_at in [at(-5), at(3), at(1)] {
        digest.add(PlannedLetter {
            id: letter(1),
            arrival: 1,
            arrived_at,
            broker: "main",
            vhost: "/",
            address: &Address::queue("work"),
        });
    }
    assert_eq!(digest.finish().shown_until, at(3), "another office's clock is ahead");
}

#[test]
fn what_is_no_token_is_refused() {
    let PlanToken(good) = token(&NewReplay::default(), &[]).token();
    for bad in [
        String::new(),
        "3".to_owned(),
        format!("2{}", &good[1..]),
        format!("{good}.00"),
        good[..good.len() - 1].to_owned(),
        good.replacen("3.", "3.x", 1),
    ] {
        assert_eq!(PlanToken(bad).read(), Err(BadPlanToken));
    }
}
