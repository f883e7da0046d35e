//! What a delivery looks like, to tell whether the broker gave us the same one twice.

use sha2::{Digest, Sha256};

use crate::arrival::Delivered;
use crate::delivery_limit::COUNTS;
use crate::wire::FieldTable;

/// The first 16 bytes of a SHA-256 over everything that a redelivery repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fingerprint(pub [u8; 16]);

impl Fingerprint {
    /// The fingerprint of a delivery. Two deliveries of one message have the same one; so have
    /// two messages that nothing tells apart, which is why they are counted, not just compared.
    #[must_use]
    pub fn of(delivered: &Delivered) -> Self {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            hash.update((bytes.len() as u64).to_be_bytes());
            hash.update(bytes);
        };
        part(delivered.exchange.as_bytes());
        part(delivered.routing_key.as_bytes());
        part(&as_json(&delivered.properties));
        part(&as_json(&without_counts(&delivered.headers)));
        part(&delivered.body);
        let digest = hash.finalize();
        let mut first = [0; 16];
        first.copy_from_slice(&digest[..16]);
        Self(first)
    }
}

fn as_json(value: &impl serde::Serialize) -> Vec<u8> {
    serde_json::to_vec(value).expect("wire values always have a JSON form")
}

fn without_counts(headers: &FieldTable) -> std::borrow::Cow<'_, FieldTable> {
    if COUNTS.iter().all(|name| headers.get(name).is_none()) {
        return std::borrow::Cow::Borrowed(headers);
    }
    let mut headers = headers.clone();
    headers.strip(|name| COUNTS.contains(&name));
    std::borrow::Cow::Owned(headers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::FieldValue;

    fn delivered(body: &[u8]) -> Delivered {
        Delivered {
            exchange: "dlx".into(),
            routing_key: "k".into(),
            body: body.to_vec(),
            ..Delivered::default()
        }
    }

    #[test]
    fn a_redelivery_looks_the_same() {
        let first = delivered(b"one");
        let mut again = first.clone();
        again.redelivered = true;
        again.headers.set("x-delivery-count", FieldValue::LongLongInt(1));
        again.headers.set("x-acquired-count", FieldValue::LongLongInt(2));
        assert_eq!(Fingerprint::of(&first), Fingerprint::of(&again));
    }

    #[test]
    fn any_difference_shows() {
        let first = delivered(b"one");
        let mut header = first.clone();
        header.headers.set("a", FieldValue::LongInt(1));
        let mut header_type = first.clone();
        header_type.headers.set("a", FieldValue::LongLongInt(1));
        let mut key = first.clone();
        key.routing_key = "other".into();
        let mut moved = first.clone();
        moved.exchange = "dlxk".into();
        moved.routing_key = String::new();
        let all = [first, delivered(b"two"), header, header_type, key, moved];
        let distinct: std::collections::HashSet<_> = all.iter().map(Fingerprint::of).collect();
        assert_eq!(distinct.len(), all.len());
    }
}
