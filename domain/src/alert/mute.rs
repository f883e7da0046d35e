//! Muting one alert: for a time, or until it is so much worse.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use super::signal::Unit;

/// The longest mute for a time: a day. Longer is a silence, with a reason that others can read.
const LONGEST_SECONDS: u32 = 24 * 60 * 60;

/// The most that a figure can be asked to grow by.
const MOST_MORE: i64 = 1_000_000_000;

/// A mute as a person writes it: one of the two.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct NewMute {
    /// For so many seconds nobody is told of it, also when it ends and begins again.
    #[cfg_attr(feature = "openapi", schema(minimum = 60, maximum = 86_400))]
    pub seconds: Option<u32>,
    /// Nobody is told until its figure is so much above what it is now.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1_000_000_000))]
    pub until_more: Option<i64>,
}

/// A mute that can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mute {
    /// For a time.
    For(TimeDelta),
    /// Until the figure is so much above what it is now.
    UntilMore(i64),
}

/// A mute that cannot be used as it is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MuteFault {
    /// Neither, or both.
    #[error("a mute is for some `seconds` or `until_more` things: name one of them")]
    One,
    /// Too short or too long.
    #[error("a mute is for 60 to {LONGEST_SECONDS} seconds: write a silence for a longer time")]
    Seconds,
    /// It asks for nothing, or for too much.
    #[error("`until_more` is 1 to {MOST_MORE}")]
    More,
    /// The figure is a time, which grows by itself.
    #[error("what this alert measures is a time, which grows by itself: mute it for some seconds")]
    Grows,
}

impl NewMute {
    /// Checks it, for an alert whose figure is in this unit.
    ///
    /// # Errors
    /// `MuteFault` when it will not do.
    pub fn checked(&self, unit: Unit) -> Result<Mute, MuteFault> {
        match (self.seconds, self.until_more) {
            (Some(seconds), None) => {
                let fits = (60..=LONGEST_SECONDS).contains(&seconds);
                let time = TimeDelta::seconds(i64::from(seconds));
                if fits { Ok(Mute::For(time)) } else { Err(MuteFault::Seconds) }
            }
            (None, Some(_)) if unit == Unit::Seconds => Err(MuteFault::Grows),
            (None, Some(more)) if (1..=MOST_MORE).contains(&more) => Ok(Mute::UntilMore(more)),
            (None, Some(_)) => Err(MuteFault::More),
            (None, None) | (Some(_), Some(_)) => Err(MuteFault::One),
        }
    }
}
