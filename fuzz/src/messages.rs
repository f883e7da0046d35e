//! Messages made of the fuzzer's bytes: header tables with the names that the readers look for, so
//! that mutations reach them, and with anything else.

use arbitrary::{Arbitrary, Result, Unstructured};
use dlo_domain::arrival::Delivered;
use dlo_domain::wire::{Field, FieldTable, FieldValue, Properties, WireText};

/// Names that readers of headers look for.
const NAMES: [&str; 24] = [
    "x-death",
    "x-first-death-queue",
    "x-first-death-reason",
    "x-first-death-exchange",
    "x-dlo-letter",
    "x-dlo-replay",
    "x-dlo-attempt",
    "x-exception-message",
    "x-exception-stacktrace",
    "x-original-exchange",
    "x-original-routingKey",
    "MT-Fault-Message",
    "MT-Fault-StackTrace",
    "NServiceBus.ExceptionInfo.Message",
    "NServiceBus.FailedQ",
    "count",
    "reason",
    "queue",
    "exchange",
    "routing-keys",
    "time",
    "original-expiration",
    "CC",
    "task",
];

/// Deeper tables than any reader takes apart, and no deeper: the fuzzer's own stack is small.
const MOST_DEPTH: usize = 40;

/// A header table.
///
/// # Errors
/// Returns an error if the bytes are used up.
pub fn table(bytes: &mut Unstructured<'_>, depth: usize) -> Result<FieldTable> {
    let mut fields = Vec::new();
    while !bytes.is_empty() && bytes.ratio(7_u8, 8_u8)? {
        fields.push(Field { name: name(bytes)?, value: value(bytes, depth)? });
    }
    Ok(FieldTable(fields))
}

fn name(bytes: &mut Unstructured<'_>) -> Result<WireText> {
    if bytes.ratio(3_u8, 4_u8)? {
        return Ok((*bytes.choose(&NAMES)?).into());
    }
    text(bytes)
}

/// Any bytes: AMQP promises UTF-8 for names only, and brokers do not hold senders to it.
fn text(bytes: &mut Unstructured<'_>) -> Result<WireText> {
    Ok(Vec::<u8>::arbitrary(bytes)?.into())
}

fn value(bytes: &mut Unstructured<'_>, depth: usize) -> Result<FieldValue> {
    let kinds = if depth < MOST_DEPTH { 17_u8 } else { 15 };
    Ok(match bytes.int_in_range(0..=kinds)? {
        0 => FieldValue::Boolean(bytes.arbitrary()?),
        1 => FieldValue::ShortShortInt(bytes.arbitrary()?),
        2 => FieldValue::ShortShortUInt(bytes.arbitrary()?),
        3 => FieldValue::ShortInt(bytes.arbitrary()?),
        4 => FieldValue::ShortUInt(bytes.arbitrary()?),
        5 => FieldValue::LongInt(bytes.arbitrary()?),
        6 => FieldValue::LongUInt(bytes.arbitrary()?),
        7 => FieldValue::LongLongInt(bytes.arbitrary()?),
        8 => FieldValue::Float(bytes.arbitrary()?),
        9 => FieldValue::Double(bytes.arbitrary()?),
        10 => FieldValue::Decimal { scale: bytes.arbitrary()?, value: bytes.arbitrary()? },
        11 => FieldValue::ShortString(text(bytes)?),
        12 => FieldValue::LongString(text(bytes)?),
        13 => FieldValue::Timestamp(bytes.arbitrary()?),
        14 => FieldValue::ByteArray(bytes.arbitrary()?),
        15 => FieldValue::Void,
        16 => {
            let mut items = Vec::new();
            while !bytes.is_empty() && bytes.ratio(3_u8, 4_u8)? {
                items.push(value(bytes, depth + 1)?);
            }
            FieldValue::Array(items)
        }
        _ => FieldValue::Table(table(bytes, depth + 1)?),
    })
}

/// A message that somebody wrote down, as the corpus holds real ones: its properties, its headers and its body, as
/// they are stored in JSON.
pub fn written_message(input: &[u8]) -> Option<Delivered> {
    let (properties, headers, body): (Properties, FieldTable, WireText) =
        serde_json::from_slice(input).ok()?;
    Some(Delivered { properties, headers, body: body.as_bytes().to_vec(), ..Delivered::default() })
}

/// A whole message.
///
/// # Errors
/// Returns an error if the bytes are used up.
pub fn message(bytes: &mut Unstructured<'_>) -> Result<Delivered> {
    let properties = Properties {
        content_type: optional(bytes, &["application/json", "text/plain; charset=utf-16"])?,
        content_encoding: optional(bytes, &["gzip", "base64", "deflate", "gzip, base64"])?,
        message_id: optional(bytes, &["m-1"])?,
        kind: optional(bytes, &["OrderPlaced"])?,
        timestamp: bytes.arbitrary()?,
        expiration: optional(bytes, &["0", "60000"])?,
        ..Properties::default()
    };
    Ok(Delivered {
        exchange: bytes.arbitrary()?,
        routing_key: bytes.arbitrary()?,
        redelivered: bytes.arbitrary()?,
        properties,
        headers: table(bytes, 0)?,
        body: bytes.bytes(bytes.len())?.to_vec(),
        ..Delivered::default()
    })
}

fn optional(bytes: &mut Unstructured<'_>, usual: &[&str]) -> Result<Option<WireText>> {
    Ok(match bytes.int_in_range(0_u8..=3)? {
        0 => None,
        1 => Some(text(bytes)?),
        _ => Some((*bytes.choose(usual)?).into()),
    })
}

/// How deep tables and arrays are nested in a table.
pub fn depth(table: &FieldTable) -> usize {
    fn of(value: &FieldValue) -> usize {
        match value {
            FieldValue::Array(items) => 1 + items.iter().map(of).max().unwrap_or(0),
            FieldValue::Table(table) => 1 + depth(table),
            _ => 0,
        }
    }
    table.0.iter().map(|field| of(&field.value)).max().unwrap_or(0)
}
