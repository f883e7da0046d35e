//! Alerts played through second by second.

use chrono::{DateTime, TimeDelta, Utc};

use super::*;
use crate::severity::Severity;

fn at(seconds: i64) -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000 + seconds, 0).expect("a time")
}

/// A thing that is looked at every second.
struct Watched {
    rule: NewAlertRule,
    life: Option<Life>,
    second: i64,
    is_quiet: bool,
    told: Vec<(i64, AlertChange)>,
}

impl Watched {
    fn by(built_in: BuiltIn) -> Self {
        Self { rule: built_in.rule(), life: None, second: 0, is_quiet: false, told: Vec::new() }
    }

    fn look(&mut self, sighting: Sighting) {
        match next_step(&self.rule, self.life.as_ref(), sighting, at(self.second)) {
            Step::None | Step::Dropped => self.life = None,
            Step::Goes(life, change) => {
                if let Some(change) = change.filter(|_| life.is_told()) {
                    self.told.push((self.second, change));
                }
                self.life = (life.state != AlertState::Resolved).then_some(life);
            }
        }
    }

    /// So many seconds with this figure.
    fn see(&mut self, figure: i64, seconds: i64) {
        for _ in 0..seconds {
            self.look(Sighting { figure: Some(figure), severity: None, is_quiet: self.is_quiet });
            self.second += 1;
        }
    }

    fn see_nothing(&mut self, seconds: i64) {
        for _ in 0..seconds {
            self.look(Sighting { figure: None, severity: None, is_quiet: self.is_quiet });
            self.second += 1;
        }
    }

    fn state(&self) -> Option<AlertState> {
        self.life.as_ref().map(|life| life.state)
    }

    fn acknowledge(&mut self) {
        self.life.as_mut().expect("an alert").state = AlertState::Acknowledged;
    }
}

#[test]
fn what_is_over_its_limit_for_half_a_minute_is_told_once_and_so_is_its_end() {
    let mut rate = Watched::by(BuiltIn::DeadLetterRate);
    rate.see(10, 100);
    assert_eq!(rate.state(), None, "ten are not more than ten");
    rate.see(11, 30);
    assert_eq!(rate.state(), Some(AlertState::Pending));
    rate.see(11, 1);
    assert_eq!(rate.told, [(130, AlertChange::Fired)]);
    rate.see(500, 600);
    assert_eq!(rate.life.as_ref().map(|life| life.worst), Some(500));
    rate.see(0, 61);
    assert_eq!(rate.told[1..], [(791, AlertChange::Resolved)]);
    assert_eq!(rate.state(), None);
}

#[test]
fn what_passes_by_itself_is_never_told() {
    let mut rate = Watched::by(BuiltIn::DeadLetterRate);
    for _ in 0..50 {
        rate.see(11, 29);
        rate.see(0, 1);
    }
    assert_eq!(rate.told, []);
}

#[test]
fn a_figure_that_goes_up_and_down_around_its_limit_is_one_alert() {
    let mut rate = Watched::by(BuiltIn::DeadLetterRate);
    rate.see(11, 31);
    for _ in 0..100 {
        rate.see(9, 50);
        rate.see(12, 10);
    }
    for _ in 0..100 {
        rate.see(0, 59);
        rate.see(9, 1);
    }
    assert_eq!(rate.told, [(30, AlertChange::Fired)]);
    rate.see(8, 61);
    assert_eq!(rate.told.len(), 2, "a fifth below the limit it is over");
}

#[test]
fn an_unknown_figure_neither_fires_nor_resolves() {
    let mut rate = Watched::by(BuiltIn::DeadLetterRate);
    rate.see_nothing(100);
    assert_eq!(rate.state(), None);
    rate.see(11, 31);
    rate.see_nothing(1_000);
    assert_eq!(rate.state(), Some(AlertState::Firing));
    rate.see(0, 61);
    assert_eq!(rate.told[1..], [(1_191, AlertChange::Resolved)]);
}

#[test]
fn it_is_told_again_after_four_hours_until_somebody_looks_into_it() {
    let mut rate = Watched::by(BuiltIn::DeadLetterRate);
    rate.see(11, 31 + 2 * 14_400);
    let hours = [(30, AlertChange::Fired), (14_430, AlertChange::Repeated)];
    assert_eq!(rate.told, [&hours[..], &[(28_830, AlertChange::Repeated)]].concat());
    rate.acknowledge();
    rate.see(11, 3 * 14_400);
    assert_eq!(rate.told.len(), 3);
    assert_eq!(rate.state(), Some(AlertState::Acknowledged));
    rate.see(0, 61);
    assert_eq!(rate.told.len(), 4, "its end is told");
}

#[test]
fn the_mute_of_an_alert_ends_with_so_many_more() {
    let mut rate = Watched::by(BuiltIn::Depth);
    rate.see(150, 31);
    rate.life.as_mut().expect("an alert").muted_until_above = Some(200);
    rate.see(200, 30_000);
    assert_eq!(rate.told.len(), 1);
    rate.see(201, 1);
    assert_eq!(rate.told[1..], [(30_031, AlertChange::Repeated)]);
    rate.see(300, 100);
    assert_eq!(rate.told.len(), 2, "and then it is as ever");
}

#[test]
fn what_becomes_worse_is_told_even_when_somebody_looks_into_it() {
    let mut group = Watched::by(BuiltIn::NewGroup);
    let normal = Sighting { figure: Some(3), severity: Some(Severity::Normal), is_quiet: false };
    let critical =
        Sighting { figure: Some(4), severity: Some(Severity::Critical), is_quiet: false };
    group.look(normal);
    assert_eq!(group.told, [(0, AlertChange::Fired)], "a new group is told at once");
    group.acknowledge();
    group.second = 10;
    group.look(critical);
    group.look(normal);
    group.look(critical);
    assert_eq!(group.told[1..], [(10, AlertChange::Worsened)]);
    assert_eq!(group.state(), Some(AlertState::Firing));
    group.second = 20;
    group.see(0, 1);
    assert_eq!(group.told[2..], [(20, AlertChange::Resolved)], "nothing of it waits");
}

#[test]
fn what_is_silenced_is_told_when_the_silence_is_over_and_it_is_not() {
    let mut rate = Watched::by(BuiltIn::DeadLetterRate);
    rate.is_quiet = true;
    rate.see(11, 50_000);
    assert_eq!((rate.state(), &rate.told[..]), (Some(AlertState::Firing), &[][..]));
    rate.is_quiet = false;
    rate.see(11, 100);
    assert_eq!(rate.told, [(50_000, AlertChange::ToldLate)]);
    rate.is_quiet = true;
    rate.see(11, 50_000);
    assert_eq!(rate.told.len(), 1);
    rate.see(0, 61);
    assert_eq!(rate.told.len(), 2, "the end of what was told is told");
    rate.see(11, 100);
    rate.see(0, 61);
    assert_eq!(rate.told.len(), 2, "and the end of what was not is not");
}

#[test]
fn no_worker_is_fewer_than_one() {
    let mut workers = Watched::by(BuiltIn::NoActiveWorker);
    workers.see(1, 100);
    assert_eq!(workers.state(), None);
    workers.see(0, 31);
    assert_eq!(workers.told, [(130, AlertChange::Fired)]);
    workers.see(1, 61);
    assert_eq!(workers.told.len(), 2);
}

#[test]
fn a_clock_that_is_set_back_makes_nothing_older_and_loses_nothing() {
    let mut rate = Watched::by(BuiltIn::DeadLetterRate);
    rate.second = 7_200;
    rate.see(11, 10);
    rate.second = 0;
    rate.see(11, 30);
    assert_eq!(rate.state(), Some(AlertState::Pending));
    rate.see(11, 1);
    assert_eq!(rate.state(), Some(AlertState::Firing));
    rate.see(0, 30);
    rate.second = -7_200;
    rate.see(0, 60);
    assert_eq!(rate.state(), Some(AlertState::Firing));
    rate.see(0, 1);
    assert_eq!(rate.state(), None);
}

#[test]
fn the_rules_that_every_office_comes_with_are_usable_and_have_the_limits_of_the_documents() {
    for built_in in BuiltIn::ALL {
        let rule = built_in.rule();
        assert_eq!(rule.checked().as_ref(), Ok(&rule), "{built_in:?}");
        assert_eq!(built_in.as_str().parse(), Ok(built_in));
    }
    let limits = [
        (BuiltIn::DeadLetterRate, 10, Some(Severity::High)),
        (BuiltIn::Depth, 100, Some(Severity::High)),
        (BuiltIn::ExecutionTimeouts, 10, Some(Severity::High)),
        (BuiltIn::NoActiveWorker, 1, Some(Severity::Critical)),
        (BuiltIn::StuckExecutions, 0, Some(Severity::High)),
        (BuiltIn::QueueWithoutConsumer, 15 * 60, Some(Severity::High)),
        (BuiltIn::RetriesExhausted, 0, None),
    ];
    for (built_in, limit, severity) in limits {
        let rule = built_in.rule();
        assert_eq!((rule.limit, rule.severity), (limit, severity), "{built_in:?}");
    }
    assert_eq!(BuiltIn::StuckExecutions.rule().signal, Signal::StuckExecutions { seconds: 300 });
}

#[test]
fn a_rule_that_will_not_do_says_why() {
    let good = BuiltIn::DeadLetterRate.rule();
    let with = |edit: fn(&mut NewAlertRule)| {
        let mut rule = good.clone();
        edit(&mut rule);
        rule.checked().expect_err("refused")
    };
    let window =
        |minutes| Signal::DeadLetters { filter: String::new(), measure: Measure::Count, minutes };
    assert_eq!(with(|rule| rule.name = " ".to_owned()), AlertRuleFault::Name);
    assert_eq!(with(|rule| rule.name = "a\nb".to_owned()), AlertRuleFault::Name);
    assert_eq!(
        with(|rule| rule.limit = -1),
        AlertRuleFault::Limit { least: 0, most: 1_000_000_000 }
    );
    assert_eq!(with(|rule| rule.repeat_seconds = 5), AlertRuleFault::Seconds);
    assert_eq!(with(|rule| rule.pending_seconds = u32::MAX), AlertRuleFault::Seconds);
    for (signal, limit, fault) in [
        (window(0), 50, AlertRuleFault::Window),
        (window(1_441), 50, AlertRuleFault::Window),
        (Signal::StuckExecutions { seconds: 0 }, 0, AlertRuleFault::Seconds),
        (letters("queue:a", Measure::Ratio), 100, AlertRuleFault::Limit { least: 0, most: 99 }),
        (letters("", Measure::Ratio), 50, AlertRuleFault::Ratio),
        (Signal::ActiveWorkers, 0, AlertRuleFault::Limit { least: 1, most: 1_000_000_000 }),
    ] {
        let rule = NewAlertRule { signal, limit, ..good.clone() };
        assert_eq!(rule.checked(), Err(fault));
    }
}

fn letters(filter: &str, measure: Measure) -> Signal {
    Signal::DeadLetters { filter: filter.to_owned(), measure, minutes: 10 }
}

#[test]
fn a_rule_asks_for_what_is_known_of_a_letter_when_it_arrives() {
    let checked = |signal: Signal| {
        NewAlertRule { signal, ..BuiltIn::DeadLetterRate.rule() }.checked().map(|rule| rule.signal)
    };
    let oldest = |filter: &str| Signal::OldestLetter { filter: filter.to_owned() };
    for filter in ["state:held", "group:0190a0f0-0000-7000-8000-000000000000", "age:>1h", "(", "x:"]
    {
        for signal in [letters(filter, Measure::Count), oldest(filter)] {
            let fault = checked(signal).expect_err("refused").to_string();
            assert!(fault.contains("cannot"), "{filter}: {fault}");
        }
    }
    let written = " severity:critical   queue:pay* body.amount:>100 ";
    let one_form = "severity:critical queue:pay* body.amount:>100";
    assert_eq!(checked(letters(written, Measure::Rate)), Ok(letters(one_form, Measure::Rate)));
    assert_eq!(checked(oldest(written)), Ok(oldest(one_form)));
}

#[test]
fn a_silence_needs_an_end_and_a_reason() {
    let now = at(0);
    let silence = |seconds, reason: &str| {
        let until = now + TimeDelta::seconds(seconds);
        NewSilence { scope: SilenceScope::default(), until, reason: reason.to_owned() }
    };
    assert_eq!(silence(60, " deploy ").checked(now).expect("fine").reason, "deploy");
    assert_eq!(silence(60, " ").checked(now), Err(SilenceFault::Reason));
    assert_eq!(silence(60, &"x".repeat(501)).checked(now), Err(SilenceFault::Reason));
    assert_eq!(silence(0, "deploy").checked(now), Err(SilenceFault::Until));
    assert_eq!(silence(32 * 86_400, "deploy").checked(now), Err(SilenceFault::Until));
}
