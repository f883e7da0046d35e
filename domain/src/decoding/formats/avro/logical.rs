//! What numbers and bytes stand for, where a schema says so.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, Timelike as _};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::decoding::formats::rewriting::{self, octets_of};
use crate::decoding::formats::{octets, time, whole};

/// What a value stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Logical {
    /// A whole number; with so many digits of it behind the point.
    Decimal(u32),
    /// Days since 1970.
    Date,
    /// Of which this many make a second, since midnight.
    Time(i64),
    /// Of which this many make a second, since 1970, in UTC.
    Timestamp(i64),
    /// The same on a clock of which nobody says where it hangs.
    LocalTimestamp(i64),
    /// Months, days and milliseconds.
    Duration,
    /// A UUID.
    Uuid,
}

const MILLIS: i64 = 1_000;
const MICROS: i64 = 1_000_000;
const NANOS: i64 = 1_000_000_000;

impl Logical {
    /// What a type declares; `None` where it is nothing that is known, which is read as if it was not there.
    pub(super) fn of(members: &Map<String, Value>) -> Option<Self> {
        Some(match members.get("logicalType")?.as_str()? {
            "decimal" => {
                let scale = members.get("scale").and_then(Value::as_u64).unwrap_or_default();
                Self::Decimal(u32::try_from(scale).ok()?)
            }
            "date" => Self::Date,
            "time-millis" => Self::Time(MILLIS),
            "time-micros" => Self::Time(MICROS),
            "timestamp-millis" => Self::Timestamp(MILLIS),
            "timestamp-micros" => Self::Timestamp(MICROS),
            "timestamp-nanos" => Self::Timestamp(NANOS),
            "local-timestamp-millis" => Self::LocalTimestamp(MILLIS),
            "local-timestamp-micros" => Self::LocalTimestamp(MICROS),
            "local-timestamp-nanos" => Self::LocalTimestamp(NANOS),
            "duration" => Self::Duration,
            "uuid" => Self::Uuid,
            _ => return None,
        })
    }
}

/// A number as what it stands for.
pub(super) fn number(number: i64, logical: Option<Logical>) -> Value {
    let parts = |per_second: i64| {
        let nanoseconds = number.rem_euclid(per_second) * (NANOS / per_second);
        (number.div_euclid(per_second), u32::try_from(nanoseconds).unwrap_or_default())
    };
    let text = match logical {
        Some(Logical::Date) => {
            let days = TimeDelta::try_days(number);
            let date = days.and_then(|days| NaiveDate::default().checked_add_signed(days));
            date.map(|date| date.to_string())
        }
        Some(Logical::Time(per_second)) => {
            let (seconds, nanoseconds) = parts(per_second);
            let seconds = u32::try_from(seconds).ok();
            seconds
                .and_then(|seconds| {
                    NaiveTime::from_num_seconds_from_midnight_opt(seconds, nanoseconds)
                })
                .map(|time| time.to_string())
        }
        Some(Logical::Timestamp(per_second)) => {
            let (seconds, nanoseconds) = parts(per_second);
            return time(seconds, nanoseconds);
        }
        Some(Logical::LocalTimestamp(per_second)) => {
            let (seconds, nanoseconds) = parts(per_second);
            let told = time(seconds, nanoseconds);
            told.as_str().map(|told| told.trim_end_matches('Z').to_owned())
        }
        _ => None,
    };
    text.map_or_else(|| Value::from(number), Value::from)
}

/// The number that stands for this value; `None` if none does.
pub(super) fn number_of(value: &Value, logical: Option<Logical>) -> Option<i64> {
    let text = value.as_str()?;
    let counted = |seconds: i64, nanoseconds: u32, per_second: i64| {
        let part = NANOS / per_second;
        let nanoseconds = i64::from(nanoseconds);
        let is_exact = nanoseconds % part == 0;
        is_exact.then(|| seconds.checked_mul(per_second)?.checked_add(nanoseconds / part))?
    };
    match logical? {
        Logical::Date => {
            let date: NaiveDate = text.parse().ok()?;
            Some((date - NaiveDate::default()).num_days())
        }
        Logical::Time(per_second) => {
            let time: NaiveTime = text.parse().ok()?;
            counted(time.num_seconds_from_midnight().into(), time.nanosecond(), per_second)
        }
        Logical::Timestamp(per_second) => {
            let time = DateTime::parse_from_rfc3339(text).ok()?;
            counted(time.timestamp(), time.timestamp_subsec_nanos(), per_second)
        }
        Logical::LocalTimestamp(per_second) => {
            let time = text.parse::<NaiveDateTime>().ok()?.and_utc();
            counted(time.timestamp(), time.timestamp_subsec_nanos(), per_second)
        }
        Logical::Decimal(_) | Logical::Duration | Logical::Uuid => None,
    }
}

/// Bytes as what they stand for.
pub(super) fn bytes(bytes: &[u8], logical: Option<Logical>) -> Value {
    let known = match logical {
        Some(Logical::Decimal(scale)) => decimal(bytes, scale),
        Some(Logical::Uuid) => {
            Uuid::from_slice(bytes).ok().map(|uuid| Value::from(uuid.to_string()))
        }
        Some(Logical::Duration) => <[u8; 12]>::try_from(bytes).ok().map(duration),
        _ => None,
    };
    known.unwrap_or_else(|| octets(bytes))
}

/// The bytes that stand for this value, so many where their number is fixed; `None` if none do.
pub(super) fn bytes_of(
    value: &Value,
    logical: Option<Logical>,
    size: Option<usize>,
) -> Option<Vec<u8>> {
    let known = match logical {
        Some(Logical::Decimal(scale)) => {
            digits_of(value, scale).and_then(|digits| signed(digits, size))
        }
        Some(Logical::Uuid) => {
            let uuid = value.as_str().and_then(|text| text.parse::<Uuid>().ok());
            uuid.map(|uuid| uuid.as_bytes().to_vec())
        }
        Some(Logical::Duration) => parts_of(value),
        _ => return rewriting::bytes_of(value),
    };
    // What does not stand for anything is shown as octets.
    known.or_else(|| octets_of(value))
}

/// A number as its bytes, the highest first: as few as keep its sign, or so many; `None` if it needs more.
fn signed(number: i128, size: Option<usize>) -> Option<Vec<u8>> {
    let wide = number.to_be_bytes();
    let sign = if number < 0 { 0xff } else { 0 };
    let is_spare = |at: &usize| wide[*at] == sign && (wide[*at + 1] ^ sign) & 0x80 == 0;
    let least = &wide[(0..15).take_while(is_spare).count()..];
    let more = size.unwrap_or(least.len()).checked_sub(least.len())?;
    Some([&vec![sign; more], least].concat())
}

fn parts_of(value: &Value) -> Option<Vec<u8>> {
    let part = |name: &str| u32::try_from(value.get(name)?.as_u64()?).ok();
    Some([part("months")?, part("days")?, part("milliseconds")?].map(u32::to_le_bytes).concat())
}

/// The digits of a decimal number without its point; `None` if it has more of them behind it than that.
fn digits_of(value: &Value, scale: u32) -> Option<i128> {
    let text = value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned);
    let (minus, text) = text.strip_prefix('-').map_or((false, &*text), |text| (true, text));
    let (before, behind) = text.split_once('.').unwrap_or((text, ""));
    let scale = usize::try_from(scale).ok()?;
    let is_number =
        !before.is_empty() && before.bytes().chain(behind.bytes()).all(|c| c.is_ascii_digit());
    if !is_number || behind.len() > scale {
        return None;
    }
    let digits: i128 = format!("{before}{behind:0<scale$}").parse().ok()?;
    Some(if minus { -digits } else { digits })
}

/// A decimal number as a text, exactly; as a number where it is whole. `None` where it has more digits than are counted
/// with here.
fn decimal(bytes: &[u8], scale: u32) -> Option<Value> {
    let sign = if bytes.first().is_some_and(|first| first & 0x80 != 0) { 0xff } else { 0 };
    let mut wide = [sign; 16];
    wide.get_mut(16_usize.checked_sub(bytes.len())?..)?.copy_from_slice(bytes);
    let digits = i128::from_be_bytes(wide);
    if scale == 0 {
        return Some(whole(digits));
    }
    let one = 10_u128.checked_pow(scale)?;
    let minus = if digits < 0 { "-" } else { "" };
    let (before, behind) = (digits.unsigned_abs() / one, digits.unsigned_abs() % one);
    let width = usize::try_from(scale).ok()?;
    Some(Value::from(format!("{minus}{before}.{behind:0width$}")))
}

fn duration(bytes: [u8; 12]) -> Value {
    let part =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    json!({ "months": part(0), "days": part(4), "milliseconds": part(8) })
}
