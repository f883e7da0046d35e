//! A protobuf writer just large enough for the fleet's payment messages. Knows the wire format
//! only, no schema; it must not be used to read anything.

use base64::{Engine as _, engine::general_purpose::STANDARD};

/// A protobuf message that is being written, field by field.
#[derive(Debug, Default)]
pub(super) struct Wire(Vec<u8>);

impl Wire {
    pub(super) fn varint(mut self, field: u32, value: u64) -> Self {
        self.push(u64::from(field << 3));
        self.push(value);
        self
    }

    pub(super) fn double(mut self, field: u32, value: f64) -> Self {
        self.push(u64::from(field << 3 | 1));
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    pub(super) fn bytes(mut self, field: u32, value: impl AsRef<[u8]>) -> Self {
        let value = value.as_ref();
        self.push(u64::from(field << 3 | 2));
        self.push(value.len() as u64);
        self.0.extend_from_slice(value);
        self
    }

    pub(super) fn message(self, field: u32, value: &Wire) -> Self {
        self.bytes(field, &value.0)
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    pub(super) fn into_base64(self) -> Vec<u8> {
        STANDARD.encode(self.0).into_bytes()
    }

    fn push(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value.to_le_bytes()[0] | 0x80);
            value >>= 7;
        }
        self.0.push(value.to_le_bytes()[0]);
    }
}

#[cfg(test)]
mod tests {
    use super::Wire;

    #[test]
    fn the_bytes_are_those_of_the_protobuf_documentation() {
        assert_eq!(Wire::default().varint(1, 150).into_bytes(), [0x08, 0x96, 0x01]);
        let text = Wire::default().bytes(2, "testing").into_bytes();
        assert_eq!(text, [0x12, 7, b't', b'e', b's', b't', b'i', b'n', b'g']);
        let inner = Wire::default().varint(1, 150);
        assert_eq!(Wire::default().message(3, &inner).into_bytes(), [0x1a, 3, 0x08, 0x96, 0x01]);
    }
}
