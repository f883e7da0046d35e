//! JSON documents one after the other, each on a line of its own: NDJSON, JSON lines, and RFC 7464's sequences.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::json_text::compact;

/// RFC 7464 has it before each document.
const RECORD_SEPARATOR: char = '\u{1e}';

/// Reads at least two documents, as a list.
pub fn read(text: &str) -> Result<Value, String> {
    let mut documents = Vec::new();
    for (place, line) in lines(text).enumerate() {
        let document: Value = serde_json::from_str(line)
            .map_err(|why| format!("its document {} is none: {why}", place + 1))?;
        documents.push(document);
    }
    if documents.len() < 2 {
        return Err("it is not several documents on lines of their own".to_owned());
    }
    Ok(Value::Array(documents))
}

/// The documents as one list, every value with the digits that it was written with.
pub fn as_list(text: &str) -> String {
    format!("[{}]", lines(text).collect::<Vec<_>>().join(","))
}

/// Writes other documents in the place of some: each on a line of its own, as those were.
///
/// # Errors
/// Returns why that cannot be done.
pub fn write(original: &str, list: &str) -> Result<Vec<u8>, String> {
    let after: Vec<&RawValue> = serde_json::from_str(list)
        .map_err(|_| "it is documents on lines of their own, and must stay a list of them")?;
    let before: Vec<&str> = lines(original).collect();
    let end = if original.contains("\r\n") { "\r\n" } else { "\n" };
    let has_marks = original.contains(RECORD_SEPARATOR);
    let documents = after.iter().enumerate().map(|(place, document)| {
        let document = compact(document.get());
        let same = before.get(place).filter(|line| compact(line) == document);
        let mark = if has_marks { RECORD_SEPARATOR.to_string() } else { String::new() };
        mark + same.map_or(&*document, |line| line)
    });
    let mut text = documents.collect::<Vec<_>>().join(end);
    if original.ends_with('\n') {
        text.push_str(end);
    }
    Ok(text.into_bytes())
}

fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split(['\n', RECORD_SEPARATOR]).map(str::trim).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn documents_on_lines_are_a_list() {
        for text in ["{\"a\":1}\n[2]\n", "{\"a\":1}\r\n\r\n[2]", "\u{1e}{\"a\":1}\n\u{1e}[2]\n"] {
            assert_eq!(read(text), Ok(json!([{"a": 1}, [2]])), "{text:?}");
        }
    }

    #[test]
    fn documents_are_written_on_lines_as_they_were() {
        for (before, list, wanted) in [
            ("{\"a\": 1.10}\n[2]\n", "[{\"a\":1.10},[3.0],{}]", "{\"a\": 1.10}\n[3.0]\n{}\n"),
            ("{\"a\":1}\r\n[2]", "[\n  {\n    \"a\": 2\n  }\n]", "{\"a\":2}"),
            ("\u{1e}1\n\u{1e}2\n", "[1,9007199254740993]", "\u{1e}1\n\u{1e}9007199254740993\n"),
        ] {
            let written = write(before, list).expect("written");
            assert_eq!(String::from_utf8_lossy(&written), wanted);
            assert_eq!(write(before, &as_list(before)), Ok(before.into()));
        }
        assert!(write("1\n2", "{}").is_err());
    }

    #[test]
    fn what_is_no_document_is_said_by_its_place() {
        let why = read("{\"a\":1}\n{\"b\":\n").expect_err("no document");
        assert!(why.starts_with("its document 2 is none"), "{why}");
        assert!(read("{\"a\":1}\n").is_err() && read("").is_err());
    }
}
