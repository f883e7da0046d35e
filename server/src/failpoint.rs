//! Places at which a test ends this program, as kill -9 would: each lies between two steps of a replay
//! after which the database knows something that the broker does not, or the other way round.
//!
//! `DLO_FAILPOINT=name:N` kills the process when it reaches the place of that name for the N-th time.
//! Debug builds only, and no part of the configuration: a release build neither reads the variable
//! nor does anything at these places. Nothing but a kill may ever be done here.

/// A place in the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place(&'static str);

/// A plan is written, and not committed.
pub const PLANNED: Place = Place("planned");
/// Letters of a plan that was frozen before are claimed, and that is not committed.
pub const CLAIMED: Place = Place("claimed");
/// A replay was found that nobody works on, and is not taken.
pub const FOUND: Place = Place("found");
/// A replay was taken, and nothing of it is done.
pub const TAKEN: Place = Place("taken");
/// A window is marked as being on its way, and no byte of it has left.
pub const MARKED: Place = Place("marked");
/// A window was handed over to be sent, and none of its answers is read.
pub const HANDED_OVER: Place = Place("handed-over");
/// Every answer to a window is there, and none is written down.
pub const ANSWERED: Place = Place("answered");
/// Answers are written, and neither is that committed nor the mark taken away.
pub const WRITTEN: Place = Place("written");
/// What was cut off is written down as unknown, and its mark still stands.
pub const GIVEN_UP: Place = Place("given-up");
/// Some letters of a cancelled replay are given back, and others perhaps not.
pub const GIVING_BACK: Place = Place("giving-back");
/// Every letter has its outcome, and the replay has not ended.
pub const FINISHING: Place = Place("finishing");

/// Every place.
pub const ALL: [Place; 11] = [
    PLANNED,
    CLAIMED,
    FOUND,
    TAKEN,
    MARKED,
    HANDED_OVER,
    ANSWERED,
    WRITTEN,
    GIVEN_UP,
    GIVING_BACK,
    FINISHING,
];

/// The variable that names a place and a number.
pub const VARIABLE: &str = "DLO_FAILPOINT";

impl Place {
    /// What the variable calls it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.0
    }

    /// What the variable says to have the process killed when it is here for the `nth` time.
    #[must_use]
    pub fn at(self, nth: u32) -> String {
        format!("{}:{nth}", self.0)
    }
}

/// The program is at a place.
#[inline]
pub fn reach(place: Place) {
    #[cfg(debug_assertions)]
    armed::reach(place);
    #[cfg(not(debug_assertions))]
    let _ = place;
}

#[cfg(debug_assertions)]
pub use armed::{NoFailpoint, arm};

#[cfg(debug_assertions)]
mod armed {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU32, Ordering};

    use rustix::process::{Signal, getpid, kill_process};

    use super::{ALL, Place, VARIABLE};

    /// Where this process ends, and how often it may still come by.
    #[derive(Debug)]
    struct Armed {
        place: Place,
        left: AtomicU32,
    }

    static ARMED: OnceLock<Armed> = OnceLock::new();

    /// Words that name no place and number.
    #[derive(Debug, thiserror::Error)]
    #[error("{VARIABLE}={0} is not understood: say the name of a place and a number, `marked:3`")]
    pub struct NoFailpoint(String);

    /// Names the place at which this process ends. Once only; nothing said, nothing done.
    ///
    /// # Errors
    /// When the words name no place: a test that kills nothing proves nothing.
    pub fn arm(said: Option<String>) -> Result<(), NoFailpoint> {
        if let Some(said) = said {
            let armed = read(&said).ok_or(NoFailpoint(said))?;
            ARMED.get_or_init(|| armed);
        }
        Ok(())
    }

    fn read(said: &str) -> Option<Armed> {
        let (name, nth) = said.split_once(':')?;
        let place = ALL.into_iter().find(|place| place.name() == name)?;
        let left = nth.parse().ok().filter(|nth| *nth > 0)?;
        Some(Armed { place, left: AtomicU32::new(left) })
    }

    pub(super) fn reach(place: Place) {
        if let Some(armed) = ARMED.get()
            && armed.place == place
            && armed.left.fetch_sub(1, Ordering::SeqCst) == 1
        {
            // Nobody catches this signal, so nothing after it is done.
            let _ = kill_process(getpid(), Signal::KILL);
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn every_place_is_found_by_its_name() {
            for place in ALL {
                let armed = read(&place.at(3)).expect("understood");
                assert_eq!(armed.place, place);
                assert_eq!(armed.left.into_inner(), 3);
            }
        }

        #[test]
        fn words_that_would_kill_nothing_are_refused() {
            for said in ["", "marked", "marked:", "marked:0", "marked:x", "nowhere:1"] {
                assert!(read(said).is_none(), "{said}");
            }
            let why = arm(Some("nowhere:1".to_owned())).expect_err("refused");
            assert!(why.to_string().contains("DLO_FAILPOINT=nowhere:1"), "{why}");
        }
    }
}
