//! XML 1.0. An element is what its attributes (`@name`), elements and text (`#text`) say; one that has only text is
//! that text. Prefixes of names are left out. Document types are refused, and with them every entity.

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Map, Value};

use super::{Gauge, MOST_VALUES, add};

/// Reads a document.
pub fn read(text: &str) -> Result<Value, String> {
    let nodes_limit = u32::try_from(MOST_VALUES).unwrap_or(u32::MAX);
    let options = ParsingOptions { allow_dtd: false, nodes_limit, ..ParsingOptions::default() };
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let document = Document::parse_with_options(text, options).map_err(|why| why.to_string())?;
    let root = document.root_element();
    let mut members = Map::new();
    members.insert(name(root), element(root, &mut Gauge::default())?);
    Ok(Value::Object(members))
}

fn name(node: Node<'_, '_>) -> String {
    node.tag_name().name().to_owned()
}

fn element(node: Node<'_, '_>, gauge: &mut Gauge) -> Result<Value, String> {
    gauge.enter()?;
    let mut members = Map::new();
    for attribute in node.attributes() {
        add(&mut members, format!("@{}", attribute.name()), Value::from(attribute.value()));
    }
    let mut text = String::new();
    for child in node.children() {
        if child.is_element() {
            add(&mut members, name(child), element(child, gauge)?);
        } else if child.is_text() {
            text.push_str(child.text().unwrap_or_default());
        }
    }
    gauge.leave();
    let text = text.trim();
    Ok(match (members.is_empty(), text.is_empty()) {
        (true, _) => Value::from(text),
        (false, true) => Value::Object(members),
        (false, false) => {
            add(&mut members, "#text".to_owned(), Value::from(text));
            Value::Object(members)
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn elements_attributes_and_texts_are_members() {
        let order = "<?xml version=\"1.0\"?>\n<o:Order xmlns:o=\"urn:x\" id=\"7\">\n <o:Line>a &amp; b</o:Line>\n \
                     <o:Line qty=\"2\">c</o:Line><Note><![CDATA[<x>]]></Note><Empty/></o:Order>";
        let told = json!({"Order": {
            "@id": "7",
            "Line": ["a & b", {"@qty": "2", "#text": "c"}],
            "Note": "<x>",
            "Empty": ""
        }});
        assert_eq!(read(order), Ok(told.clone()));
        assert_eq!(read(&format!("\u{feff} {order}")), Ok(told));
    }

    #[test]
    fn what_is_harmful_or_broken_is_refused() {
        let bomb = "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><x>&b;</x>";
        for text in [bomb, "<a>", "<a></b>", "a", "", "<a/><b/>"] {
            assert!(read(text).is_err(), "{text}");
        }
        assert!(read(&("<a>".repeat(65) + &"</a>".repeat(65))).is_err());
        assert!(read(&("<a>".repeat(50_000) + &"</a>".repeat(50_000))).is_err());
        assert!(read(&format!("<a>{}</a>", "<b/>".repeat(MOST_VALUES))).is_err());
    }
}
