//! What writing values again has in common, whatever they are written in: what is the same stays as it was written, and
//! what is new is written as what stood in its place.

use std::collections::HashSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use chrono::DateTime;
use serde_json::{Map, Value};

use super::{TWICE, key};

/// Whether two values say the same: a number may be written as a whole one or as a fraction.
pub(in crate::decoding) fn is_same(one: &Value, other: &Value) -> bool {
    agree(one, other, is_same_leaf)
}

/// The same where a time may be written in another way, too.
pub(in crate::decoding) fn means_same(one: &Value, other: &Value) -> bool {
    agree(one, other, |one, other| {
        let time = |value: &Value| DateTime::parse_from_rfc3339(value.as_str()?).ok();
        is_same_leaf(one, other) || time(one).is_some_and(|one| time(other) == Some(one))
    })
}

fn agree(one: &Value, other: &Value, leaves: fn(&Value, &Value) -> bool) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            let same = |(one, other)| agree(one, other, leaves);
            one.len() == other.len() && one.iter().zip(other).all(same)
        }
        (Value::Object(one), Value::Object(other)) => {
            let same = |(name, one): (&String, &Value)| {
                other.get(name).is_some_and(|other| agree(one, other, leaves))
            };
            one.len() == other.len() && one.iter().all(same)
        }
        _ => leaves(one, other),
    }
}

fn is_same_leaf(one: &Value, other: &Value) -> bool {
    let (Value::Number(number), Value::Number(other_number)) = (one, other) else {
        return one == other;
    };
    let is_fraction = number.is_f64() || other_number.is_f64();
    one == other || (is_fraction && number.as_f64() == other_number.as_f64())
}

/// The longest item that others are written like, in bytes of JSON: it is read anew for each of them.
const MOST_PATTERN_BYTES: usize = 1024;

/// How many values are in a value, with itself.
pub(in crate::decoding) fn count(value: &Value) -> usize {
    match value {
        Value::Array(values) => 1 + values.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// For each item of a list the one of the list before it that it is written as: itself where it is the same, else what
/// stood in its place, else the last if that is small. `None` where there is none.
pub(super) fn origins(before: &[Value], after: &[Value]) -> Vec<Option<usize>> {
    let same = |(one, other): &(&Value, &Value)| is_same(one, other);
    let begin = before.iter().zip(after).take_while(same).count();
    let from_end = before[begin..].iter().rev().zip(after[begin..].iter().rev());
    let end = from_end.take_while(same).count();
    let is_pattern = |last: &&Value| last.to_string().len() <= MOST_PATTERN_BYTES;
    let last = before.last().filter(is_pattern).map(|_| before.len() - 1);
    let origin = |at: usize| {
        if at >= after.len() - end {
            return Some(at + before.len() - after.len());
        }
        if at < before.len() - end { Some(at) } else { last }
    };
    (0..after.len()).map(origin).collect()
}

/// A value of a format in which each says what kind it is of.
pub(super) trait TypedValue: Clone {
    /// What it says.
    fn read(&self) -> Result<Value, String>;

    /// Another value in its place, itself if that is the same.
    fn replaced(self, after: &Value) -> Result<Self, String> {
        if is_same(&self.read()?, after) { Ok(self) } else { self.changed(after) }
    }

    /// Another value in its place that is not the same: of its kind, where that can be.
    fn changed(self, after: &Value) -> Result<Self, String>;

    /// A value that nothing stood in the place of.
    fn new(value: &Value) -> Self;

    /// A text.
    fn text(text: &str) -> Self;

    /// A whole number; `None` if it is too large.
    fn integer(number: i128) -> Option<Self>;

    /// Whether it is a text.
    fn is_text(&self) -> bool;
}

/// Items in the place of some.
pub(super) fn items<P: TypedValue>(before: &[P], after: &[Value]) -> Result<Vec<P>, String> {
    let read = before.iter().map(P::read).collect::<Result<Vec<_>, _>>()?;
    let origins = origins(&read, after).into_iter().zip(after);
    let items = origins.map(|(origin, value)| match origin {
        Some(at) => before[at].clone().replaced(value),
        None => Ok(P::new(value)),
    });
    items.collect()
}

/// Members in the place of some: in the order in which those stood, and then the new ones.
pub(super) fn members<P: TypedValue>(
    before: Vec<(P, P)>,
    after: &Map<String, Value>,
) -> Result<Vec<(P, P)>, String> {
    let mut left = after.clone();
    let is_numbered = !before.is_empty() && !before.iter().any(|(name, _)| name.is_text());
    let mut written = Vec::new();
    let mut names = HashSet::new();
    for (name, value) in before {
        let told = key(name.read()?)?;
        if let Some(after) = left.remove(&told) {
            written.push((name, value.replaced(&after)?));
        }
        if !names.insert(told) {
            return Err(TWICE.to_owned());
        }
    }
    for (name, value) in &left {
        let number = name.parse().ok().filter(|_| is_numbered).and_then(P::integer);
        written.push((number.unwrap_or_else(|| P::text(name)), P::new(value)));
    }
    Ok(written)
}

/// The octets that `{"$base64": "…"}` stands for; `None` if a value is not that.
pub(super) fn octets_of(value: &Value) -> Option<Vec<u8>> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    base64_of(members)
}

/// The same, whatever else is with them.
pub(super) fn base64_of(members: &Map<String, Value>) -> Option<Vec<u8>> {
    STANDARD.decode(members.get("$base64")?.as_str()?).ok()
}

/// The text or the octets that a value stands for.
pub(super) fn bytes_of(value: &Value) -> Option<Vec<u8>> {
    value.as_str().map(|text| text.as_bytes().to_vec()).or_else(|| octets_of(value))
}

/// A number without a fraction.
pub(super) fn whole_of(value: &Value) -> Option<i128> {
    let number = value.as_number()?;
    let whole = number.as_i128();
    whole.or_else(|| {
        let fraction = number.as_f64().filter(|number| number.fract() == 0.0)?;
        // Beyond that not every whole number is a double.
        #[expect(clippy::cast_possible_truncation, reason = "below 2^53")]
        (fraction.abs() < 9_007_199_254_740_992.0).then_some(fraction as i128)
    })
}

/// The number that `value` is as 32 bits; `None` where they are not enough for it.
pub(super) fn single_of(value: f64) -> Option<f32> {
    #[expect(clippy::cast_possible_truncation, reason = "it is compared with what it was")]
    let single = value as f32;
    // As short as people write it: 0.1 is not 0.10000000149011612.
    let short = single.to_string().parse().unwrap_or(value);
    let is_value = |other: f64| other.total_cmp(&value).is_eq();
    (is_value(single.into()) || is_value(short) && single.is_finite()).then_some(single)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_are_the_same_by_what_they_say() {
        for (one, other, same) in [
            (json!(1), json!(1.0), true),
            (json!({"a": [1.0]}), json!({"a": [1]}), true),
            (json!(u64::MAX), json!(u64::MAX - 1), false),
            (json!({"a": 1}), json!({"b": 1}), false),
            (json!("1"), json!(1), false),
        ] {
            assert_eq!(is_same(&one, &other), same, "{one} {other}");
        }
    }

    #[test]
    fn items_are_written_as_what_stood_there() {
        let of = |before: Value, after: Value| {
            origins(before.as_array().expect("a list"), after.as_array().expect("a list"))
        };
        let at = |places: &[usize]| places.iter().copied().map(Some).collect::<Vec<_>>();
        assert_eq!(of(json!([1, 2, 3]), json!([1, 2, 3])), at(&[0, 1, 2]));
        assert_eq!(of(json!([1, 2, 3]), json!([1, 3])), at(&[0, 2]));
        assert_eq!(of(json!([1, 3]), json!([1, 2, 3])), at(&[0, 1, 1]));
        assert_eq!(of(json!([1, 2, 3]), json!([1, 9, 3])), at(&[0, 1, 2]));
        assert_eq!(of(json!([1]), json!([7, 8, 9])), at(&[0, 0, 0]));
        assert_eq!(of(json!([]), json!([7])), [None]);
        assert_eq!(of(json!(["x".repeat(5_000)]), json!([7, 8])), [Some(0), None]);
        assert_eq!(of(json!([5, 5]), json!([5])), at(&[0]));
    }

    #[test]
    fn numbers_keep_to_their_size() {
        assert_eq!(whole_of(&json!(7.0)), Some(7));
        assert_eq!(
            (whole_of(&json!(7.5)), whole_of(&json!(1e300)), whole_of(&json!("7"))),
            (None, None, None)
        );
        assert_eq!(whole_of(&json!(u64::MAX)), Some(i128::from(u64::MAX)));
        assert_eq!(
            (single_of(0.1), single_of(1.5), single_of(1e300)),
            (Some(0.1), Some(1.5), None)
        );
        assert_eq!(single_of(0.123_456_789_012), None);
    }
}
