//! Numbers, sizes and ages as people read them. Pure: the time comes from the server.
use std::ops::Range;

use chrono::{DateTime, NaiveDateTime, SecondsFormat, Utc};
use dlo_domain::death::Reason;
pub(crate) use dlo_domain::numbers::{count, counted, how_many, plural};

/// `once`, `twice`, `7 times`.
pub(crate) fn times(number: i32) -> String {
    match number {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        _ => format!("{number} times"),
    }
}

/// `1st`, `2nd`, `13th`.
pub(crate) fn ordinal(number: i32) -> String {
    let ending = match (number % 100, number % 10) {
        (11..=13, _) => "th",
        (_, 1) => "st",
        (_, 2) => "nd",
        (_, 3) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

/// `468 B`, `1.5 KiB`, `30 MiB`.
pub(crate) fn size(bytes: i64) -> String {
    let mut tenths = bytes.max(0).saturating_mul(10);
    let mut unit = "B";
    for larger in ["KiB", "MiB", "GiB"] {
        if tenths < 10_240 {
            break;
        }
        tenths = (tenths + 512) / 1_024;
        unit = larger;
    }
    if unit == "B" || tenths >= 100 || tenths % 10 == 0 {
        format!("{} {unit}", (tenths + if unit == "B" { 0 } else { 5 }) / 10)
    } else {
        format!("{}.{} {unit}", tenths / 10, tenths % 10)
    }
}

/// How long ago, in one unit: `now`, `12 s`, `4 min`, `3 h`, `2 d`, `5 mo`, `2 y`.
pub(crate) fn age(seconds: i64) -> String {
    match seconds {
        ..1 => "now".to_owned(),
        1..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min", seconds / 60),
        3_600..86_400 => format!("{} h", seconds / 3_600),
        86_400..5_184_000 => format!("{} d", seconds / 86_400),
        5_184_000..63_072_000 => format!("{} mo", seconds / 2_592_000),
        _ => format!("{} y", seconds / 31_536_000),
    }
}

/// How long something lasted, in two units: `6 min 06 s`.
pub(crate) fn span(seconds: i64) -> String {
    match seconds {
        ..60 => format!("{seconds} s"),
        60..3_600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3_600..86_400 => format!("{} h {:02} min", seconds / 3_600, seconds % 3_600 / 60),
        _ => format!("{} d {:02} h", seconds / 86_400, seconds % 86_400 / 3_600),
    }
}

/// `2026-03-12 03:14:20 UTC`.
pub(crate) fn absolute(at: DateTime<Utc>) -> String {
    format!("{} {} UTC", day(at), clock(at))
}

/// `2026-03-12 03:14 UTC`.
pub(crate) fn minute(at: DateTime<Utc>) -> String {
    format!("{} {} UTC", day(at), hour(at))
}

/// The first time in a sentence that is told as `2026-03-12 03:14:20 UTC`, or without seconds: where it stands, and
/// when it is.
pub(crate) fn time_in(sentence: &str) -> Option<(Range<usize>, DateTime<Utc>)> {
    const FORMS: [(&str, usize); 2] = [("%F %T", 19), ("%F %R", 16)];
    sentence.match_indices(" UTC").find_map(|(end, zone)| {
        FORMS.iter().find_map(|(form, length)| {
            let start = end.checked_sub(*length)?;
            let told = sentence.get(start..end)?;
            let at = NaiveDateTime::parse_from_str(told, form).ok()?;
            (at.format(form).to_string() == told).then(|| (start..end + zone.len(), at.and_utc()))
        })
    })
}

/// `2026-03-12`.
pub(crate) fn day(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Secs, true).split('T').next().unwrap_or_default().to_owned()
}

/// `03:14:20`.
pub(crate) fn clock(at: DateTime<Utc>) -> String {
    of_day(at, 8)
}

/// `03:14`.
pub(crate) fn hour(at: DateTime<Utc>) -> String {
    of_day(at, 5)
}

fn of_day(at: DateTime<Utc>, length: usize) -> String {
    let text = at.to_rfc3339_opts(SecondsFormat::Secs, true);
    let time = text.split('T').nth(1).unwrap_or_default();
    time.chars().take(length).collect()
}

/// For machines: RFC 3339.
pub(crate) fn machine(at: DateTime<Utc>) -> String {
    at.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// The last eight characters of an id: enough to tell two apart on a page.
pub(crate) fn short(id: &impl ToString) -> String {
    // An address may name anything for an id.
    let id = id.to_string();
    let last = id.char_indices().rev().nth(7).map_or(0, |(from, _)| from);
    format!("…{}", &id[last..])
}

/// An error class without its namespace: `a.b.Broken` as `Broken`.
pub(crate) fn short_class(class: &str) -> &str {
    let name = class.rsplit(['.', ':', '/', '\\']).next();
    name.filter(|name| !name.is_empty()).unwrap_or(class)
}

/// A reason as it stands in tables.
pub(crate) fn reason(reason: Reason) -> &'static str {
    match reason {
        Reason::Rejected => "rejected",
        Reason::Expired => "expired",
        Reason::Maxlen => "queue full",
        Reason::DeliveryLimit => "delivery limit",
        Reason::Unknown => "unknown",
    }
}

/// A reason explained, to stand behind "It".
pub(crate) fn reason_sentence(reason: Reason) -> &'static str {
    match reason {
        Reason::Rejected => "a consumer rejected it without requeue",
        Reason::Expired => "its TTL expired",
        Reason::Maxlen => "the queue was full and dropped it",
        Reason::DeliveryLimit => "it was delivered too often",
        Reason::Unknown => "the message does not say why",
    }
}

/// What the desk says, as a sentence of its own: `there is no letter 7` as `There is no letter 7.`
pub(crate) fn sentence(text: &str) -> String {
    let text = text.trim();
    let mut letters = text.chars();
    let mut sentence: String = letters.next().into_iter().flat_map(char::to_uppercase).collect();
    sentence.push_str(letters.as_str());
    if !sentence.is_empty() && !sentence.ends_with(['.', '!', '?', '…']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests;
