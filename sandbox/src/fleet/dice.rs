//! The one source of chance for the fleet: everything random comes from a seed, so that two
//! runs with the same seed publish the same messages. Must not read the clock or the system's
//! own randomness.

use rand::{Rng, RngCore, SeedableRng, rngs::StdRng, seq::SliceRandom};
use uuid::Uuid;

const TENANTS: &[&str] = &["acme", "globex", "initech", "umbrella", "hooli"];
const PEOPLE: &[&str] = &[
    "Ana Sousa",
    "Björn Lindqvist",
    "Chloé Dubois",
    "Dmitri Волков",
    "Emeka Okafor",
    "Fatima Zahra",
    "山田 太郎",
    "Łucja Kowalska",
    "Niamh O'Brien",
    "José Muñoz",
];

/// A seeded generator with the few throws that scripts need.
#[derive(Debug, Clone)]
pub(super) struct Dice(StdRng);

impl Dice {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(StdRng::seed_from_u64(seed))
    }

    /// A number from `low` up to and including `high`.
    pub(super) fn number(&mut self, low: i64, high: i64) -> i64 {
        self.0.random_range(low..=high)
    }

    /// An amount of money in cents, shown with two decimals.
    pub(super) fn money(&mut self, low: i64, high: i64) -> f64 {
        let cents = i32::try_from(self.number(low * 100, high * 100)).unwrap_or(i32::MAX);
        f64::from(cents) / 100.0
    }

    /// True once in `n` throws on average.
    pub(super) fn once_in(&mut self, n: i64) -> bool {
        self.number(1, n) == 1
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.0.random_range(0..from.len())]
    }

    pub(super) fn uuid(&mut self) -> Uuid {
        let mut bytes = [0; 16];
        self.0.fill_bytes(&mut bytes);
        uuid::Builder::from_random_bytes(bytes).into_uuid()
    }

    pub(super) fn bytes(&mut self, length: usize) -> Vec<u8> {
        let mut bytes = vec![0; length];
        self.0.fill_bytes(&mut bytes);
        bytes
    }

    pub(super) fn shuffle<T>(&mut self, cards: &mut [T]) {
        cards.shuffle(&mut self.0);
    }

    pub(super) fn tenant(&mut self) -> &'static str {
        self.pick(TENANTS)
    }

    pub(super) fn person(&mut self) -> &'static str {
        self.pick(PEOPLE)
    }
}
