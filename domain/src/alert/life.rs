//! The life of an alert: pending, firing, acknowledged, resolved.
//!
//! A figure that is beyond its limit for long enough fires, and is over when it has been back for long
//! enough. A figure that is not known changes nothing: an unknown is neither bad nor good.

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};

use super::rule::NewAlertRule;
use crate::severity::Severity;

/// Where an alert stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AlertState {
    /// Beyond its limit, and not for long enough yet. Nobody is told.
    Pending,
    /// Told, and nobody has said that they look into it.
    Firing,
    /// Somebody looks into it.
    Acknowledged,
    /// Over.
    Resolved,
}

impl AlertState {
    /// Every state.
    pub const ALL: [Self; 4] = [Self::Pending, Self::Firing, Self::Acknowledged, Self::Resolved];

    /// The word in SQL, JSON and addresses.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Firing => "firing",
            Self::Acknowledged => "acknowledged",
            Self::Resolved => "resolved",
        }
    }
}

/// What is remembered of an alert from one look to the next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Life {
    /// Where it stands.
    pub state: AlertState,
    /// How bad it is now.
    pub severity: Severity,
    /// The figure that was seen last.
    pub figure: i64,
    /// The one that was furthest beyond the limit.
    pub worst: i64,
    /// Since when the figure is beyond its limit.
    pub since: DateTime<Utc>,
    /// Since when it is back, if it is.
    pub back_since: Option<DateTime<Utc>>,
    /// When it was told last, and how bad it was then.
    pub told: Option<(DateTime<Utc>, Severity)>,
    /// Somebody does not want to hear of it until the figure is above this.
    pub muted_until_above: Option<i64>,
}

/// What was seen of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sighting {
    /// The figure; nothing when it could not be read.
    pub figure: Option<i64>,
    /// How bad the letters are that it is about, if it is about letters.
    pub severity: Option<Severity>,
    /// Nobody is to be told: it is silenced, or follows from what is told already.
    pub is_quiet: bool,
}

/// What there is to tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AlertChange {
    /// It is an alert from now on.
    Fired,
    /// It is worse than when it was told.
    Worsened,
    /// It still is an alert, and nobody looks into it.
    Repeated,
    /// It has been an alert for some time, and nobody was to be told; now somebody is.
    ToldLate,
    /// It is over.
    Resolved,
    /// Its rule was removed or switched off: whether it is over is not known.
    Unwatched,
}

impl AlertChange {
    /// Every change.
    pub const ALL: [Self; 6] = [
        Self::Fired,
        Self::Worsened,
        Self::Repeated,
        Self::ToldLate,
        Self::Resolved,
        Self::Unwatched,
    ];

    /// Whether nothing comes after it.
    #[must_use]
    pub fn is_end(self) -> bool {
        matches!(self, Self::Resolved | Self::Unwatched)
    }

    /// The word in SQL and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Fired => "fired",
            Self::Worsened => "worsened",
            Self::Repeated => "repeated",
            Self::ToldLate => "told_late",
            Self::Resolved => "resolved",
            Self::Unwatched => "unwatched",
        }
    }
}

/// What a look does to an alert.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// There is none, and none begins.
    None,
    /// It passed before anybody was told: it leaves no trace.
    Dropped,
    /// It goes on like this, with something to note or without.
    Goes(Life, Option<AlertChange>),
}

impl Life {
    /// Whether somebody is told of what has just been noted. The end of what nobody was told of is not told.
    #[must_use]
    pub fn is_told(&self) -> bool {
        self.told.is_some()
    }
}

/// The next step of an alert, or of a thing that has none.
#[must_use]
pub fn next_step(
    rule: &NewAlertRule,
    before: Option<&Life>,
    seen: Sighting,
    now: DateTime<Utc>,
) -> Step {
    let Some(figure) = seen.figure else {
        return before.map_or(Step::None, |life| Step::Goes(life.clone(), None));
    };
    let limit = rule.signal.limit(rule.limit);
    let severity = rule.severity.or(seen.severity).unwrap_or(Severity::Normal);
    let is_told = before.is_some_and(|life| life.state != AlertState::Pending);
    match (before, limit.is_passed(figure, is_told)) {
        (None, false) => Step::None,
        (None, true) => {
            let life = Life {
                state: AlertState::Pending,
                severity,
                figure,
                worst: figure,
                since: now,
                back_since: None,
                told: None,
                muted_until_above: None,
            };
            fire_when_due(rule, life, seen, now)
        }
        (Some(life), false) if life.state == AlertState::Pending => Step::Dropped,
        (Some(life), false) => {
            let back_since = life.back_since.unwrap_or(now).min(now);
            let life = Life { figure, back_since: Some(back_since), ..life.clone() };
            if now - back_since < seconds(rule.clearing_seconds) {
                return Step::Goes(life, None);
            }
            Step::Goes(Life { state: AlertState::Resolved, ..life }, Some(AlertChange::Resolved))
        }
        (Some(life), true) => {
            let worst = match limit {
                super::Limit::Above(_) => life.worst.max(figure),
                super::Limit::Below(_) => life.worst.min(figure),
            };
            // A clock that was set back makes nothing younger than now.
            let since = life.since.min(now);
            let life = Life { figure, worst, severity, since, back_since: None, ..life.clone() };
            if life.state == AlertState::Pending {
                return fire_when_due(rule, life, seen, now);
            }
            tell_again(rule, life, seen, now)
        }
    }
}

fn fire_when_due(rule: &NewAlertRule, life: Life, seen: Sighting, now: DateTime<Utc>) -> Step {
    if now - life.since < seconds(rule.pending_seconds) {
        return Step::Goes(life, None);
    }
    let told = (!seen.is_quiet).then_some((now, life.severity));
    Step::Goes(Life { state: AlertState::Firing, told, ..life }, Some(AlertChange::Fired))
}

fn tell_again(rule: &NewAlertRule, life: Life, seen: Sighting, now: DateTime<Utc>) -> Step {
    if seen.is_quiet {
        return Step::Goes(life, None);
    }
    let told = Some((now, life.severity));
    let tell = |change, life: Life| Step::Goes(Life { told, ..life }, Some(change));
    let Some((told_at, severity_then)) = life.told else {
        return tell(AlertChange::ToldLate, life);
    };
    if life.muted_until_above.is_some_and(|above| life.figure > above) {
        return tell(AlertChange::Repeated, Life { muted_until_above: None, ..life });
    }
    // Worst first. Whoever looked into it looked into something less bad.
    if life.severity < severity_then {
        return tell(AlertChange::Worsened, Life { state: AlertState::Firing, ..life });
    }
    let is_due = rule.repeat_seconds > 0 && now - told_at >= seconds(rule.repeat_seconds);
    if is_due && life.state == AlertState::Firing && life.muted_until_above.is_none() {
        // The worst that was told stays, so that a severity that goes up and down is told once.
        let told = Some((now, severity_then));
        return Step::Goes(Life { told, ..life }, Some(AlertChange::Repeated));
    }
    Step::Goes(life, None)
}

fn seconds(seconds: u32) -> TimeDelta {
    TimeDelta::seconds(i64::from(seconds))
}
