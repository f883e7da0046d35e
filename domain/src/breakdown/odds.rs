//! The arithmetic: shares, their ratio, and what is no chance.

/// How sure a difference must be, in standard errors. With some hundred values looked at, one in
/// a hundred would still be chance; what is found also has to be frequent.
const SURE: f64 = 2.3;
/// How much more frequent than elsewhere a value must be to be worth a word.
const LEAST_RATIO: f64 = 1.25;

/// A part of a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) letters: u32,
    pub(super) of: u32,
}

impl Part {
    /// The share, 0 of nothing.
    pub(super) fn share(self) -> f64 {
        if self.of == 0 { 0.0 } else { f64::from(self.letters) / f64::from(self.of) }
    }

    /// The share with one success and one failure added, which keeps small samples modest.
    fn modest(self) -> (f64, f64) {
        let of = f64::from(self.of) + 2.0;
        ((f64::from(self.letters) + 1.0) / of, of)
    }
}

/// Whether a value is clearly more frequent here than elsewhere.
pub(super) fn is_no_chance(here: Part, elsewhere: Part) -> bool {
    let (p, n) = here.modest();
    let (q, m) = elsewhere.modest();
    let error = (p * (1.0 - p) / n + q * (1.0 - q) / m).sqrt();
    p - q >= SURE * error && here.share() >= LEAST_RATIO * elsewhere.share()
}

/// How much a value tells that these parts of the letters have: high when it is frequent here and
/// rare in all.
pub(super) fn telling(share: f64, share_of_all: f64) -> f64 {
    // What no letter of a sample has may still be there.
    share * (share / share_of_all.max(0.000_5)).max(1.0).ln()
}

/// A share for people: `96 %`; what is not none or all is never shown as that.
#[must_use]
pub fn percent(share: f64) -> String {
    let rounded = (share * 100.0).round();
    if rounded < 1.0 && share > 0.0 {
        "<1 %".to_owned()
    } else if rounded > 99.0 && share < 1.0 {
        ">99 %".to_owned()
    } else {
        format!("{rounded:.0} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(letters: u32, of: u32) -> Part {
        Part { letters, of }
    }

    #[test]
    fn few_letters_prove_little() {
        assert!(!is_no_chance(part(1, 1), part(0, 1)));
        assert!(!is_no_chance(part(2, 2), part(0, 2)));
        assert!(is_no_chance(part(3, 3), part(0, 3)));
        assert!(!is_no_chance(part(3, 3), part(1, 3)));
        assert!(!is_no_chance(part(500, 1_000), part(480, 1_000)));
        assert!(is_no_chance(part(960, 1_000), part(110, 1_000)));
        assert!(!is_no_chance(part(5, 5), part(0, 0)), "nothing to compare with");
    }

    #[test]
    fn shares_are_never_rounded_to_none_or_all() {
        for (share, text) in [
            (0.0, "0 %"),
            (0.001, "<1 %"),
            (0.11, "11 %"),
            (0.96, "96 %"),
            (0.999, ">99 %"),
            (1.0, "100 %"),
        ] {
            assert_eq!(percent(share), text);
        }
    }

    #[test]
    fn common_and_rare_elsewhere_tells_most() {
        assert!(telling(0.96, 0.11) > telling(0.3, 0.11));
        assert!(telling(0.96, 0.11) > telling(0.08, 0.001));
        assert!(telling(1.0, 0.0).is_finite() && telling(0.0, 0.0).is_finite());
    }
}
