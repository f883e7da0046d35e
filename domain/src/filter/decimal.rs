//! Numbers of any size, compared exactly: what JSON holds and what Postgres calls `numeric`.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// More digits than any number of a message or a person has.
const MOST_DIGITS: usize = 40;
/// Farther from the point than any floating-point number reaches.
const FARTHEST: i32 = 400;

/// `digits × 10^exponent`, in the one form without zeros at either end.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Decimal {
    is_negative: bool,
    digits: String,
    exponent: i32,
}

/// The text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("that is no number: write 42, -1.5 or 6e3")]
pub struct NoNumber;

impl Decimal {
    fn normal(is_negative: bool, digits: &str, exponent: i32) -> Self {
        let significant = digits.trim_start_matches('0');
        let kept = significant.trim_end_matches('0');
        if kept.is_empty() {
            return Self { is_negative: false, digits: "0".to_owned(), exponent: 0 };
        }
        let trimmed = i32::try_from(significant.len() - kept.len()).unwrap_or(FARTHEST);
        Self { is_negative, digits: kept.to_owned(), exponent: exponent + trimmed }
    }

    fn is_zero(&self) -> bool {
        self.digits == "0"
    }

    /// Places before the point.
    fn magnitude(&self) -> i32 {
        i32::try_from(self.digits.len()).unwrap_or(FARTHEST) + self.exponent
    }

    fn cmp_absolute(&self, other: &Self) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => Ordering::Equal,
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            // Digits without zeros at the end compare like fractions.
            (false, false) => self
                .magnitude()
                .cmp(&other.magnitude())
                .then_with(|| self.digits.cmp(&other.digits)),
        }
    }
}

impl From<i64> for Decimal {
    fn from(number: i64) -> Self {
        Self::normal(number < 0, &number.unsigned_abs().to_string(), 0)
    }
}

impl FromStr for Decimal {
    type Err = NoNumber;

    fn from_str(text: &str) -> Result<Self, NoNumber> {
        let (is_negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let (number, exponent) = match rest.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse().map_err(|_| NoNumber)?),
            None => (rest, 0_i32),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
        let digits = format!("{whole}{fraction}");
        let fits = digits.len() <= MOST_DIGITS && exponent.abs() <= FARTHEST;
        let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || fraction.is_empty() || !fits || !plain {
            return Err(NoNumber);
        }
        let places = i32::try_from(fraction.len()).map_err(|_| NoNumber)?;
        Ok(Self::normal(is_negative, &digits, exponent - places))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.is_negative, other.is_negative) {
            (false, false) => self.cmp_absolute(other),
            (true, true) => other.cmp_absolute(self),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A form that JSON, Postgres and `from_str` read back.
impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_negative {
            f.write_str("-")?;
        }
        let length = i32::try_from(self.digits.len()).unwrap_or(FARTHEST);
        let zeros = |count: i32| "0".repeat(usize::try_from(count).unwrap_or(0));
        match self.exponent {
            0..=15 => write!(f, "{}{}", self.digits, zeros(self.exponent)),
            below @ -15..0 if below + length > 0 => {
                let point = usize::try_from(below + length).unwrap_or(0);
                write!(f, "{}.{}", &self.digits[..point], &self.digits[point..])
            }
            below @ -15..0 => write!(f, "0.{}{}", zeros(-below - length), self.digits),
            exponent => write!(f, "{}e{exponent}", self.digits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Decimal {
        text.parse().expect(text)
    }

    #[test]
    fn numbers_are_equal_by_value_and_not_by_writing() {
        for (one, other) in [("42", "42.0"), ("0", "-0.0"), ("1e3", "1000"), ("0.05", "5e-2")] {
            assert_eq!(read(one), read(other), "{one} {other}");
        }
        assert!(read("9007199254740993") > read("9007199254740992"));
        assert!(read("-2") < read("-1.5") && read("-1") < read("0") && read("0") < read("1e-300"));
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["", "-", ".", "1.", ".5", "1e", "0x1", "inf", "NaN", "1e999", "+1", "1 2"] {
            assert_eq!(text.parse::<Decimal>(), Err(NoNumber), "{text}");
        }
    }

    proptest! {
        #[test]
        fn floats_keep_their_order(one in proptest::num::f64::NORMAL, other in proptest::num::f64::NORMAL) {
            let order = one.partial_cmp(&other).expect("ordered");
            let decimal = |number: f64| read(&format!("{number:e}"));
            prop_assert_eq!(decimal(one).cmp(&decimal(other)), order);
        }

        #[test]
        fn what_is_written_is_read_back(digits in "-?[0-9]{1,12}(\\.[0-9]{1,12})?(e-?[0-9]{1,2})?") {
            let number = read(&digits);
            prop_assert_eq!(read(&number.to_string()), number.clone());
        }
    }
}
