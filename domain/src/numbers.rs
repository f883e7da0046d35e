//! Numbers of things as people read them.

use crate::page::Total;

/// `1204` as `1,204`.
#[must_use]
pub fn count(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3 + 1);
    if number < 0 {
        text.push('−');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 letter`, `1,204 letters`.
#[must_use]
pub fn counted(number: i64, noun: &str) -> String {
    format!("{} {}", count(number), plural(number, noun))
}

/// `1 letter`, `1,204 letters`, `10,000 or more letters`.
#[must_use]
pub fn how_many(total: Total, noun: &str) -> String {
    if total.is_least {
        format!("{} or more {noun}s", count(total.count))
    } else {
        counted(total.count, noun)
    }
}

/// `letter` or `letters`.
#[must_use]
pub fn plural(number: i64, noun: &str) -> String {
    if number == 1 { noun.to_owned() } else { format!("{noun}s") }
}
