//! Random messages of described types, encoded by prost-reflect, and bytes that are none.

use prost_reflect::prost::Message as _;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MapKey, MessageDescriptor, Value};

/// How deep messages within messages are filled.
const MOST_LEVELS: usize = 3;

/// Makes the same messages whenever it is asked the same from the same beginning.
pub struct RandomMessages {
    state: u64,
    /// The least share of the fields that are set, in percent: each message has its own, up to 100.
    least_set: u64,
}

impl RandomMessages {
    pub fn new(least_set: u64) -> Self {
        Self { state: 7, least_set }
    }

    /// The bytes of a message of a type.
    pub fn message(&mut self, described: &MessageDescriptor) -> Vec<u8> {
        self.filled(described, 0).encode_to_vec()
    }

    /// Bytes that are not a message: noise, texts, JSON, numbers.
    pub fn no_message(&mut self, kind: usize) -> Vec<u8> {
        let length = 1 + self.below(120);
        match kind % 6 {
            0 => self.bytes(length),
            1 => self.bytes(length.min(12)),
            2 => self.bytes(length).into_iter().map(|byte| byte & 0x7f).collect(),
            3 => self.text().into_bytes(),
            4 => format!("{{\"id\":{},\"name\":\"{}\"}}", self.number(), self.text()).into_bytes(),
            _ => (0..=length / 8).flat_map(|_| self.number().to_be_bytes()).collect(),
        }
    }

    fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, most: u64) -> u64 {
        (self.next() >> 11) % most
    }

    fn bytes(&mut self, length: u64) -> Vec<u8> {
        (0..length).map(|_| self.next().to_le_bytes()[3]).collect()
    }

    fn filled(&mut self, described: &MessageDescriptor, level: usize) -> DynamicMessage {
        let mut message = DynamicMessage::new(described.clone());
        let set = self.least_set + self.below(101 - self.least_set);
        for field in described.fields() {
            let is_too_deep = level > MOST_LEVELS && matches!(field.kind(), Kind::Message(_));
            if self.below(100) < set && !is_too_deep {
                let value = self.of_field(&field, level);
                message.set_field(&field, value);
            }
        }
        message
    }

    fn of_field(&mut self, field: &FieldDescriptor, level: usize) -> Value {
        let several = 1 + self.below(3);
        match field.kind() {
            Kind::Message(entry) if field.is_map() => {
                let (key, value) = (entry.map_entry_key_field(), entry.map_entry_value_field());
                Value::Map(
                    (0..several).map(|_| (self.key(&key), self.value(&value, level))).collect(),
                )
            }
            _ if field.is_list() => {
                Value::List((0..several).map(|_| self.value(field, level)).collect())
            }
            _ => self.value(field, level),
        }
    }

    fn key(&mut self, field: &FieldDescriptor) -> MapKey {
        match self.value(field, 0) {
            Value::Bool(value) => MapKey::Bool(value),
            Value::I32(value) => MapKey::I32(value),
            Value::I64(value) => MapKey::I64(value),
            Value::U32(value) => MapKey::U32(value),
            Value::U64(value) => MapKey::U64(value),
            Value::String(value) => MapKey::String(value),
            other => panic!("{other} is not the key of a map"),
        }
    }

    fn value(&mut self, field: &FieldDescriptor, level: usize) -> Value {
        match field.kind() {
            Kind::Bool => Value::Bool(true),
            Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => Value::I32(low_half(self.number())),
            Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => Value::I64(self.number().cast_signed()),
            Kind::Uint32 | Kind::Fixed32 => Value::U32(low_half(self.number()).cast_unsigned()),
            Kind::Uint64 | Kind::Fixed64 => Value::U64(self.number()),
            Kind::Float => Value::F32(f32::from(self.next().to_le_bytes()[3]) / 8.0),
            Kind::Double => Value::F64(f64::from(low_half(self.next())) / 1000.0),
            Kind::String => Value::String(self.text()),
            Kind::Bytes => {
                let length = self.below(40);
                Value::Bytes(self.bytes(length).into())
            }
            Kind::Enum(known) => {
                let values: Vec<i32> = known.values().map(|value| value.number()).collect();
                let place = self.below(values.len() as u64);
                Value::EnumNumber(values[usize::try_from(place).expect("few values")])
            }
            Kind::Message(inner) => Value::Message(self.filled(&inner, level + 1)),
        }
    }

    /// Small numbers, counts, times and any others.
    fn number(&mut self) -> u64 {
        match self.below(4) {
            0 => self.below(10),
            1 => self.below(100_000),
            2 => 1_700_000_000 + self.below(100_000_000),
            _ => self.next(),
        }
    }

    /// Ids, names, words and the beginning of a sentence.
    fn text(&mut self) -> String {
        let length = 1 + self.below(25);
        match self.below(4) {
            0 => format!(
                "{:08x}-{:04x}-4a{:02x}",
                self.below(1 << 32),
                self.below(1 << 16),
                self.below(256)
            ),
            1 => format!("name-{}", self.below(1000)),
            2 => (0..length)
                .map(|_| {
                    char::from(b"etaoinshrdlu"[usize::from(self.next().to_le_bytes()[3] % 12)])
                })
                .collect(),
            _ => "Grüße, how are you today?"
                .chars()
                .take(usize::try_from(length).expect("short"))
                .collect(),
        }
    }
}

fn low_half(number: u64) -> i32 {
    let [a, b, c, d, ..] = number.to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}
