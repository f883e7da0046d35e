//! What is wanted of one setting.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What is wanted of a setting. In JSON: a member that is absent, `null`, or there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Wish<T> {
    /// Nothing: it stays as it is.
    #[default]
    AsItIs,
    /// What was set here is taken away.
    Away,
    /// This.
    Set(T),
}

impl<T: Copy> Wish<T> {
    /// What is to be set, if anything.
    #[must_use]
    pub fn set(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::AsItIs | Self::Away => None,
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Wish<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Option::deserialize(deserializer)?.map_or(Self::Away, Self::Set))
    }
}

impl<T: Serialize> Serialize for Wish<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Set(value) => value.serialize(serializer),
            Self::AsItIs | Self::Away => serializer.serialize_none(),
        }
    }
}
