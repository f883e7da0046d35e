//! Forms as browsers send them: `application/x-www-form-urlencoded` of the URL standard.

use serde_json::{Map, Value};

use super::add;

/// Reads a form; a name that stands more than once has a list of values. Never fails: any bytes can be read so.
pub fn read(bytes: &[u8]) -> Value {
    let mut members = Map::new();
    for (name, value) in form_urlencoded::parse(bytes) {
        add(&mut members, name.into_owned(), Value::String(value.into_owned()));
    }
    Value::Object(members)
}

/// Whether a text that nobody calls a form looks like one.
pub fn is_form(text: &str) -> bool {
    let is_part = |part: &str| {
        let name = part.split_once('=').map(|(name, _)| name);
        name.is_some_and(|name| !name.is_empty() && !name.contains(['{', '<', '"']))
    };
    let is_encoded = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>');
    text.contains('&') && text.bytes().all(is_encoded) && text.split('&').all(is_part)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_form_is_read_with_its_signs_written_out() {
        let form = read(b"name=J%C3%BCrgen+B.&tag=a&tag=b&empty=&lone");
        let told = json!({"name": "Jürgen B.", "tag": ["a", "b"], "empty": "", "lone": ""});
        assert_eq!(form, told);
        assert_eq!(read(b"a=%ff"), json!({"a": "\u{fffd}"}));
    }

    #[test]
    fn only_names_with_values_look_like_a_form() {
        assert!(is_form("id=42&state=open"));
        for text in ["id=42", "a=1&b", "a b=1&c=2", "{\"a\":\"x=1&y=2\"}", "x&y", "=1&b=2"] {
            assert!(!is_form(text), "{text}");
        }
    }
}
