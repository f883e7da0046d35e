//! Pauses: times in which nothing came by a way, since the broker, the database or all offices stood
//! still. What dies by a pause is held against nobody.

use chrono::{DateTime, TimeDelta, Utc};

use super::BLIND;

/// So long nobody looked when it is called a pause. A shorter one kills no message that had a minute.
const LEAST: TimeDelta = TimeDelta::seconds(15);

/// After a pause, messages whose time ran out meanwhile die at once, and workers that were cut off have
/// to come back first: so long what comes is of the pause.
const GRACE: TimeDelta = TimeDelta::minutes(1);

/// What came before the way was seen to be open again waits so long for it: whatever it came by may be
/// back sooner.
const OPENS_WITHIN: TimeDelta = TimeDelta::minutes(1);

/// A way that nobody looked at for so long is not waited for: nobody hears there any more.
const GIVEN_UP_AFTER: TimeDelta = TimeDelta::days(1);

/// A time in which a way was closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pause {
    /// When it was last known to be open.
    pub closed_at: DateTime<Utc>,
    /// When it was seen to be open again.
    pub opened_at: DateTime<Utc>,
}

impl Pause {
    /// The pause that a look at `now` ends, where one was before at `looked_at`.
    #[must_use]
    pub fn ended(looked_at: DateTime<Utc>, now: DateTime<Utc>) -> Option<Self> {
        (now - looked_at > LEAST).then_some(Self { closed_at: looked_at, opened_at: now })
    }
}

/// How a way stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// When it was last looked at.
    pub looked_at: DateTime<Utc>,
    /// Its last pause.
    pub pause: Option<Pause>,
}

/// What a dead letter tells of whoever did not take its message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Witness {
    /// What it says.
    AsEver,
    /// Nothing: it died by this pause, or nobody could take it for that.
    OfAPause(Pause),
    /// It came before the way was seen to be open again: whether it is of a pause is known soon.
    TooEarly,
}

impl Standing {
    /// What a letter tells that came at `came`, asked at `now`. All times are of one clock.
    #[must_use]
    pub fn witness(self, came: DateTime<Utc>, now: DateTime<Utc>) -> Witness {
        let closed_for = now - self.looked_at;
        let may_open = closed_for > BLIND && closed_for < GIVEN_UP_AFTER;
        if may_open && came > self.looked_at && now - came < OPENS_WITHIN {
            return Witness::TooEarly;
        }
        match self.pause {
            Some(pause) if (pause.closed_at..pause.opened_at + GRACE).contains(&came) => {
                Witness::OfAPause(pause)
            }
            _ => Witness::AsEver,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds)
    }

    /// Open until 100, closed until 220, and looked at ever since.
    fn after_a_pause(now: i64) -> Standing {
        Standing { looked_at: at(now), pause: Pause::ended(at(100), at(220)) }
    }

    #[test]
    fn a_short_gap_is_no_pause_and_neither_is_a_clock_that_was_set_back() {
        for now in [-3_600, 100, 101, 115] {
            assert_eq!(Pause::ended(at(100), at(now)), None, "{now}");
        }
        let pause = Pause { closed_at: at(100), opened_at: at(116) };
        assert_eq!(Pause::ended(at(100), at(116)), Some(pause));
    }

    #[test]
    fn what_came_in_a_pause_or_within_a_minute_after_is_of_it() {
        let pause = Pause::ended(at(100), at(220)).expect("a pause");
        for (came, wanted) in [
            (99, Witness::AsEver),
            (100, Witness::OfAPause(pause)),
            (219, Witness::OfAPause(pause)),
            (279, Witness::OfAPause(pause)),
            (280, Witness::AsEver),
        ] {
            // However late it is asked: whoever asks may have much to do.
            for now in [280, 281, 9_000] {
                let told = after_a_pause(now).witness(at(came), at(now));
                assert_eq!(told, wanted, "{came} at {now}");
            }
        }
    }

    #[test]
    fn what_comes_before_the_way_is_seen_to_be_open_waits_for_that_and_not_for_ever() {
        let closed = Standing { looked_at: at(100), pause: None };
        assert_eq!(closed.witness(at(104), at(105)), Witness::AsEver);
        assert_eq!(closed.witness(at(200), at(201)), Witness::TooEarly);
        assert_eq!(closed.witness(at(200), at(259)), Witness::TooEarly);
        assert_eq!(closed.witness(at(200), at(260)), Witness::AsEver);
        assert_eq!(closed.witness(at(90), at(201)), Witness::AsEver);
        let day = 86_400;
        let late = closed.witness(at(100 + day), at(100 + day));
        assert_eq!(late, Witness::AsEver, "nobody hears there any more");
    }

    #[test]
    fn a_clock_that_was_set_back_makes_no_letter_one_of_a_pause() {
        let standing = after_a_pause(-3_000);
        assert_eq!(standing.witness(at(-3_001), at(-3_000)), Witness::AsEver);
    }
}
