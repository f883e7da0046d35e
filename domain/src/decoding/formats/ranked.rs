//! Types that bytes may be of, the likeliest first.

/// How much likelier it is, before a byte was seen, that bytes are noise than that they are of one of the known types,
/// in bits.
const NOISE: f64 = 10.0;

/// The same for messages of a type that is not known.
const UNKNOWN: f64 = 6.0;

/// How many types are ranked.
const MOST_RANKED: usize = 10;

/// A type that bytes may be of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked<T> {
    /// The type.
    pub id: T,
    /// How well they fit, in bits saved beside noise.
    pub bits: f64,
    /// How likely it is of all known types, and of being none of them: from 0 to 1.
    pub share: f64,
}

/// What bytes may be beside one of the known types.
#[derive(Debug, Clone, Copy)]
pub(super) struct Others {
    /// How many types are known.
    pub known: usize,
    /// Whether it is known that the bytes are in the format of these types.
    pub is_format: bool,
    /// How well the bytes fit the format without a type, in bits.
    pub untyped: f64,
}

impl<T> Ranked<T> {
    /// The ten likeliest of types by how well bytes fit them.
    pub(super) fn among(fits: Vec<(T, f64)>, others: Others) -> Vec<Self> {
        let mut ranked: Vec<Self> =
            fits.into_iter().map(|(id, bits)| Self { id, bits, share: 0.0 }).collect();
        ranked.sort_by(|one, other| other.bits.total_cmp(&one.bits));
        #[expect(clippy::cast_precision_loss, reason = "types are thousands at most")]
        let all = (others.known.max(1) as f64).log2();
        let noise = if others.is_format { 0.0 } else { NOISE };
        let unknown = UNKNOWN + others.untyped;
        let none = all + (noise.exp2() + unknown.min(1_000.0).exp2()).log2();
        let most = ranked.first().map_or(none, |first| first.bits.max(none));
        let weight = |bits: f64| (bits - most).exp2();
        let sum = weight(none) + ranked.iter().map(|one| weight(one.bits)).sum::<f64>();
        for one in &mut ranked {
            one.share = weight(one.bits) / sum;
        }
        ranked.truncate(MOST_RANKED);
        ranked
    }
}

/// Whether bytes that were ranked so are likelier of one of these types than of none.
#[must_use]
pub fn is_likely<T>(ranked: &[Ranked<T>]) -> bool {
    ranked.iter().map(|one| one.share).sum::<f64>() >= 0.5
}
