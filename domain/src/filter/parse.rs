//! The text form of a filter, read with positions.

use chrono::{DateTime, Utc};

use super::{LetterFilter, Moment};

const FIELDS: &[&str] = &[
    "source",
    "queue",
    "reason",
    "state",
    "severity",
    "error_class",
    "since",
    "until",
    "age",
];

/// A filter that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at character {}: {why}", .position + 1)]
pub struct FilterFault {
    /// Where the term begins, in characters from 0.
    pub position: usize,
    /// What is wrong with it and how to mend it.
    pub why: String,
}

pub(super) fn is_field(name: &str) -> bool {
    FIELDS.contains(&name)
}

/// One term as text, quoted where it must be.
pub(super) fn term(field: &str, value: &str) -> String {
    let plain = !value.is_empty()
        && !value
            .chars()
            .any(|c| c.is_whitespace() || matches!(c, '"' | '\\'));
    if plain {
        return format!("{field}:{value}");
    }
    let quoted = value.replace('\\', "\\\\").replace('"', "\\\"");
    format!("{field}:\"{quoted}\"")
}

pub(super) fn parse(text: &str) -> Result<LetterFilter, FilterFault> {
    let mut filter = LetterFilter::default();
    let characters: Vec<char> = text.chars().collect();
    let mut at = 0;
    while at < characters.len() {
        if characters[at].is_whitespace() {
            at += 1;
            continue;
        }
        let position = at;
        let (field, value, after) = read_term(&characters, at)?;
        apply(&mut filter, &field, &value).map_err(|why| FilterFault { position, why })?;
        at = after;
    }
    Ok(filter)
}

/// Reads `field:value` or `field:"value"`; tells where it ended.
fn read_term(characters: &[char], start: usize) -> Result<(String, String, usize), FilterFault> {
    let fault = |why: String| FilterFault {
        position: start,
        why,
    };
    let end = |from: usize| {
        (from..characters.len())
            .find(|i| characters[*i].is_whitespace())
            .unwrap_or(characters.len())
    };
    let word_end = end(start);
    let Some(colon) = (start..word_end).find(|i| characters[*i] == ':') else {
        let word: String = characters[start..word_end].iter().collect();
        return Err(fault(format!(
            "`{word}` is no term: write field:value, with one of {}",
            FIELDS.join(", ")
        )));
    };
    let field: String = characters[start..colon].iter().collect();
    if characters.get(colon + 1) != Some(&'"') {
        let value = characters[colon + 1..word_end].iter().collect();
        return Ok((field, value, word_end));
    }
    let mut value = String::new();
    let mut at = colon + 2;
    loop {
        match characters.get(at) {
            None => return Err(fault(format!("the quote after `{field}:` is never closed"))),
            Some('"') => return Ok((field, value, at + 1)),
            Some('\\') => {
                value.extend(characters.get(at + 1));
                at += 2;
            }
            Some(character) => {
                value.push(*character);
                at += 1;
            }
        }
    }
}

fn apply(filter: &mut LetterFilter, field: &str, value: &str) -> Result<(), String> {
    if is_field(field) && value.is_empty() {
        return Err(format!("`{field}:` has no value"));
    }
    if value.contains('\0') {
        return Err(format!("the value of `{field}` holds a NUL character"));
    }
    match field {
        "source" => once(&mut filter.source, field, value.to_owned()),
        "queue" => once(&mut filter.queue, field, value.to_owned()),
        "error_class" => once(&mut filter.error_class, field, value.to_owned()),
        "reason" => once(&mut filter.reason, field, read(value)?),
        "state" => once(&mut filter.state, field, read(value)?),
        "severity" => once(&mut filter.severity, field, read(value)?),
        "since" => once(&mut filter.since, field, moment(value)?),
        "until" => once(&mut filter.until, field, moment(value)?),
        "age" => match value.split_at_checked(1) {
            Some(("<", age)) => once(&mut filter.since, "age:<", ago(age)?),
            Some((">", age)) => once(&mut filter.until, "age:>", ago(age)?),
            _ => Err(format!("write age:<1h or age:>1h, not age:{value}")),
        },
        _ => Err(format!(
            "there is no field `{field}`: use one of {}",
            FIELDS.join(", ")
        )),
    }
}

fn once<T>(slot: &mut Option<T>, field: &str, value: T) -> Result<(), String> {
    if slot.replace(value).is_some() {
        return Err(format!("`{field}` is given twice"));
    }
    Ok(())
}

fn read<T: std::str::FromStr<Err: std::fmt::Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|why: T::Err| why.to_string())
}

fn moment(value: &str) -> Result<Moment, String> {
    match DateTime::parse_from_rfc3339(value) {
        Ok(time) => Ok(Moment::At(time.with_timezone(&Utc))),
        Err(_) => ago(value),
    }
}

/// `90s`, `15m`, `1h`, `7d`.
fn ago(value: &str) -> Result<Moment, String> {
    let help = || {
        format!("`{value}` is no time: write 15m, 1h, 7d or a time such as 2026-11-21T03:00:00Z")
    };
    let unit = value.chars().next_back().ok_or_else(help)?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3_600,
        'd' => 86_400,
        _ => return Err(help()),
    };
    let number: u32 = value[..value.len() - 1].parse().map_err(|_| help())?;
    let seconds = i64::from(number) * factor;
    // A century is enough, and keeps the arithmetic far from any edge.
    if seconds > 3_155_760_000 {
        return Err(help());
    }
    Ok(Moment::Ago(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::death::Reason;
    use crate::state::LetterState;
    use proptest::prelude::*;

    #[test]
    fn terms_are_read() {
        let filter =
            parse(r#"queue:orders.* reason:expired  state:held source:"My \"DLQ\"" age:<1h"#);
        assert_eq!(
            filter,
            Ok(LetterFilter {
                queue: Some("orders.*".into()),
                reason: Some(Reason::Expired),
                state: Some(LetterState::Held),
                source: Some("My \"DLQ\"".into()),
                since: Some(Moment::Ago(3600)),
                ..LetterFilter::default()
            })
        );
    }

    #[test]
    fn faults_name_the_place_and_the_cure() {
        let cases = [
            ("queue:a nonsense", 8, "is no term"),
            ("colour:red", 0, "there is no field `colour`"),
            ("state:dead", 0, "is not a state"),
            ("queue:a state:held queue:b", 19, "given twice"),
            ("queue:\"a", 0, "never closed"),
            ("ä reason:x", 0, "is no term"),
            ("since:soon", 0, "is no time"),
            ("age:1h", 0, "write age:<1h"),
            ("queue:", 0, "has no value"),
        ];
        for (text, position, why) in cases {
            let fault = parse(text).expect_err(text);
            assert_eq!(fault.position, position, "{text}");
            assert!(fault.why.contains(why), "{text}: {}", fault.why);
        }
    }

    #[test]
    fn a_form_with_empty_fields_filters_nothing() {
        let pairs = [("queue", ""), ("state", ""), ("cursor", "x"), ("q", "")];
        assert!(
            LetterFilter::from_query(pairs)
                .expect("readable")
                .is_empty()
        );
    }

    #[test]
    fn a_field_of_its_own_wins_over_the_text() {
        let pairs = [("q", "state:held queue:a"), ("queue", "b c")];
        let filter = LetterFilter::from_query(pairs).expect("readable");
        assert_eq!(filter.queue.as_deref(), Some("b c"));
        assert_eq!(filter.state, Some(LetterState::Held));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(queue in "[^\0]{1,20}", source in "[^\0]{1,20}") {
            let filter = LetterFilter {
                queue: Some(queue),
                source: Some(source),
                state: Some(LetterState::Unknown),
                until: Some(Moment::Ago(60)),
                ..LetterFilter::default()
            };
            prop_assert_eq!(parse(&filter.to_string()), Ok(filter));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}") {
            let _ = parse(&text);
        }
    }
}
