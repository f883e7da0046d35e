//! How long a policy waits before each of its tries.

use chrono::TimeDelta;
use serde::{Deserialize, Serialize};

use crate::ids::LetterId;

/// The most tries of one letter.
pub const MOST_TRIES: usize = 20;

/// The longest delay, in seconds: 30 days.
pub const MOST_DELAY_SECONDS: u32 = 30 * 86_400;

/// The most jitter. With all of it a delay may be next to nothing.
pub const MOST_JITTER_PERCENT: u8 = 90;

/// The delays before each try, from the death before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Schedule {
    /// In seconds, one for each try.
    pub delays_seconds: Vec<u32>,
    /// Each delay is longer or shorter by up to this much of it, so that letters that died
    /// together do not come back together.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 90))]
    pub jitter_percent: u8,
}

impl Default for Schedule {
    fn default() -> Self {
        Self { delays_seconds: vec![10, 100, 1_000], jitter_percent: 20 }
    }
}

impl Schedule {
    pub(super) fn is_usable(&self) -> bool {
        (1..=MOST_TRIES).contains(&self.delays_seconds.len())
            && self.jitter_percent <= MOST_JITTER_PERCENT
            && self.delays_seconds.iter().all(|delay| (1..=MOST_DELAY_SECONDS).contains(delay))
    }

    /// How many tries it has.
    #[must_use]
    pub fn tries(&self) -> u32 {
        u32::try_from(self.delays_seconds.len()).unwrap_or(u32::MAX)
    }

    /// How long to wait before the next try of a letter, after so many that were made; nothing
    /// when there is none left. The same letter and try always give the same delay.
    #[must_use]
    pub fn delay(&self, letter: LetterId, tries_made: u32) -> Option<TimeDelta> {
        let place = usize::try_from(tries_made).ok()?;
        let millis = i64::from(*self.delays_seconds.get(place)?) * 1_000;
        let span = millis * i64::from(self.jitter_percent.min(MOST_JITTER_PERCENT)) / 100;
        // From -span to +span.
        let chance = i64::from(chance(letter, tries_made));
        let shift = chance * 2 * span / i64::from(u32::MAX) - span;
        Some(TimeDelta::milliseconds(millis + shift))
    }
}

/// A number that is as good as drawn, of a letter and a try (`SplitMix64`'s last steps).
fn chance(letter: LetterId, tries_made: u32) -> u32 {
    let (high, low) = letter.0.as_u64_pair();
    let mut z = low ^ high.rotate_left(32);
    z = z.wrapping_add(u64::from(tries_made + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    u32::try_from(z >> 32).unwrap_or(u32::MAX)
}
