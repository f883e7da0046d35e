//! JSON objects that are objects: what serde derives for a struct takes an array too, its members by their
//! places, and `[{"filter": "…"}, "why"]` would discard letters.

use std::fmt;

use serde::Deserialize;
use serde::de::{
    DeserializeSeed, Deserializer, EnumAccess, Error, MapAccess, SeqAccess, VariantAccess, Visitor,
};

/// A value that was read so, however deep.
pub(crate) struct Strict<T>(pub(crate) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Strict<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(Through(deserializer)).map(Self)
    }
}

/// Any part of serde's machinery, with the one within it.
struct Through<T>(T);

macro_rules! pass_on {
    ($($method:ident($($name:ident: $kind:ty),*))*) => {$(
        fn $method<V: Visitor<'de>>(self, $($name: $kind,)* visitor: V) -> Result<V::Value, D::Error> {
            self.0.$method($($name,)* Through(visitor))
        }
    )*};
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Through<D> {
    type Error = D::Error;

    pass_on! {
        deserialize_any() deserialize_bool()
        deserialize_i8() deserialize_i16() deserialize_i32() deserialize_i64() deserialize_i128()
        deserialize_u8() deserialize_u16() deserialize_u32() deserialize_u64() deserialize_u128()
        deserialize_f32() deserialize_f64() deserialize_char() deserialize_str() deserialize_string()
        deserialize_bytes() deserialize_byte_buf() deserialize_option() deserialize_unit()
        deserialize_unit_struct(name: &'static str) deserialize_newtype_struct(name: &'static str)
        deserialize_seq() deserialize_tuple(len: usize)
        deserialize_tuple_struct(name: &'static str, len: usize) deserialize_map()
        deserialize_enum(name: &'static str, variants: &'static [&'static str])
        deserialize_identifier() deserialize_ignored_any()
    }

    /// A map is no array.
    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(Through(visitor))
    }

    fn is_human_readable(&self) -> bool {
        self.0.is_human_readable()
    }
}

macro_rules! visit_on {
    ($($method:ident($kind:ty))*) => {$(
        fn $method<E: Error>(self, value: $kind) -> Result<V::Value, E> {
            self.0.$method(value)
        }
    )*};
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Through<V> {
    type Value = V::Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.expecting(formatter)
    }

    visit_on! {
        visit_bool(bool) visit_i64(i64) visit_i128(i128) visit_u64(u64) visit_u128(u128) visit_f64(f64)
        visit_str(&str) visit_borrowed_str(&'de str) visit_string(String)
        visit_bytes(&[u8]) visit_borrowed_bytes(&'de [u8]) visit_byte_buf(Vec<u8>)
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_none()
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.0.visit_unit()
    }

    fn visit_some<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_some(Through(inner))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, inner: D) -> Result<V::Value, D::Error> {
        self.0.visit_newtype_struct(Through(inner))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<V::Value, A::Error> {
        self.0.visit_seq(Through(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<V::Value, A::Error> {
        self.0.visit_map(Through(members))
    }

    fn visit_enum<A: EnumAccess<'de>>(self, chosen: A) -> Result<V::Value, A::Error> {
        self.0.visit_enum(Through(chosen))
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Through<S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, inner: D) -> Result<S::Value, D::Error> {
        self.0.deserialize(Through(inner))
    }
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Through<A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_element_seed(Through(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Through<A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        self.0.next_key_seed(seed)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        self.0.next_value_seed(Through(seed))
    }

    fn size_hint(&self) -> Option<usize> {
        self.0.size_hint()
    }
}

impl<'de, A: EnumAccess<'de>> EnumAccess<'de> for Through<A> {
    type Error = A::Error;
    type Variant = Through<A::Variant>;

    fn variant_seed<S: DeserializeSeed<'de>>(
        self,
        seed: S,
    ) -> Result<(S::Value, Self::Variant), A::Error> {
        let (name, variant) = self.0.variant_seed(seed)?;
        Ok((name, Through(variant)))
    }
}

impl<'de, A: VariantAccess<'de>> VariantAccess<'de> for Through<A> {
    type Error = A::Error;

    fn unit_variant(self) -> Result<(), A::Error> {
        self.0.unit_variant()
    }

    fn newtype_variant_seed<S: DeserializeSeed<'de>>(self, seed: S) -> Result<S::Value, A::Error> {
        self.0.newtype_variant_seed(Through(seed))
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, A::Error> {
        self.0.tuple_variant(len, Through(visitor))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, A::Error> {
        self.0.struct_variant(fields, Through(visitor))
    }
}

#[cfg(test)]
mod tests {
    use dlo_domain::policy::NewPolicy;
    use dlo_domain::replay::NewReplay;
    use serde::de::DeserializeOwned;

    use super::Strict;

    fn read<T: DeserializeOwned>(text: &str) -> Result<T, String> {
        let read: Result<Strict<T>, _> = serde_json::from_str(text);
        read.map(|Strict(value)| value).map_err(|why| why.to_string())
    }

    #[test]
    fn arrays_are_no_objects_however_deep() {
        for text in [
            r#"[{"filter": "queue:a"}]"#,
            r#"{"selection": [null, "queue:a"]}"#,
            r#"{"selection": {"filter": "queue:a"}, "canary": []}"#,
            r#"{"selection": {"filter": "queue:a"}, "canary": [[1], 0.5, 3]}"#,
            r#"{"selection": {"filter": "queue:a"}, "transform": ["."]}"#,
        ] {
            let why = read::<NewReplay>(text).expect_err(text);
            assert!(why.contains("sequence"), "{text}: {why}");
        }
        let why = read::<NewPolicy>(r#"{"name": "a", "filter": "", "schedule": []}"#);
        assert!(why.expect_err("no schedule").contains("sequence"));
    }

    #[test]
    fn objects_are_read_as_ever_with_the_place_of_a_fault() {
        let new: NewReplay = read(
            r#"{"selection": {"ids": ["019a0f3e-5a4b-7c2d-8e1f-0123456789ab"]},
                "target": {"mode": "queue", "queue": "a"}, "canary": {"steps": [1, 2]}}"#,
        )
        .expect("readable");
        assert_eq!(new.canary.expect("a ladder").steps, [1, 2]);
        let twice = r#"{"selection": {"filter": "a", "filter": "b"}}"#;
        let why = read::<NewReplay>(twice).expect_err("twice");
        assert!(why.contains("duplicate") && why.contains("line 1"), "{why}");
        let unknown = r#"{"selection": {"filter": "a"}, "speed": 3}"#;
        let why = read::<NewReplay>(unknown).expect_err("unknown");
        assert!(why.contains("unknown field `speed`"), "{why}");
    }
}
