//! The canary ladder: a few letters first, then more, and a stop by itself when they come back.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

/// How carefully a replay begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields, default)]
pub struct Canary {
    /// How many letters are out in all after each step, rising; after the last step go all.
    pub steps: Vec<u32>,
    /// The share of letters, 0 to 1, that may go wrong: above it the replay stops by itself.
    pub stop_above: f64,
    /// How long the letters of a step are watched before the next one, in seconds.
    pub watch_seconds: u32,
}

impl Default for Canary {
    fn default() -> Self {
        Self { steps: vec![1, 10, 100], stop_above: 0.05, watch_seconds: 30 }
    }
}

/// What is wrong with a ladder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCanary {
    /// Too few or too many.
    #[error("a canary has 1 to 10 steps")]
    Steps,
    /// Not rising.
    #[error("the steps of a canary are numbers of letters from 1 on, each above the one before")]
    NotRising,
    /// No share.
    #[error("`stop_above` is a share of the letters, from 0 to 1")]
    Share,
    /// No time.
    #[error("`watch_seconds` is 1 to 86400")]
    Watch,
}

impl Canary {
    /// Whether the ladder can be climbed.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> Result<(), BadCanary> {
        if self.steps.is_empty() || self.steps.len() > 10 {
            return Err(BadCanary::Steps);
        }
        let rises = self.steps.windows(2).all(|pair| pair[0] < pair[1]);
        if self.steps[0] == 0 || !rises {
            return Err(BadCanary::NotRising);
        }
        if !(0.0..=1.0).contains(&self.stop_above) {
            return Err(BadCanary::Share);
        }
        if !(1..=86_400).contains(&self.watch_seconds) {
            return Err(BadCanary::Watch);
        }
        Ok(())
    }

    /// The share that may go wrong, in percent.
    #[must_use]
    pub fn stop_above_percent(&self) -> f64 {
        percent(self.stop_above)
    }

    /// How many letters may be out at a step; no limit after the last.
    #[must_use]
    pub fn most_at(&self, step: usize) -> Option<i64> {
        self.steps.get(step).copied().map(i64::from)
    }
}

/// How far a ladder is climbed. Counts are of the letters since it began; it begins anew when a
/// replay that stopped is resumed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Climb {
    /// The step, from 0; as many as the ladder has when all of them were climbed.
    pub step: u32,
    /// Letters that were tried: published, or refused before.
    pub tried: i64,
    /// Letters of them that went wrong: died again, were refused or found no queue.
    pub wrong: i64,
    /// Letters of them that certainly went well: processed, or settled after their watch.
    pub well: i64,
    /// Since when the letters of this step are all out; null while some are not.
    pub watched_since: Option<DateTime<Utc>>,
}

/// What a ladder says next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Gate {
    /// So many more letters may go; all the others when nothing is said.
    Open(Option<i64>),
    /// The letters of this step are out: watch begins.
    BeginWatch,
    /// Nothing goes before this moment.
    Watch(DateTime<Utc>),
    /// The step went well: the next one begins.
    NextStep,
    /// Too much went wrong: the replay stops, and says this.
    Stop(String),
}

impl Climb {
    /// What comes next.
    #[must_use]
    pub fn gate(&self, canary: &Canary, now: DateTime<Utc>) -> Gate {
        if self.goes_wrong(canary) {
            return Gate::Stop(self.complaint(canary));
        }
        let step = usize::try_from(self.step).unwrap_or(usize::MAX);
        let Some(most) = canary.most_at(step) else {
            return Gate::Open(None);
        };
        if self.tried < most {
            return Gate::Open(Some(most - self.tried));
        }
        // A clock that was set back would else keep the watch up for as long: it begins anew.
        let Some(since) = self.watched_since.filter(|since| *since <= now) else {
            return Gate::BeginWatch;
        };
        // Nothing more is to be learned of letters that are done.
        if self.well >= self.tried {
            return Gate::NextStep;
        }
        let until = since + TimeDelta::seconds(canary.watch_seconds.into());
        if now < until { Gate::Watch(until) } else { Gate::NextStep }
    }

    fn goes_wrong(&self, canary: &Canary) -> bool {
        #[expect(
            clippy::cast_precision_loss,
            reason = "a share needs no more than 52 bits of letters"
        )]
        let share = self.wrong as f64 / self.tried.max(1) as f64;
        self.wrong > 0 && share > canary.stop_above
    }

    fn complaint(&self, canary: &Canary) -> String {
        format!(
            "{} of {} letters went wrong, and its canary allows {} %",
            self.wrong,
            self.tried.max(self.wrong),
            canary.stop_above_percent()
        )
    }
}

/// A share as people say it, with at most one digit after the point.
fn percent(share: f64) -> f64 {
    (share * 1_000.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_790_000_000 + second, 0).expect("in range")
    }

    fn climb(step: u32, tried: i64, wrong: i64) -> Climb {
        Climb { step, tried, wrong, ..Climb::default() }
    }

    #[test]
    fn each_step_lets_so_many_out_and_is_watched() {
        let canary = Canary::default();
        assert_eq!(climb(0, 0, 0).gate(&canary, at(0)), Gate::Open(Some(1)));
        assert_eq!(climb(0, 1, 0).gate(&canary, at(0)), Gate::BeginWatch);
        let watched = Climb { watched_since: Some(at(0)), ..climb(0, 1, 0) };
        assert_eq!(watched.gate(&canary, at(29)), Gate::Watch(at(30)));
        assert_eq!(watched.gate(&canary, at(30)), Gate::NextStep);
        assert_eq!(climb(1, 1, 0).gate(&canary, at(30)), Gate::Open(Some(9)));
        assert_eq!(climb(3, 100, 0).gate(&canary, at(99)), Gate::Open(None));
    }

    #[test]
    fn it_stops_at_any_time_when_too_much_goes_wrong() {
        let canary = Canary::default();
        for (step, tried, wrong) in [(0, 1, 1), (2, 40, 3), (3, 5_000, 251)] {
            let gate = climb(step, tried, wrong).gate(&canary, at(0));
            assert!(matches!(gate, Gate::Stop(_)), "{gate:?}");
        }
        let little = climb(3, 5_000, 250).gate(&canary, at(0));
        assert_eq!(little, Gate::Open(None));
    }

    #[test]
    fn what_is_processed_need_not_be_watched() {
        let done = Climb { watched_since: Some(at(0)), well: 1, ..climb(0, 1, 0) };
        assert_eq!(done.gate(&Canary::default(), at(1)), Gate::NextStep);
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_keep_the_watch_up() {
        let watched = Climb { watched_since: Some(at(3_600)), ..climb(0, 1, 0) };
        assert_eq!(watched.gate(&Canary::default(), at(0)), Gate::BeginWatch);
    }

    #[test]
    fn a_ladder_that_cannot_be_climbed_is_refused() {
        let with = |change: fn(&mut Canary)| {
            let mut canary = Canary::default();
            change(&mut canary);
            canary.check()
        };
        assert_eq!(with(|_| {}), Ok(()));
        assert_eq!(with(|one| one.steps.clear()), Err(BadCanary::Steps));
        assert_eq!(with(|one| one.steps = vec![0, 1]), Err(BadCanary::NotRising));
        assert_eq!(with(|one| one.steps = vec![5, 5]), Err(BadCanary::NotRising));
        assert_eq!(with(|one| one.stop_above = f64::NAN), Err(BadCanary::Share));
        assert_eq!(with(|one| one.stop_above = 1.5), Err(BadCanary::Share));
        assert_eq!(with(|one| one.watch_seconds = 0), Err(BadCanary::Watch));
    }

    #[test]
    fn what_is_left_out_is_as_usual() {
        let canary: Canary = serde_json::from_str(r#"{"steps":[2]}"#).expect("a canary");
        assert_eq!(canary.steps, [2]);
        assert_eq!(canary.watch_seconds, 30);
        assert!(serde_json::from_str::<Canary>(r#"{"step":[2]}"#).is_err());
    }
}
