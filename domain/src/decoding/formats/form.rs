//! Forms as browsers send them: `application/x-www-form-urlencoded` of the URL standard.

use std::collections::{HashMap, VecDeque};

use serde_json::{Map, Value};

use super::add;
use crate::reading::cut;

/// Reads a form; a name that stands more than once has a list of values. Never fails: any bytes can be read so.
pub fn read(bytes: &[u8]) -> Value {
    let mut members = Map::new();
    for (name, value) in form_urlencoded::parse(bytes) {
        add(&mut members, name.into_owned(), Value::String(value.into_owned()));
    }
    Value::Object(members)
}

/// Values as a form can have them: numbers are texts, and a list of one is that one.
///
/// # Errors
/// Returns why it cannot have them.
pub fn fitting(values: &Value) -> Result<Map<String, Value>, String> {
    let members = values.as_object().ok_or("a form has names and values")?;
    let mut fitting = Map::new();
    for (name, value) in members {
        let mut texts = match value {
            Value::Array(values) => values.iter().map(text_of).collect::<Result<Vec<_>, _>>()?,
            one => vec![text_of(one)?],
        };
        match texts.len() {
            0 => {}
            1 => drop(fitting.insert(name.clone(), Value::from(texts.remove(0)))),
            _ => drop(fitting.insert(name.clone(), Value::from(texts))),
        }
    }
    Ok(fitting)
}

/// Writes other values in the place of those of a form: what is the same stays as it was written, in its order.
pub fn write(original: &str, after: Map<String, Value>) -> Vec<u8> {
    let mut left: HashMap<String, VecDeque<String>> = HashMap::new();
    let mut names = Vec::new();
    for (name, value) in after {
        left.insert(name.clone(), texts(value).collect());
        names.push(name);
    }
    let mut parts = Vec::new();
    for part in original.split('&').filter(|part| !part.is_empty()) {
        let Some((name, told)) = form_urlencoded::parse(part.as_bytes()).next() else { continue };
        match left.get_mut(&*name).and_then(VecDeque::pop_front) {
            None => {}
            Some(text) if text == told => parts.push(part.to_owned()),
            Some(text) => parts.push(pair(&name, &text)),
        }
    }
    for name in names {
        let texts = left.remove(&name).unwrap_or_default();
        parts.extend(texts.iter().map(|text| pair(&name, text)));
    }
    parts.join("&").into_bytes()
}

fn pair(name: &str, text: &str) -> String {
    form_urlencoded::Serializer::new(String::new()).append_pair(name, text).finish()
}

fn texts(value: Value) -> impl Iterator<Item = String> {
    let values = match value {
        Value::Array(values) => values,
        one => vec![one],
    };
    values.into_iter().filter_map(|value| value.as_str().map(ToOwned::to_owned))
}

fn text_of(value: &Value) -> Result<String, String> {
    match value {
        Value::String(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        _ => Err(format!("a form has texts for values, and not {}", cut(&value.to_string(), 64))),
    }
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
    fn what_is_the_same_is_written_as_it_was() {
        let before = "name=J%c3%bcrgen+B.&tag=a&other=%20&tag=b&lone";
        let written = |after: &Value| {
            let after = fitting(after).expect("a form can have it");
            String::from_utf8(write(before, after)).expect("text")
        };
        assert_eq!(written(&read(before.as_bytes())), before);
        for (after, wanted) in [
            (
                json!({"name": "Jürgen B.", "tag": ["a", "x y"]}),
                "name=J%c3%bcrgen+B.&tag=a&tag=x+y",
            ),
            (json!({"tag": ["b", "a", "c"], "n": 7}), "tag=b&tag=a&n=7&tag=c"),
            (json!({"tag": ["a"], "name": "ö", "other": []}), "name=%C3%B6&tag=a"),
        ] {
            assert_eq!(written(&after), wanted);
        }
        assert!(fitting(&json!({"a": {"b": 1}})).is_err() && fitting(&json!([])).is_err());
    }

    #[test]
    fn only_names_with_values_look_like_a_form() {
        assert!(is_form("id=42&state=open"));
        for text in ["id=42", "a=1&b", "a b=1&c=2", "{\"a\":\"x=1&y=2\"}", "x&y", "=1&b=2"] {
            assert!(!is_form(text), "{text}");
        }
    }
}
