//! The values that JSON holds, remembered while it is read: no tree of them is built.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::{MOST_DEPTH, Shared};

/// Remembers the values of JSON, and the names of its members.
pub(super) fn remember(shared: &mut Shared, json: &[u8]) {
    // It was read before: what is not JSON does not come here.
    let mut reader = serde_json::Deserializer::from_str(str::from_utf8(json).unwrap_or_default());
    let _ = Remembering { shared, depth: MOST_DEPTH }.deserialize(&mut reader);
}

/// Remembers what is in a value, so many levels deep.
struct Remembering<'s> {
    shared: &'s mut Shared,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Remembering<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Remembering<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value of JSON")
    }

    // Numbers are variables anyway, and `true` is a word.
    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        self.shared.add(text);
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        let Self { shared, depth } = self;
        if depth == 0 {
            while elements.next_element::<IgnoredAny>()?.is_some() {}
            return Ok(());
        }
        let mut next =
            || elements.next_element_seed(Remembering { shared: &mut *shared, depth: depth - 1 });
        while next()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        let Self { shared, depth } = self;
        while let Some(has_own_values) = entries.next_key_seed(Name(&mut *shared))? {
            if depth > 0 && has_own_values {
                let within = Remembering { shared: &mut *shared, depth: depth - 1 };
                entries.next_value_seed(within)?;
            } else {
                entries.next_value::<IgnoredAny>()?;
            }
        }
        Ok(())
    }
}

/// Remembers the name of a member, and says whether its values are some of the letter's own.
struct Name<'s>(&'s mut Shared);

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = bool;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<bool, D::Error> {
        reader.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = bool;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a name")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<bool, E> {
        Ok(self.0.add_name(name))
    }
}
