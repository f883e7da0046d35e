//! From header values to deaths. Nothing here fails: what cannot be read becomes a note.

use chrono::{DateTime, Utc};

use super::{Death, Reason};
use crate::wire::{FieldTable, FieldValue};

/// Entries beyond this are counted in a note, not read: a broker writes one per queue and reason.
const MOST_DEATHS: usize = 64;

/// What the header held.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeathHistory {
    /// The entries that could be read, newest first.
    pub deaths: Vec<Death>,
    /// What could not be read, for people.
    pub notes: Vec<String>,
}

/// Reads `x-death` from the headers of a message.
#[must_use]
pub fn read_deaths(headers: &FieldTable) -> DeathHistory {
    let mut history = DeathHistory::default();
    match headers.get("x-death") {
        None => {}
        Some(FieldValue::Array(entries)) => {
            for (position, entry) in entries.iter().take(MOST_DEATHS).enumerate() {
                match entry {
                    FieldValue::Table(table) => {
                        let death = read_death(table, position, &mut history.notes);
                        history.deaths.push(death);
                    }
                    other => history.notes.push(format!(
                        "x-death[{position}] is a {}, not a table",
                        other.type_name()
                    )),
                }
            }
            if entries.len() > MOST_DEATHS {
                history.notes.push(format!(
                    "x-death has {} entries; the first {MOST_DEATHS} were read",
                    entries.len()
                ));
            }
        }
        Some(other) => history.notes.push(format!(
            "x-death is a {}, not an array: no death history could be read",
            other.type_name()
        )),
    }
    history
}

fn read_death(table: &FieldTable, position: usize, notes: &mut Vec<String>) -> Death {
    let mut note = |what: String| notes.push(format!("x-death[{position}]: {what}"));
    let queue = string(table, "queue", &mut note);
    let exchange = string(table, "exchange", &mut note);
    let reason = match table.text("reason").map(str::parse) {
        Some(Ok(reason)) => reason,
        Some(Err(unknown)) => {
            note(format!("{unknown}"));
            Reason::Unknown
        }
        None => {
            note("no reason".to_owned());
            Reason::Unknown
        }
    };
    Death {
        queue,
        reason,
        exchange,
        routing_keys: routing_keys(table, &mut note),
        count: count(table, &mut note),
        time: time(table, &mut note),
        original_expiration: table
            .get("original-expiration")
            .and_then(FieldValue::as_text)
            .map(|text| text.to_display().into_owned()),
    }
}

fn string(table: &FieldTable, name: &str, note: &mut impl FnMut(String)) -> String {
    let Some(value) = table.get(name) else {
        note(format!("no {name}"));
        return String::new();
    };
    let Some(text) = value.as_text() else {
        note(format!("{name} is a {}, not a string", value.type_name()));
        return String::new();
    };
    text.to_display().into_owned()
}

fn routing_keys(table: &FieldTable, note: &mut impl FnMut(String)) -> Vec<String> {
    let Some(FieldValue::Array(keys)) = table.get("routing-keys") else {
        note("no routing-keys that can be read".to_owned());
        return Vec::new();
    };
    let texts: Vec<String> = keys
        .iter()
        .filter_map(FieldValue::as_text)
        .map(|key| key.to_display().into_owned())
        .collect();
    if texts.len() < keys.len() {
        note("a routing key is no string".to_owned());
    }
    texts
}

fn count(table: &FieldTable, note: &mut impl FnMut(String)) -> Option<i64> {
    let count = table.get("count").and_then(FieldValue::as_integer);
    match count {
        Some(n) if n < 0 => {
            note(format!("the count {n} is below zero"));
            None
        }
        Some(n) => Some(n),
        None => {
            note("no count that can be read".to_owned());
            None
        }
    }
}

fn time(table: &FieldTable, note: &mut impl FnMut(String)) -> Option<DateTime<Utc>> {
    let Some(FieldValue::Timestamp(raw)) = table.get("time") else {
        note("no time that can be read".to_owned());
        return None;
    };
    let (time, remark) = instant(*raw);
    if let Some(remark) = remark {
        note(remark);
    }
    time
}

/// Reads an AMQP timestamp. The specification says seconds; some clients write milliseconds,
/// which would be far beyond the year 9999 and are taken as such, with a remark.
#[must_use]
pub fn instant(raw: u64) -> (Option<DateTime<Utc>>, Option<String>) {
    const YEAR_10000: i64 = 253_402_300_800;
    let seconds = i64::try_from(raw).ok().filter(|s| *s < YEAR_10000);
    if let Some(seconds) = seconds {
        return (DateTime::from_timestamp(seconds, 0), None);
    }
    let millis = i64::try_from(raw).ok().filter(|ms| *ms / 1000 < YEAR_10000);
    match millis.and_then(DateTime::from_timestamp_millis) {
        Some(time) => (Some(time), Some(format!("the time {raw} was taken as milliseconds"))),
        None => (None, Some(format!("the time {raw} is out of range"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(s: &str) -> FieldValue {
        FieldValue::LongString(s.into())
    }

    fn table(fields: Vec<(&str, FieldValue)>) -> FieldTable {
        let mut table = FieldTable::default();
        for (name, value) in fields {
            table.set(name, value);
        }
        table
    }

    fn entry(queue: &str, reason: &str) -> FieldTable {
        table(vec![
            ("count", FieldValue::LongLongInt(2)),
            ("reason", text(reason)),
            ("queue", text(queue)),
            ("time", FieldValue::Timestamp(1_700_000_000)),
            ("exchange", text("orders")),
            ("routing-keys", FieldValue::Array(vec![text("orders.new")])),
        ])
    }

    fn history(x_death: FieldValue) -> DeathHistory {
        read_deaths(&table(vec![("x-death", x_death)]))
    }

    #[test]
    fn a_broker_entry_is_read_whole() {
        let mut fields = entry("orders.work", "expired");
        fields.set("original-expiration", text("0"));
        let history = history(FieldValue::Array(vec![FieldValue::Table(fields)]));
        assert_eq!(history.notes, Vec::<String>::new());
        assert_eq!(
            history.deaths,
            [Death {
                queue: "orders.work".into(),
                reason: Reason::Expired,
                exchange: "orders".into(),
                routing_keys: vec!["orders.new".into()],
                count: Some(2),
                time: DateTime::from_timestamp(1_700_000_000, 0),
                original_expiration: Some("0".into()),
            }]
        );
    }

    #[test]
    fn without_the_header_there_is_nothing_to_say() {
        assert_eq!(read_deaths(&FieldTable::default()), DeathHistory::default());
    }

    #[test]
    fn a_header_that_is_no_array_gives_a_note() {
        for value in [text("junk"), FieldValue::Void, FieldValue::LongInt(3)] {
            let history = history(value);
            assert!(history.deaths.is_empty());
            assert_eq!(history.notes.len(), 1);
        }
    }

    #[test]
    fn junk_among_the_entries_does_not_hide_the_others() {
        let history = history(FieldValue::Array(vec![
            text("junk"),
            FieldValue::Table(entry("orders.work", "rejected")),
            FieldValue::Void,
        ]));
        assert_eq!(history.deaths.len(), 1);
        assert_eq!(history.deaths[0].queue, "orders.work");
        assert_eq!(history.notes.len(), 2);
    }

    #[test]
    fn an_empty_entry_is_a_death_of_unknown_reason_with_notes() {
        let history = history(FieldValue::Array(vec![FieldValue::Table(FieldTable::default())]));
        assert_eq!(history.deaths[0].reason, Reason::Unknown);
        assert_eq!(history.deaths[0].count, None);
        assert_eq!(history.notes.len(), 6);
    }

    #[test]
    fn a_count_below_zero_is_noted_and_left_out() {
        let mut fields = entry("q", "rejected");
        fields.set("count", FieldValue::LongLongInt(-1));
        let history = history(FieldValue::Array(vec![FieldValue::Table(fields)]));
        assert_eq!(history.deaths[0].count, None);
        assert_eq!(history.notes, ["x-death[0]: the count -1 is below zero"]);
    }

    #[test]
    fn bytes_that_are_no_text_are_shown_with_replacements() {
        let mut fields = entry("q", "rejected");
        fields.set("queue", FieldValue::LongString(vec![b'q', 0xff, 0].into()));
        let history = history(FieldValue::Array(vec![FieldValue::Table(fields)]));
        assert_eq!(history.deaths[0].queue, "q\u{fffd}\u{fffd}");
    }

    #[test]
    fn milliseconds_are_understood_and_nonsense_is_not() {
        let at = DateTime::from_timestamp(1_700_000_000, 0);
        assert_eq!(instant(1_700_000_000), (at, None));
        assert_eq!(instant(1_700_000_000_000).0, at);
        assert!(instant(1_700_000_000_000).1.is_some());
        assert_eq!(instant(u64::MAX).0, None);
    }

    #[test]
    fn very_many_entries_are_cut_with_a_note() {
        let many = vec![FieldValue::Table(entry("q", "rejected")); 1000];
        let history = history(FieldValue::Array(many));
        assert_eq!(history.deaths.len(), MOST_DEATHS);
        assert_eq!(history.notes.len(), 1);
    }
}
