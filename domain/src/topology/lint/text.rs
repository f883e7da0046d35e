//! Names, times and lists in the sentences of findings.

/// `orders.dead`, `orders.dead and 3 others`.
pub(in crate::topology) fn some<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<&str> = names.collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [one] => format!("`{one}`"),
        [one, two] => format!("`{one}` and `{two}`"),
        [one, two, three] => format!("`{one}`, `{two}` and `{three}`"),
        [one, two, rest @ ..] => format!("`{one}`, `{two}` and {} others", rest.len()),
    }
}

/// Milliseconds as people say them, exactly: `7 days`, `16 hours 40 minutes`.
#[must_use]
pub fn duration(millis: i64) -> String {
    const UNITS: [(i64, &str); 5] = [
        (86_400_000, "day"),
        (3_600_000, "hour"),
        (60_000, "minute"),
        (1_000, "second"),
        (1, "millisecond"),
    ];
    let (mut rest, mut parts) = (millis, Vec::new());
    for (unit, name) in UNITS {
        if rest >= unit {
            parts.push(counted(rest / unit, name));
            rest %= unit;
        }
    }
    if parts.is_empty() {
        return counted(millis, "millisecond");
    }
    parts.join(" ")
}

/// `1 message`, `7 messages`.
pub(in crate::topology) fn counted(number: i64, noun: &str) -> String {
    let ending = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{ending}")
}
