//! What the forms of a group hold, read.

use chrono::TimeDelta;
use dlo_domain::group::{GroupState, Mute, NotAGroupState};
use dlo_domain::grouping::SignatureId;

use crate::error::ApiError;
use crate::request::now;

/// The longest mute by time: a year.
const MOST_HOURS: i64 = 8_760;

/// The words between commas, each once.
pub(super) fn tags(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for tag in text.split(',').map(str::trim).filter(|tag| !tag.is_empty()) {
        if !words.iter().any(|known| known == tag) {
            words.push(tag.to_owned());
        }
    }
    words
}

pub(super) fn state(word: &str) -> Result<GroupState, ApiError> {
    let state = word.parse();
    state.map_err(|fault: NotAGroupState| ApiError::invalid(fault.to_string()))
}

pub(super) fn mute(hours: &str, arrivals: &str, per_hour: &str) -> Result<Mute, ApiError> {
    let until = number(hours, "The number of hours")?;
    if until.is_some_and(|hours| hours > MOST_HOURS) {
        return Err(ApiError::invalid("A mute ends after a year at most."));
    }
    let mute = Mute {
        until: until.map(|hours| now() + TimeDelta::hours(hours)),
        arrivals: number(arrivals, "The number of letters")?,
        per_hour: number(per_hour, "The number of letters an hour")?,
    };
    if mute == Mute::default() {
        return Err(ApiError::invalid(
            "A mute needs an end: choose a time, or give a number of letters.",
        ));
    }
    Ok(mute)
}

/// A number that is at least 1; none when the field is empty.
fn number(text: &str, what: &str) -> Result<Option<i64>, ApiError> {
    match text.trim() {
        "" => Ok(None),
        digits => match digits.parse() {
            Ok(number) if number >= 1 => Ok(Some(number)),
            _ => Err(ApiError::invalid(format!("{what} must be a whole number from 1 on."))),
        },
    }
}

pub(super) fn signatures(texts: Vec<String>) -> Result<Vec<SignatureId>, ApiError> {
    let ids = texts.into_iter().map(SignatureId::try_from);
    let ids: Result<_, _> = ids.collect();
    ids.map_err(|_| ApiError::invalid("That is no signature of this group: load the page again."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_the_words_between_commas() {
        assert_eq!(tags(" money, release,,money "), ["money", "release"]);
        assert!(tags(" , ").is_empty());
    }

    #[test]
    fn a_mute_has_the_ends_that_are_given() {
        let mute = mute("", "10", " 5 ").expect("a mute");
        assert_eq!((mute.until, mute.arrivals, mute.per_hour), (None, Some(10), Some(5)));
    }

    #[test]
    fn a_mute_without_an_end_or_with_an_odd_one_is_refused() {
        for [hours, arrivals, per_hour] in [
            ["", "", " "],
            ["9999999999", "", ""],
            ["8", "0", ""],
            ["", "many", ""],
            ["", "", "-1"],
        ] {
            let refused = mute(hours, arrivals, per_hour);
            assert!(
                matches!(refused, Err(ApiError::Invalid { .. })),
                "{hours:?} {arrivals:?} {per_hour:?}"
            );
        }
    }
}
