//! The arithmetic of policies.

use chrono::{DateTime, TimeDelta, Utc};
use proptest::prelude::*;
use uuid::Uuid;

use super::*;
use crate::ids::LetterId;

fn at(text: &str) -> DateTime<Utc> {
    text.parse().expect("a time")
}

fn noon() -> DateTime<Utc> {
    // A Saturday.
    at("2026-11-21T12:00:00Z")
}

fn letter(number: u128) -> LetterId {
    LetterId(Uuid::from_u128(number))
}

fn policy() -> NewPolicy {
    NewPolicy { name: "again".into(), ..NewPolicy::default() }
}

fn window(days: &[Day], from: &str, until: &str) -> RetryWindow {
    RetryWindow {
        days: days.to_vec(),
        from: from.parse().expect("a time of day"),
        until: until.parse().expect("a time of day"),
    }
}

#[test]
fn a_policy_of_a_name_and_a_filter_retries_as_the_manual_says() {
    let read: NewPolicy =
        serde_json::from_str(r#"{"name": "again", "filter": ""}"#).expect("a policy");
    assert_eq!(read, policy());
    assert_eq!(read.schedule.delays_seconds, [10, 100, 1_000]);
    assert!(read.retries() && read.checked().is_ok());
    let without: NewPolicy =
        serde_json::from_str(r#"{"name": "again", "filter": "", "breaker": null}"#).expect("one");
    assert_eq!(without.breaker, None);
}

#[test]
fn a_policy_that_discards_everything_has_to_say_so() {
    let discarding = |filter: &str, all, enabled| NewPolicy {
        filter: filter.into(),
        verdict: PolicyVerdict::Discard,
        all,
        enabled,
        ..policy()
    };
    for nothing in ["", "  "] {
        let refused = discarding(nothing, false, true).checked();
        assert_eq!(refused, Err(PolicyFault::Everything));
        assert!(discarding(nothing, true, true).checked().is_ok());
        // It can be switched off.
        assert!(discarding(nothing, false, false).checked().is_ok());
    }
    assert!(discarding("queue:noise", false, true).checked().is_ok());
    assert!(policy().checked().is_ok());
    let written = serde_json::to_value(policy()).expect("JSON");
    assert!(written.get("all").is_none());
}

#[test]
fn what_cannot_be_used_is_refused() {
    let refused = |change: &dyn Fn(&mut NewPolicy)| {
        let mut policy = policy();
        change(&mut policy);
        policy.checked().expect_err("refused")
    };
    assert_eq!(refused(&|policy| policy.name = " ".into()), PolicyFault::Name);
    assert_eq!(refused(&|policy| policy.schedule.delays_seconds.clear()), PolicyFault::Schedule);
    assert_eq!(refused(&|policy| policy.schedule.delays_seconds = vec![0]), PolicyFault::Schedule);
    assert_eq!(refused(&|policy| policy.schedule.jitter_percent = 91), PolicyFault::Schedule);
    assert_eq!(refused(&|policy| policy.retries_per_minute = 0), PolicyFault::Budget);
    assert_eq!(
        refused(&|policy| {
            policy.breaker = Some(Breaker { of_last: 0, ..Breaker::default() });
        }),
        PolicyFault::Breaker
    );
    for text in ["state:held", "age:>1h", "since:1h", "exhausted:true", "("] {
        refused(&|policy| policy.filter = text.into());
    }
    let mut good = policy();
    good.filter = "severity:>=high group:019a0f3e-5a4b-7c2d-8e1f-0123456789ab".into();
    assert!(good.checked().is_ok());
}

proptest! {
    #[test]
    fn jitter_stays_within_its_bounds_and_is_the_same_again(
        number in any::<u128>(), tries in 0_u32..3, jitter in 0_u8..=90)
    {
        let schedule = Schedule { jitter_percent: jitter, ..Schedule::default() };
        let delay = schedule.delay(letter(number), tries).expect("a delay");
        prop_assert_eq!(Some(delay), schedule.delay(letter(number), tries));
        let wanted = i64::from(schedule.delays_seconds[usize::try_from(tries).expect("small")]);
        let most = wanted * 10 * i64::from(jitter);
        prop_assert!((delay.num_milliseconds() - wanted * 1_000).abs() <= most);
    }

    #[test]
    fn a_window_is_open_when_it_opens_next_and_never_in_between(
        minutes in 0_i64..20_160, days in prop::collection::vec(prop::sample::select(&Day::ALL[..]), 0..4),
        from in 0_u16..24, until in 0_u16..24)
    {
        let window = window(&days, &format!("{from:02}:00"), &format!("{until:02}:30"));
        let now = noon() + TimeDelta::minutes(minutes);
        let open = window.next_open(now);
        prop_assert!(window.is_open(open));
        prop_assert!(open >= now && open - now <= TimeDelta::days(8));
        if open > now {
            prop_assert!(!window.is_open(now));
            prop_assert!(!window.is_open(open - TimeDelta::seconds(1)));
        }
    }

    #[test]
    fn no_minute_has_more_than_its_budget_whatever_the_clock_does(
        per_minute in 1_u32..2_000, jumps in prop::collection::vec(-7_200_i64..7_200, 0..4))
    {
        // Asked every 100 ms for two minutes of real time; the clock jumps now and then.
        let mut bucket = Bucket { millionths: 1_000_000, at: noon() };
        let (mut off, mut taken) = (TimeDelta::zero(), 0_u64);
        for tick in 0..1_200_i64 {
            if let Some(jump) = usize::try_from(tick / 300).ok().and_then(|at| jumps.get(at))
                && tick % 300 == 0
            {
                off += TimeDelta::seconds(*jump);
            }
            bucket = bucket.refilled(per_minute, noon() + TimeDelta::milliseconds(tick * 100) + off);
            taken += u64::from(bucket.allows());
            bucket = bucket.without(bucket.allows());
        }
        let budget = u64::from(per_minute) * 2;
        // A jump of less than a minute looks like time that went by: at most 5 seconds' worth each.
        let jumps = u64::try_from(jumps.len()).expect("few");
        let more = (jumps + 1) * (u64::from(per_minute) / 12 + 2);
        prop_assert!(taken <= budget + more, "{taken} of {budget}");
        // And what the clock does costs no more than the minute that it is noticed in.
        prop_assert!(taken + more + u64::from(per_minute) >= budget, "{taken} of {budget}");
    }
}

#[test]
fn letters_that_died_together_are_spread() {
    let schedule = Schedule::default();
    let delays: std::collections::BTreeSet<i64> = (0..100)
        .filter_map(|number| schedule.delay(letter(number), 1))
        .map(|delay| delay.num_milliseconds())
        .collect();
    assert!(delays.len() > 90);
    let (first, last) = (delays.first(), delays.last());
    assert!(first < Some(&85_000) && last > Some(&115_000), "{delays:?}");
}

#[test]
fn after_the_last_try_comes_the_obituary() {
    let policy = policy();
    let mut now = noon();
    for made in 0..3 {
        let Step::Retry { number, due_at } = next_step(&policy, letter(7), made, now) else {
            panic!("there is a try {made}");
        };
        assert_eq!(number, made + 1);
        assert!(due_at > now);
        now = due_at;
    }
    assert_eq!(next_step(&policy, letter(7), 3, now), Step::Exhausted);
    assert_eq!(next_step(&policy, letter(7), u32::MAX, now), Step::Exhausted);
}

#[test]
fn what_is_due_outside_the_window_waits_for_it() {
    let mut policy = policy();
    let weekdays = &Day::ALL[..5];
    policy.window = Some(window(weekdays, "09:00", "17:00"));
    let Step::Retry { due_at, .. } = next_step(&policy, letter(1), 0, noon()) else {
        panic!("a try");
    };
    assert_eq!(due_at, at("2026-11-23T09:00:00Z"));
}

#[test]
fn a_window_over_midnight_belongs_to_the_day_it_opens_on() {
    let night = window(&[Day::Sat], "22:00", "06:00");
    assert!(!night.is_open(at("2026-11-21T21:59:00Z")));
    assert!(night.is_open(at("2026-11-22T05:59:00Z")));
    assert!(!night.is_open(at("2026-11-22T06:00:00Z")));
    assert!(!night.is_open(at("2026-11-22T22:30:00Z")));
    let day = window(&[Day::Sun], "08:00", "08:00");
    assert!(day.is_open(at("2026-11-23T07:59:00Z")));
    for text in ["9:00", "24:00", "09:60", "0900", "09:0x", "+9:00"] {
        assert!(text.parse::<TimeOfDay>().is_err(), "{text}");
    }
    assert_eq!("09:05".parse::<TimeOfDay>().expect("one").to_string(), "09:05");
}

#[test]
fn a_budget_is_spread_over_its_minute_after_an_hour_of_nothing() {
    let empty = Bucket { millionths: 0, at: noon() };
    let later = noon() + TimeDelta::hours(1);
    assert_eq!(empty.refilled(600, later).allows(), 1);
    let next = empty.refilled(600, later).without(1);
    assert_eq!(next.refilled(600, later + TimeDelta::seconds(1)).allows(), 10);
    // One a minute comes once a minute.
    let slow = empty.refilled(1, noon() + TimeDelta::seconds(59));
    assert_eq!(slow.allows(), 0);
    assert_eq!(empty.refilled(1, noon() + TimeDelta::seconds(61)).allows(), 1);
}

fn status(state: BreakerState) -> BreakerStatus {
    BreakerStatus { state, since: noon() }
}

/// Samples as of so many seconds ago, `bad` of them first.
fn samples(now: DateTime<Utc>, ago: i64, bad: usize, all: usize) -> Vec<Sample> {
    (0..all)
        .map(|place| Sample {
            at: now - TimeDelta::seconds(ago),
            result: if place < bad { SampleResult::Bad } else { SampleResult::Out },
        })
        .collect()
}

#[test]
fn a_breaker_opens_when_too_many_came_back_and_not_before_it_is_sure() {
    let breaker = Breaker::default();
    let closed = status(BreakerState::Closed);
    let state = |samples: &[Sample]| breaker.judged(closed, samples, noon()).state;
    // Half of 20 is not above half.
    assert_eq!(state(&samples(noon(), 60, 10, 20)), BreakerState::Closed);
    assert_eq!(state(&samples(noon(), 60, 11, 20)), BreakerState::Open);
    // Certain at once, whatever becomes of the other nine.
    assert_eq!(state(&samples(noon(), 1, 11, 20)), BreakerState::Open);
    // All of a few came back: too few to say.
    assert_eq!(state(&samples(noon(), 1, 10, 10)), BreakerState::Closed);
    // Newer ones that had no time to come back do not hide it.
    let mut mixed = samples(noon(), 1, 0, 200);
    mixed.extend(samples(noon(), 60, 11, 20));
    assert_eq!(state(&mixed), BreakerState::Open);
}

#[test]
fn an_open_breaker_probes_after_its_pause_and_closes_when_that_goes_well() {
    let breaker = Breaker::default();
    let open = status(BreakerState::Open);
    let early = noon() + TimeDelta::seconds(299);
    assert_eq!(breaker.judged(open, &[], early), open);
    let later = noon() + TimeDelta::seconds(300);
    let half = breaker.judged(open, &[], later);
    assert_eq!((half.state, half.since), (BreakerState::HalfOpen, later));
    assert_eq!(Breaker::allows(half.state, &[]), Some(PROBES));
    let probes = samples(later, 5, 0, 3);
    assert_eq!(Breaker::allows(half.state, &probes), Some(0));
    // They may still come back.
    assert_eq!(breaker.judged(half, &probes, later).state, BreakerState::HalfOpen);
    let watched = later + TimeDelta::seconds(25);
    assert_eq!(breaker.judged(half, &probes, watched).state, BreakerState::Closed);
    let back = samples(later, 5, 2, 3);
    assert_eq!(breaker.judged(half, &back, later).state, BreakerState::Open);
    // One probe alone, since no more was due.
    let one = samples(later, 31, 0, 1);
    assert_eq!(breaker.judged(half, &one, later).state, BreakerState::Closed);
    assert_eq!(Breaker::allows(BreakerState::Closed, &one), None);
    assert_eq!(Breaker::allows(BreakerState::Open, &[]), Some(0));
}

#[test]
fn a_clock_that_is_set_back_holds_no_breaker_open_for_longer_than_its_pause() {
    let breaker = Breaker::default();
    let back = noon() - TimeDelta::hours(1);
    let open = breaker.judged(status(BreakerState::Open), &[], back);
    assert_eq!((open.state, open.since), (BreakerState::Open, back));
    let half = breaker.judged(status(BreakerState::HalfOpen), &samples(noon(), 0, 0, 1), back);
    assert_eq!(half.state, BreakerState::Closed);
}

#[test]
fn a_preview_counts_the_tries_of_each_day() {
    let mut policy = policy();
    policy.schedule.jitter_percent = 0;
    let letters =
        [(letter(1), at("2026-11-20T23:59:00Z")), (letter(2), at("2026-11-21T11:59:30Z"))];
    let days = DayOfRetries::of(&policy, &letters, noon());
    let figures: Vec<_> = days.iter().map(|day| (day.letters, day.retries)).collect();
    // The second letter's later tries are still to come.
    assert_eq!(figures, [(1, 1), (1, 3)]);
    policy.verdict = PolicyVerdict::Hold;
    let days = DayOfRetries::of(&policy, &letters, noon());
    assert!(days.iter().all(|day| day.retries == 0));
}
