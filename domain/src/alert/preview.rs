//! What a rule would have told of the last days: the figures of that time, taken through the life of an alert
//! minute by minute.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::life::{AlertState, Life, Sighting, Step, next_step};
use super::rule::NewAlertRule;
use super::signal::{Arrivals, Limit, Measure};

/// What a rule would have told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertPreview {
    /// From when on it was looked: seven days ago, or later where there were too many letters to count.
    pub from: DateTime<Utc>,
    /// Until when.
    pub until: DateTime<Utc>,
    /// The alerts that it would have made, the first first; absent where no history of its figure is kept.
    pub alerts: Option<Vec<AlertPeriod>>,
    /// The worst figure of each hour, the first hour first; empty where no history is kept.
    pub hours: Vec<i64>,
    /// How often an alert of the rule did fire in that time, of a rule that is kept.
    pub fired: Option<i64>,
}

/// One alert that there would have been.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct AlertPeriod {
    /// When it would have fired.
    pub from: DateTime<Utc>,
    /// When it would have been over; absent where it still would be there.
    pub until: Option<DateTime<Utc>>,
    /// The figure that was furthest beyond the limit.
    pub worst: i64,
}

/// The alerts that a rule would have made of these figures, one a minute from `from` on; the last of them still is
/// the figure at `until`.
#[must_use]
pub fn would_have_fired(
    rule: &NewAlertRule,
    from: DateTime<Utc>,
    until: DateTime<Utc>,
    figures: &[i64],
) -> Vec<AlertPeriod> {
    let mut periods: Vec<AlertPeriod> = Vec::new();
    let mut life: Option<Life> = None;
    let last = figures.last().map(|figure| (until, figure));
    for (now, figure) in minutes_from(from).zip(figures).chain(last) {
        let sighting = Sighting { figure: Some(*figure), severity: None, is_quiet: false };
        let was_told = life.as_ref().is_some_and(|life| life.state != AlertState::Pending);
        life = match next_step(rule, life.as_ref(), sighting, now) {
            Step::None | Step::Dropped => None,
            Step::Goes(life, _) => Some(life),
        };
        let Some(after) = &life else { continue };
        match (after.state, was_told) {
            (AlertState::Pending, _) => {}
            (AlertState::Resolved, _) => {
                if let Some(last) = periods.last_mut() {
                    last.until = Some(now);
                }
                life = None;
            }
            (_, false) => {
                periods.push(AlertPeriod { from: now, until: None, worst: after.worst });
            }
            (_, true) => {
                if let Some(last) = periods.last_mut() {
                    last.worst = after.worst;
                }
            }
        }
    }
    periods
}

/// The figure of each minute: of these dead letters, and of all, in the window that ends there.
#[must_use]
pub fn of_arrivals(measure: Measure, minutes: u32, these: &[i64], all: &[i64]) -> Vec<i64> {
    let window = usize::try_from(minutes).unwrap_or(usize::MAX);
    let within = |of: &[i64], end: usize| {
        let minutes = of.get(end.saturating_sub(window)..=end).unwrap_or_default();
        Arrivals {
            sum: minutes.iter().sum(),
            worst: minutes.iter().copied().max().unwrap_or_default(),
        }
    };
    (0..these.len()).map(|end| measure.of(within(these, end), within(all, end).sum)).collect()
}

/// For how many seconds the oldest letter had waited at each of so many minutes. Each letter waited from one time
/// to another.
#[must_use]
pub fn of_waiting(
    from: DateTime<Utc>,
    minutes: usize,
    mut waited: Vec<(DateTime<Utc>, DateTime<Utc>)>,
) -> Vec<i64> {
    waited.sort_unstable();
    let times: Vec<_> = minutes_from(from).take(minutes).collect();
    let mut figures = vec![0; minutes];
    // Where an older letter waits a younger one does not matter: each minute is written once.
    let mut next = 0;
    for (since, until) in waited {
        let first = next.max(times.partition_point(|time| *time < since));
        for place in first..minutes {
            if times[place] >= until {
                break;
            }
            figures[place] = (times[place] - since).num_seconds();
            next = place + 1;
        }
    }
    figures
}

/// The worst of each hour, the last of which ends now.
#[must_use]
pub fn by_hours(limit: Limit, figures: &[i64]) -> Vec<i64> {
    let hours = figures.rchunks(60).rev().map(|hour| match limit {
        Limit::Above(_) => hour.iter().copied().max(),
        Limit::Below(_) => hour.iter().copied().min(),
    });
    hours.map(Option::unwrap_or_default).collect()
}

fn minutes_from(from: DateTime<Utc>) -> impl Iterator<Item = DateTime<Utc>> {
    (0..).map(move |minute| from + TimeDelta::minutes(minute))
}

#[cfg(test)]
mod tests {
    use super::super::signal::Signal;
    use super::*;

    fn start() -> DateTime<Utc> {
        DateTime::from_timestamp(1_800_000_000, 0).expect("in range")
    }

    fn at(minute: i64) -> DateTime<Utc> {
        start() + TimeDelta::minutes(minute)
    }

    fn rule(limit: i64) -> NewAlertRule {
        let signal = Signal::OldestLetter { filter: String::new() };
        NewAlertRule {
            name: "old".to_owned(),
            signal,
            limit,
            severity: None,
            pending_seconds: 30,
            clearing_seconds: 60,
            repeat_seconds: 0,
            enabled: true,
        }
    }

    #[test]
    fn figures_around_the_limit_are_one_alert() {
        let figures = [0, 11, 12, 9, 13, 0, 0, 0, 0, 50, 50];
        let fired = would_have_fired(&rule(10), start(), at(10), &figures);
        let first = AlertPeriod { from: at(2), until: Some(at(6)), worst: 13 };
        let second = AlertPeriod { from: at(10), until: None, worst: 50 };
        assert_eq!(fired, [first, second]);
    }

    #[test]
    fn what_passes_within_the_time_that_it_must_last_is_none() {
        let slow = NewAlertRule { pending_seconds: 180, ..rule(10) };
        assert_eq!(would_have_fired(&slow, start(), at(4), &[11, 11, 11, 0, 0]), []);
        assert_eq!(would_have_fired(&slow, start(), at(4), &[11; 5])[0].from, at(3));
        let until = at(2) + TimeDelta::seconds(59);
        assert_eq!(would_have_fired(&slow, start(), until, &[11; 3]), []);
        let until = at(0) + TimeDelta::seconds(30);
        assert_eq!(would_have_fired(&rule(10), start(), until, &[11]).len(), 1);
    }

    #[test]
    fn a_window_has_the_minute_that_has_begun_and_those_before() {
        let (these, all) = ([1, 0, 0, 4], [2, 0, 0, 10]);
        assert_eq!(of_arrivals(Measure::Count, 1, &these, &all), [1, 1, 0, 4]);
        assert_eq!(of_arrivals(Measure::Count, 3, &these, &all), [1, 1, 1, 5]);
        assert_eq!(of_arrivals(Measure::Rate, 3, &these, &all), [1, 1, 1, 4]);
        // One of two letters does not count as half of what dies.
        assert_eq!(of_arrivals(Measure::Ratio, 3, &these, &all), [0, 0, 0, 41]);
    }

    #[test]
    fn the_oldest_letter_is_the_one_that_is_told() {
        let waited = vec![(at(2), at(9)), (at(1), at(4)), (at(-3), at(0)), (at(12), at(13))];
        let minutes = [0, 0, 60, 120, 120, 180, 240, 300, 360, 0, 0, 0, 0, 0];
        assert_eq!(of_waiting(start(), 14, waited), minutes);
        let before = vec![(at(-10), at(2))];
        assert_eq!(of_waiting(start(), 3, before), [600, 660, 0]);
    }

    #[test]
    fn an_hour_tells_its_worst() {
        let figures: Vec<i64> = (0..90).collect();
        assert_eq!(by_hours(Limit::Above(0), &figures), [29, 89]);
        assert_eq!(by_hours(Limit::Below(0), &figures), [0, 30]);
    }
}
