//! Field values of AMQP 0.9.1, with the types that RabbitMQ and its clients use.

use super::text::WireText;

/// One value of a field table. Source of the types: AMQP 0.9.1 errata as RabbitMQ reads them.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldValue {
    /// `t`
    Boolean(bool),
    /// `b`, signed 8 bits
    ShortShortInt(i8),
    /// `B`, unsigned 8 bits
    ShortShortUInt(u8),
    /// `s`, signed 16 bits
    ShortInt(i16),
    /// `u`, unsigned 16 bits
    ShortUInt(u16),
    /// `I`, signed 32 bits
    LongInt(i32),
    /// `i`, unsigned 32 bits
    LongUInt(u32),
    /// `l`, signed 64 bits
    LongLongInt(i64),
    /// `f`, kept as its bits so that NaN survives
    Float(u32),
    /// `d`, kept as its bits so that NaN survives
    Double(u64),
    /// `D`: `value / 10^scale`
    Decimal {
        /// Digits after the point.
        scale: u8,
        /// The digits.
        value: u32,
    },
    /// A short string: the specification has it, RabbitMQ refuses it in a table.
    ShortString(WireText),
    /// `S`
    LongString(WireText),
    /// `A`
    Array(Vec<FieldValue>),
    /// `T`, seconds since 1970 (some clients write milliseconds)
    Timestamp(u64),
    /// `F`
    Table(FieldTable),
    /// `x`
    ByteArray(Vec<u8>),
    /// `V`
    Void,
    /// A table or an array that lies too deep to be taken apart: its AMQP octets, the type's
    /// letter first. What a broker hands us is nested as its sender likes, up to 26,000 levels in
    /// a frame of 128 KiB; readers of JSON give up at 128, ours included.
    Deep(Vec<u8>),
}

/// Tables and arrays are taken apart down to this level; the headers themselves are level 0.
pub const MOST_LEVELS: usize = 24;

impl FieldValue {
    /// The AMQP type's name, as shown to people and stored in JSON.
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Boolean(_) => "boolean",
            Self::ShortShortInt(_) => "short_short_int",
            Self::ShortShortUInt(_) => "short_short_uint",
            Self::ShortInt(_) => "short_int",
            Self::ShortUInt(_) => "short_uint",
            Self::LongInt(_) => "long_int",
            Self::LongUInt(_) => "long_uint",
            Self::LongLongInt(_) => "long_long_int",
            Self::Float(_) => "float",
            Self::Double(_) => "double",
            Self::Decimal { .. } => "decimal",
            Self::ShortString(_) => "short_string",
            Self::LongString(_) => "long_string",
            Self::Array(_) => "array",
            Self::Timestamp(_) => "timestamp",
            Self::Table(_) => "table",
            Self::ByteArray(_) => "byte_array",
            Self::Void => "void",
            Self::Deep(_) => "deep",
        }
    }

    /// The value as text, when it is a string.
    #[must_use]
    pub fn as_text(&self) -> Option<&WireText> {
        match self {
            Self::ShortString(text) | Self::LongString(text) => Some(text),
            _ => None,
        }
    }

    /// The value as a whole number, when it is an integer that fits.
    #[must_use]
    pub fn as_integer(&self) -> Option<i64> {
        match *self {
            Self::ShortShortInt(n) => Some(n.into()),
            Self::ShortShortUInt(n) => Some(n.into()),
            Self::ShortInt(n) => Some(n.into()),
            Self::ShortUInt(n) => Some(n.into()),
            Self::LongInt(n) => Some(n.into()),
            Self::LongUInt(n) => Some(n.into()),
            Self::LongLongInt(n) => Some(n),
            _ => None,
        }
    }
}

/// One named value of a table.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name, at most 255 bytes.
    pub name: WireText,
    /// The value.
    pub value: FieldValue,
}

/// A field table: message headers, arguments, or a table within one of them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FieldTable(pub Vec<Field>);

impl FieldTable {
    /// The first value of that name. Names are compared as they are, case included.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&FieldValue> {
        self.0
            .iter()
            .find(|field| field.name.as_bytes() == name.as_bytes())
            .map(|field| &field.value)
    }

    /// The first value of that name as UTF-8 text, if it is one.
    #[must_use]
    pub fn text(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_text()?.as_str()
    }

    /// Sets a value, in the place of an older one of that name.
    pub fn set(&mut self, name: &str, value: FieldValue) {
        match self.0.iter_mut().find(|field| field.name.as_bytes() == name.as_bytes()) {
            Some(field) => field.value = value,
            None => self.0.push(Field { name: name.into(), value }),
        }
    }

    /// Removes every entry that `unwanted` names; tells the names that went.
    pub fn strip(&mut self, unwanted: impl Fn(&str) -> bool) -> Vec<String> {
        let mut gone = Vec::new();
        self.0.retain(|field| match field.name.as_str() {
            Some(name) if unwanted(name) => {
                gone.push(name.to_owned());
                false
            }
            _ => true,
        });
        gone
    }
}
