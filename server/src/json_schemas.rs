//! JSON Schemas that the configuration names: what is sent in place of a letter's body is held against
//! the one for its source and type. They only tell: a person may send what does not fit.
//!
//! A schema reaches for nothing: a reference out of its own file is a fault. Its patterns are matched in
//! a time that grows with the text alone, since the text is whatever somebody sent.

use std::fmt;
use std::sync::Arc;

use dlo_domain::budget::json_cost;
use dlo_domain::decoding::{Labels, Rewritable, TooLarge};
use dlo_domain::json_schema::{SchemaCheck, SchemaFor};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Schemas that are taken.
pub const MOST_SCHEMAS: usize = 200;

/// The largest schema, in bytes.
pub const MOST_SCHEMA_BYTES: usize = 256 * 1024;

/// The largest body that is checked, unpacked, in bytes.
pub const MOST_CHECKED_BYTES: usize = 1024 * 1024;

/// The memory that a body may take as a tree of JSON values, in bytes.
const MOST_TREE_COST: usize = 16 * 1024 * 1024;

/// All schemas, in the order of asking.
#[derive(Debug, Clone, Default)]
pub struct Schemas(Arc<[Schema]>);

/// A schema, ready to be asked.
pub struct Schema {
    name: String,
    wanted: SchemaFor,
    validator: Validator,
}

impl fmt::Debug for Schema {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schema")
            .field("name", &self.name)
            .field("wanted", &self.wanted)
            .finish_non_exhaustive()
    }
}

impl Schema {
    /// Reads a schema.
    ///
    /// # Errors
    /// Why it cannot be used.
    pub fn read(name: &str, wanted: SchemaFor, text: &[u8]) -> Result<Self, String> {
        if text.len() > MOST_SCHEMA_BYTES {
            return Err(format!(
                "it has {} bytes; at most {MOST_SCHEMA_BYTES} are taken",
                text.len()
            ));
        }
        let schema: Value =
            serde_json::from_slice(text).map_err(|why| format!("it is not valid JSON: {why}"))?;
        let validator = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex())
            .build(&schema)
            .map_err(|why| format!("it is not a usable JSON Schema: {why}"))?;
        Ok(Self { name: name.to_owned(), wanted, validator })
    }

    /// What it says of the values of a body, whatever they are written in.
    #[must_use]
    pub fn check(&self, labels: Labels<'_>, body: &[u8]) -> SchemaCheck {
        let whole = |why: String| SchemaCheck::of(&self.name, [(String::new(), why)]);
        let body = match Rewritable::read(labels, body, MOST_CHECKED_BYTES) {
            Ok(body) => body,
            Err(TooLarge(most)) => {
                let mib = most / 1024 / 1024;
                return whole(format!("it was not checked: it has more than {mib} MiB"));
            }
        };
        let Some(values) = body.values() else {
            return whole(match body.fault() {
                Some(fault) => format!("it has no values that could be checked: {fault}"),
                None => "it has no values that could be checked".to_owned(),
            });
        };
        if json_cost(values.as_bytes()) > MOST_TREE_COST {
            return whole("it was not checked: it has too many values".to_owned());
        }
        match serde_json::from_str::<Value>(&values) {
            Err(why) => whole(format!("it is not valid JSON: {why}")),
            Ok(value) => {
                let faults = self.validator.iter_errors(&value);
                let told =
                    faults.map(|fault| (fault.instance_path().to_string(), fault.to_string()));
                SchemaCheck::of(&self.name, told)
            }
        }
    }
}

impl Schemas {
    /// These, the first that fits decides.
    #[must_use]
    pub fn new(schemas: Vec<Schema>) -> Self {
        Self(schemas.into())
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The schema for a letter of this source and type.
    #[must_use]
    pub fn of(&self, source: &str, message_type: Option<&str>) -> Option<&Schema> {
        let mut schemas = self.0.iter();
        schemas.find(|schema| schema.wanted.fits(source, message_type))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Schema, String> {
        Schema::read("order.json", SchemaFor::default(), text.as_bytes())
    }

    fn said(schema: &str, body: &str) -> Vec<(String, String)> {
        let check = read(schema).expect("a schema").check(Labels::default(), body.as_bytes());
        let faults = check.faults.into_iter();
        faults.map(|fault| (fault.place, fault.why)).collect()
    }

    const ORDER: &str = r#"{
        "type": "object", "required": ["id"],
        "properties": {"total": {"type": "number", "minimum": 0},
                       "lines": {"type": "array", "items": {"type": "string"}}}
    }"#;

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(said(ORDER, r#"{"id": 1, "total": 3, "lines": ["a"]}"#), []);
        let faults = said(ORDER, r#"{"total": -5, "lines": ["a", 7]}"#);
        let places: Vec<&str> = faults.iter().map(|(place, _)| &**place).collect();
        for place in ["", "/total", "/lines/1"] {
            assert!(places.contains(&place), "{faults:?}");
        }
        assert!(faults.iter().any(|(_, why)| why.contains("id")), "{faults:?}");
    }

    #[test]
    fn a_body_that_cannot_be_checked_does_not_fit() {
        for (body, wanted) in [("{", "no values"), ("", "no values")] {
            let faults = said(ORDER, body);
            assert!(faults[0].1.contains(wanted), "{faults:?}");
        }
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(said("{}", &deep)[0].1.contains("not valid JSON"));
        let large = format!("\"{}\"", "x".repeat(MOST_CHECKED_BYTES));
        assert!(said("{}", &large)[0].1.contains("more than 1 MiB"));
        let many = format!("[{}0]", "{\"\":0},".repeat(100_000));
        assert!(said("{}", &many)[0].1.contains("too many values"));
        let schema = read(ORDER).expect("a schema");
        let packed = schema
            .check(Labels { content_encoding: Some("gzip"), ..Labels::default() }, b"no gzip");
        assert!(!packed.fits(), "{packed:?}");
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for (text, wanted) in [
            ("", "not valid JSON"),
            (r#"{"type": "colour"}"#, "not a usable JSON Schema"),
            (r#"{"pattern": "("}"#, "not a usable JSON Schema"),
            (r#"{"pattern": "(?=a)b"}"#, "not a usable JSON Schema"),
            (r#"{"$ref": "https://example.com/order.json"}"#, "not a usable JSON Schema"),
            (r#"{"$ref": "file:///etc/hostname"}"#, "not a usable JSON Schema"),
            (r##"{"$ref": "#/$defs/none"}"##, "not a usable JSON Schema"),
        ] {
            let why = read(text).expect_err(text);
            assert!(why.contains(wanted), "{text}: {why}");
        }
        let large = format!("\"{}\"", "x".repeat(MOST_SCHEMA_BYTES));
        assert!(read(&large).expect_err("too large").contains("bytes"));
    }

    #[test]
    fn patterns_take_no_longer_than_the_text_is_long() {
        let text = format!("\"{}!\"", "a".repeat(100_000));
        assert_eq!(said(r#"{"pattern": "^(a+)+$"}"#, &text).len(), 1);
    }

    #[test]
    fn schemas_that_lead_to_themselves_come_to_an_end() {
        let around = r##"{"$ref": "#/$defs/a", "$defs":
            {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}"##;
        for text in [r##"{"$ref": "#"}"##, around] {
            if let Ok(schema) = read(text) {
                assert_eq!(schema.check(Labels::default(), b"1").schema, "order.json");
            }
        }
        let tree = r##"{"properties": {"next": {"$ref": "#"}}, "required": ["n"]}"##;
        let faults = said(tree, r#"{"n": 1, "next": {"n": 2, "next": {}}}"#);
        assert_eq!(faults[0].0, "/next/next");
    }

    #[test]
    fn the_first_schema_that_fits_decides() {
        let schema = |name: &str, source: Option<&str>, kind: Option<&str>| {
            let wanted = SchemaFor {
                source: source.map(str::to_owned),
                message_type: kind.map(str::to_owned),
            };
            Schema::read(name, wanted, b"{}").expect("a schema")
        };
        let schemas = Schemas::new(vec![
            schema("placed.json", Some("Orders"), Some("placed")),
            schema("order.json", Some("Orders"), None),
        ]);
        let name = |source, kind| schemas.of(source, kind).map(|one| one.name.as_str());
        assert_eq!(name("Orders", Some("placed")), Some("placed.json"));
        assert_eq!(name("Orders", Some("paid")), Some("order.json"));
        assert_eq!(name("Payments", Some("placed")), None);
    }
}
