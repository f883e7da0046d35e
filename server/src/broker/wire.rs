//! The domain's values as lapin writes them: every type and every byte is kept. (What comes in is read
//! without lapin: see `super::octets`.)
//!
//! lapin writes everything one call in another: see `crate::stack` for the room that this needs.

use dlo_domain::wire::{FieldTable, FieldValue, Properties, WireText};
use lapin::BasicProperties;
use lapin::types as amqp;
use lapin::types::AMQPValue;

use super::BrokerError;

fn value_of_octets(octets: &[u8]) -> Result<AMQPValue, BrokerError> {
    match amqp::parsing::parse_value(octets) {
        Ok(([], value)) => Ok(value),
        _ => Err(BrokerError::Address(
            "a header that was kept as octets is no AMQP value any more".to_owned(),
        )),
    }
}

/// Properties for lapin, headers included.
///
/// # Errors
/// When a text is longer than 255 bytes or no UTF-8, which no AMQP short string can be.
pub fn properties_to_lapin(
    properties: &Properties,
    headers: &FieldTable,
) -> Result<BasicProperties, BrokerError> {
    let mut out = BasicProperties::default();
    if !headers.0.is_empty() {
        out = out.with_headers(table_to_lapin(headers)?);
    }
    macro_rules! copy_text {
        ($($field:ident => $with:ident),* $(,)?) => {
            $(if let Some(text) = &properties.$field {
                out = out.$with(short(text)?);
            })*
        };
    }
    copy_text! {
        content_type => with_content_type,
        content_encoding => with_content_encoding,
        correlation_id => with_correlation_id,
        reply_to => with_reply_to,
        expiration => with_expiration,
        message_id => with_message_id,
        kind => with_type,
        user_id => with_user_id,
        app_id => with_app_id,
        cluster_id => with_cluster_id,
    }
    if let Some(mode) = properties.delivery_mode {
        out = out.with_delivery_mode(mode);
    }
    if let Some(priority) = properties.priority {
        out = out.with_priority(priority);
    }
    if let Some(timestamp) = properties.timestamp {
        out = out.with_timestamp(timestamp);
    }
    Ok(out)
}

/// A field table for lapin.
///
/// # Errors
/// When a name is longer than 255 bytes or no UTF-8.
pub fn table_to_lapin(table: &FieldTable) -> Result<amqp::FieldTable, BrokerError> {
    let mut out = amqp::FieldTable::default();
    for field in &table.0 {
        out.insert(short(&field.name)?, value_to_lapin(&field.value)?);
    }
    Ok(out)
}

fn short(text: &WireText) -> Result<amqp::ShortString, BrokerError> {
    let fault = |why: &str| BrokerError::Address(format!("`{}` {why}", text.to_display()));
    let utf8 = text.as_str().ok_or_else(|| fault("is no UTF-8"))?;
    amqp::ShortString::try_new(utf8).map_err(|_| fault("is longer than 255 bytes"))
}

fn value_to_lapin(value: &FieldValue) -> Result<AMQPValue, BrokerError> {
    Ok(match value {
        FieldValue::Boolean(v) => AMQPValue::Boolean(*v),
        FieldValue::ShortShortInt(v) => AMQPValue::ShortShortInt(*v),
        FieldValue::ShortShortUInt(v) => AMQPValue::ShortShortUInt(*v),
        FieldValue::ShortInt(v) => AMQPValue::ShortInt(*v),
        FieldValue::ShortUInt(v) => AMQPValue::ShortUInt(*v),
        FieldValue::LongInt(v) => AMQPValue::LongInt(*v),
        FieldValue::LongUInt(v) => AMQPValue::LongUInt(*v),
        FieldValue::LongLongInt(v) => AMQPValue::LongLongInt(*v),
        FieldValue::Float(bits) => AMQPValue::Float(f32::from_bits(*bits)),
        FieldValue::Double(bits) => AMQPValue::Double(f64::from_bits(*bits)),
        FieldValue::Decimal { scale, value } => {
            AMQPValue::DecimalValue(amqp::DecimalValue { scale: *scale, value: *value })
        }
        FieldValue::ShortString(v) => AMQPValue::ShortString(short(v)?),
        FieldValue::LongString(v) => AMQPValue::LongString(v.as_bytes().into()),
        FieldValue::Array(values) => {
            let values: Result<Vec<_>, _> = values.iter().map(value_to_lapin).collect();
            AMQPValue::FieldArray(values?.into())
        }
        FieldValue::Timestamp(v) => AMQPValue::Timestamp(*v),
        FieldValue::Table(table) => AMQPValue::FieldTable(table_to_lapin(table)?),
        FieldValue::ByteArray(bytes) => AMQPValue::ByteArray(bytes.as_slice().into()),
        FieldValue::Void => AMQPValue::Void,
        FieldValue::Deep(octets) => value_of_octets(octets)?,
    })
}

#[cfg(test)]
mod tests {
    use dlo_domain::wire::{ContentHeader, MOST_LEVELS};

    use super::*;

    /// An array in an array in an array.
    fn nested(levels: usize) -> AMQPValue {
        (0..levels)
            .fold(AMQPValue::LongInt(7), |inner, _| AMQPValue::FieldArray(vec![inner].into()))
    }

    /// A table as it comes from a broker.
    fn received(table: &amqp::FieldTable) -> FieldTable {
        let write = amqp::generation::gen_field_table(table);
        let octets = cookie_factory::gen_simple(write, Vec::new()).expect("memory takes it");
        let header = ContentHeader::read(&[&[0; 12][..], &[0x20, 0], &octets].concat());
        assert_eq!(header.faults, []);
        header.headers
    }

    fn levels(value: &FieldValue) -> usize {
        match value {
            FieldValue::Array(values) => 1 + levels(&values[0]),
            _ => 0,
        }
    }

    #[test]
    fn what_is_nested_deep_goes_out_as_it_came() {
        for depth in [0, 1, MOST_LEVELS, MOST_LEVELS + 1, 100] {
            let mut sent = amqp::FieldTable::default();
            sent.insert("a".into(), nested(depth));
            let kept = received(&sent);
            assert_eq!(levels(&kept.0[0].value), depth.min(MOST_LEVELS));
            let json = serde_json::to_string(&kept).expect("JSON");
            let read: FieldTable = serde_json::from_str(&json).expect("our own reader reads it");
            assert_eq!(table_to_lapin(&read).expect("as it was"), sent, "{depth} levels");
        }
    }

    #[test]
    fn octets_that_are_no_value_are_refused() {
        for octets in [&b""[..], b"A\0\0\0\x09", b"t", b"ttt", b"?"] {
            assert!(value_of_octets(octets).is_err(), "{octets:?}");
        }
    }
}
