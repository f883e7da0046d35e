//! Hashes for tables in memory: fast, and the same on every machine. Never for what is stored.

use std::hash::Hasher;

/// Mixes a value and where it stands.
pub(super) fn mix(at: usize, value: u64) -> u64 {
    let mut hash = value.wrapping_add(at as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash = (hash ^ hash >> 32 ^ (at as u64) << 48).wrapping_mul(0xd6e8_feb8_6659_fd93);
    (hash ^ hash >> 29).wrapping_mul(0x2545_f491_4f6c_dd1d) ^ hash >> 31
}

/// Two hashes of 64 bits: no two texts share both by chance.
pub(super) fn of_text(text: &str) -> u128 {
    let (mut one, mut other) = (0xcbf2_9ce4_8422_2325_u64, 0x2545_f491_4f6c_dd1d_u64);
    for chunk in text.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        let word = u64::from_le_bytes(bytes);
        one = (one ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        other = (other ^ word).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(31);
    }
    u128::from(one ^ text.len() as u64) << 64 | u128::from(mix(0, other))
}

/// Takes a number that is a hash already for its own hash.
#[derive(Debug, Clone, Default)]
pub(super) struct AsItIs(u64);

impl Hasher for AsItIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(usize::from(*byte), self.0);
        }
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }

    #[expect(clippy::cast_possible_truncation, reason = "either half is a hash")]
    fn write_u128(&mut self, number: u128) {
        self.0 = number as u64;
    }
}
