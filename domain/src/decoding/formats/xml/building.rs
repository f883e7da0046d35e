//! New elements, attributes and texts.

use roxmltree::Node;
use serde_json::Value;

use super::TEXT;

/// What a value is as a text.
pub(super) fn told(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// A new element within another one, of whose namespace it is.
pub(super) fn built(within: Node<'_, '_>, name: &str, value: &Value) -> Result<String, String> {
    let namespace = within.tag_name().namespace();
    let prefix = namespace.and_then(|namespace| within.lookup_prefix(namespace));
    let tag = match prefix.filter(|prefix| !prefix.is_empty()) {
        Some(prefix) => format!("{prefix}:{}", checked(name)?),
        None => checked(name)?.to_owned(),
    };
    let one = |value: &Value| -> Result<String, String> {
        let Value::Object(members) = value else {
            return Ok(format!("<{tag}>{}</{tag}>", escaped(&told(value))));
        };
        let (mut start, mut contents) = (format!("<{tag}"), String::new());
        for (name, value) in members {
            match name.strip_prefix('@') {
                Some(name) => start.push_str(&attribute(name, value)?),
                None if name == TEXT => contents += &escaped(&told(value)),
                None => contents += &built(within, name, value)?,
            }
        }
        Ok(format!("{start}>{contents}</{tag}>"))
    };
    match value {
        Value::Array(items) => items.iter().map(one).collect(),
        value => one(value),
    }
}

/// A new attribute, with the space before it.
pub(super) fn attribute(name: &str, value: &Value) -> Result<String, String> {
    Ok(format!(" {}=\"{}\"", checked(name)?, quoted(&told(value))))
}

/// A name that an element or an attribute can have.
fn checked(name: &str) -> Result<&str, String> {
    let is_first = |c: char| c.is_alphabetic() || c == '_';
    let is_next = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    let is_name = name.starts_with(is_first) && name.chars().all(is_next);
    is_name.then_some(name).ok_or_else(|| format!("`{name}` is not a name in XML"))
}

/// A text as it stands in an element.
pub(super) fn escaped(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    text.replace('\r', "&#13;")
}

/// A text as it stands in an attribute.
pub(super) fn quoted(text: &str) -> String {
    let text = escaped(text).replace('"', "&quot;").replace('\'', "&apos;");
    text.replace('\n', "&#10;").replace('\t', "&#9;")
}
