//! JSON documents one after the other, each on a line of its own: NDJSON, JSON lines, and RFC 7464's sequences.

use serde_json::Value;

/// RFC 7464 has it before each document.
const RECORD_SEPARATOR: char = '\u{1e}';

/// Reads at least two documents, as a list.
pub fn read(text: &str) -> Result<Value, String> {
    let lines = text.split(['\n', RECORD_SEPARATOR]).map(str::trim).filter(|line| !line.is_empty());
    let mut documents = Vec::new();
    for (place, line) in lines.enumerate() {
        let document: Value = serde_json::from_str(line)
            .map_err(|why| format!("its document {} is none: {why}", place + 1))?;
        documents.push(document);
    }
    if documents.len() < 2 {
        return Err("it is not several documents on lines of their own".to_owned());
    }
    Ok(Value::Array(documents))
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
    fn what_is_no_document_is_said_by_its_place() {
        let why = read("{\"a\":1}\n{\"b\":\n").expect_err("no document");
        assert!(why.starts_with("its document 2 is none"), "{why}");
        assert!(read("{\"a\":1}\n").is_err() && read("").is_err());
    }
}
