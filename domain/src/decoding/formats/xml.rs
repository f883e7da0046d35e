//! XML 1.0. An element is what its attributes (`@name`), elements and text (`#text`) say; one that has only text is
//! that text. Prefixes of names are left out. Document types are refused, and with them every entity.

mod building;
mod writing;

use roxmltree::{Document, Node, ParsingOptions};
use serde_json::{Map, Value};

use super::{Gauge, MOST_VALUES, add};

pub use writing::{fitting, write};

/// Reads a document.
pub fn read(text: &str) -> Result<Value, String> {
    let document = parse(text.trim_start_matches('\u{feff}').trim_start())?;
    let root = document.root_element();
    let mut members = Map::new();
    members.insert(name(root), element(root, &mut Gauge::default())?);
    Ok(Value::Object(members))
}

fn parse(text: &str) -> Result<Document<'_>, String> {
    let nodes_limit = u32::try_from(MOST_VALUES).unwrap_or(u32::MAX);
    let options = ParsingOptions { allow_dtd: false, nodes_limit, ..ParsingOptions::default() };
    Document::parse_with_options(text, options).map_err(|why| why.to_string())
}

/// The member that an element's own text is, where it has others.
const TEXT: &str = "#text";

fn attribute_name(name: &str) -> String {
    format!("@{name}")
}

fn name(node: Node<'_, '_>) -> String {
    node.tag_name().name().to_owned()
}

fn element(node: Node<'_, '_>, gauge: &mut Gauge) -> Result<Value, String> {
    gauge.enter()?;
    let mut members = Map::new();
    for attribute in node.attributes() {
        add(&mut members, attribute_name(attribute.name()), Value::from(attribute.value()));
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
            add(&mut members, TEXT.to_owned(), Value::from(text));
            Value::Object(members)
        }
    })
}

#[cfg(test)]
mod tests;
