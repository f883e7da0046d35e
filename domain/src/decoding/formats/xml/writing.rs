//! Writing other values into a document: what is the same stays as it was written, with its prefixes, comments and spaces.

use std::collections::BTreeMap;
use std::ops::Range;

use roxmltree::Node;
use serde_json::{Map, Value};

use super::super::Gauge;
use super::super::rewriting::{is_same, origins};
use super::building::{attribute, built, escaped, quoted, told};
use super::{TEXT, attribute_name, element, name, parse};

/// What a document of XML can say of values: numbers and flags are texts, a list of one is its item, and one of none is
/// not there.
///
/// # Errors
/// Returns why it cannot say them.
pub fn fitting(value: &Value) -> Result<Value, String> {
    Ok(match value {
        Value::Object(members) => {
            let mut fit = Map::new();
            for (name, value) in members {
                match value {
                    Value::Array(items) => {
                        let items = items.iter().map(item).collect::<Result<Vec<_>, _>>()?;
                        let mut items = items.into_iter();
                        match (items.next(), items.len()) {
                            (None, _) => {}
                            (Some(only), 0) => drop(fit.insert(name.clone(), only)),
                            (Some(first), _) => {
                                let all = std::iter::once(first).chain(items).collect();
                                fit.insert(name.clone(), Value::Array(all));
                            }
                        }
                    }
                    value => drop(fit.insert(name.clone(), fitting(value)?)),
                }
            }
            if fit.is_empty() { Value::from("") } else { Value::Object(fit) }
        }
        Value::Array(_) => return Err("a list is not within an element".to_owned()),
        Value::Null => return Err("XML has no null: leave the element out".to_owned()),
        Value::String(text) => Value::from(text.as_str()),
        other => Value::from(other.to_string()),
    })
}

fn item(value: &Value) -> Result<Value, String> {
    if value.is_array() { Err("XML has no list within a list".to_owned()) } else { fitting(value) }
}

/// Writes values in the place of those of a document.
///
/// # Errors
/// Returns why that cannot be done.
pub fn write(text: &str, after: &Value) -> Result<Vec<u8>, String> {
    let plain = text.trim_start_matches('\u{feff}').trim_start();
    let begin = &text[..text.len() - plain.len()];
    let document = parse(plain)?;
    let root = document.root_element();
    let members = after.as_object().filter(|members| members.len() == 1);
    let after = members.and_then(|members| members.get(&name(root)));
    let after = after.ok_or_else(|| format!("a document is one element, `{}`", name(root)))?;
    let source = Source(plain);
    let written = source.element(root, after)?;
    Ok([begin, &source.edited(0..plain.len(), vec![(root.range(), written)])?]
        .concat()
        .into_bytes())
}

/// The text of a document.
#[derive(Clone, Copy)]
struct Source<'a>(&'a str);

/// What stands in the place of a part of the text.
type Edits = Vec<(Range<usize>, String)>;

impl<'a> Source<'a> {
    /// An element as it is written with this value.
    fn element(self, node: Node<'_, '_>, after: &Value) -> Result<String, String> {
        let before = element(node, &mut Gauge::default())?;
        if is_same(&before, after) {
            return self.edited(node.range(), Vec::new());
        }
        match (after, &before) {
            (Value::String(text), Value::String(_)) => self.with_text(node, text),
            (Value::Object(after), _) => self.with_members(node, after),
            (text, _) => {
                let members = [(TEXT.to_owned(), text.clone())].into_iter();
                self.with_members(node, &members.filter(|(_, text)| text != "").collect())
            }
        }
    }

    fn with_text(self, node: Node<'_, '_>, text: &str) -> Result<String, String> {
        let edit = match self.end_tag(node)? {
            None => self.opened(node, &escaped(text))?,
            Some(end) => {
                let begin = node.first_child().map_or(end, |child| child.range().start);
                (begin..end, escaped(text))
            }
        };
        self.edited(node.range(), vec![edit])
    }

    fn with_members(
        self,
        node: Node<'_, '_>,
        after: &Map<String, Value>,
    ) -> Result<String, String> {
        let mut left = after.clone();
        let mut edits = self.attributes(node, &mut left)?;
        let mut by_name: BTreeMap<String, Vec<Node<'_, '_>>> = BTreeMap::new();
        for child in node.children().filter(Node::is_element) {
            by_name.entry(name(child)).or_default().push(child);
        }
        for (name, nodes) in by_name {
            edits.extend(self.elements(&nodes, left.remove(&name))?);
        }
        edits.extend(own_text(node, left.get(TEXT))?);
        let own = left.remove(TEXT);
        let had_text = node.children().any(|child| is_words(&child));
        let mut new =
            own.filter(|_| !had_text).map(|text| escaped(&told(&text))).unwrap_or_default();
        for (name, value) in &left {
            new += &built(node, name, value)?;
        }
        if !new.is_empty() {
            edits.push(match self.end_tag(node)? {
                None => self.opened(node, &new)?,
                Some(end) => (end..end, new),
            });
        }
        self.edited(node.range(), edits)
    }

    /// The attributes as they are after, which are taken out of `left`.
    fn attributes(
        self,
        node: Node<'_, '_>,
        left: &mut Map<String, Value>,
    ) -> Result<Edits, String> {
        let mut edits = Vec::new();
        for attribute in node.attributes() {
            match left.remove(&attribute_name(attribute.name())) {
                Some(value) if told(&value) == attribute.value() => {}
                Some(value) => edits.push((attribute.range_value(), quoted(&told(&value)))),
                None => {
                    let spaces = self.0.get(..attribute.range().start).unwrap_or_default();
                    let begin = spaces.trim_end().len();
                    edits.push((begin..attribute.range().end, String::new()));
                }
            }
        }
        let added: Vec<String> =
            left.keys().filter(|name| name.starts_with('@')).cloned().collect();
        for name in added {
            let value = left.remove(&name).unwrap_or_default();
            let at = node.range().start + 1 + self.tag(node)?.len();
            edits.push((at..at, attribute(name.trim_start_matches('@'), &value)?));
        }
        Ok(edits)
    }

    /// Elements of one name as they are after.
    fn elements(self, nodes: &[Node<'_, '_>], after: Option<Value>) -> Result<Edits, String> {
        let after = match after {
            None => Vec::new(),
            Some(Value::Array(items)) => items,
            Some(one) => vec![one],
        };
        let read = |node: &Node<'_, '_>| element(*node, &mut Gauge::default());
        let before = nodes.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let mut written = Vec::new();
        for (origin, value) in origins(&before, &after).into_iter().zip(&after) {
            written.push(self.element(nodes[origin.unwrap_or(0)], value)?);
        }
        let mut edits: Edits =
            nodes.iter().zip(&written).map(|(node, text)| (node.range(), text.clone())).collect();
        for node in nodes.iter().skip(written.len()) {
            edits.push((self.with_spaces(*node), String::new()));
        }
        if let (Some(last), Some((_, text))) = (nodes.last(), edits.last_mut()) {
            let begin = self.with_spaces(*last).start..last.range().start;
            let between = self.0.get(begin).unwrap_or_default();
            for one in written.iter().skip(nodes.len()) {
                text.push_str(between);
                text.push_str(one);
            }
        }
        Ok(edits)
    }

    /// What stands in the place of the end of an empty element that has contents then.
    fn opened(self, node: Node<'_, '_>, contents: &str) -> Result<(Range<usize>, String), String> {
        let end = node.range().end;
        Ok((end - "/>".len()..end, format!(">{contents}</{}>", self.tag(node)?)))
    }

    /// Where the end tag begins; `None` if there is none.
    fn end_tag(self, node: Node<'_, '_>) -> Result<Option<usize>, String> {
        let text = self.0.get(node.range()).ok_or(NOT_FOUND)?;
        if text.ends_with("/>") && !node.has_children() {
            return Ok(None);
        }
        text.rfind("</").map(|at| Some(node.range().start + at)).ok_or_else(|| NOT_FOUND.to_owned())
    }

    /// The name in the start tag, with its prefix.
    fn tag(self, node: Node<'_, '_>) -> Result<&'a str, String> {
        let text = self.0.get(node.range().start + 1..node.range().end).ok_or(NOT_FOUND)?;
        let end = text.find(|c: char| c.is_whitespace() || matches!(c, '/' | '>'));
        Ok(&text[..end.ok_or(NOT_FOUND)?])
    }

    /// Where an element stands, with the spaces before it.
    fn with_spaces(self, node: Node<'_, '_>) -> Range<usize> {
        let before = self.0.get(..node.range().start).unwrap_or_default();
        before.trim_end().len()..node.range().end
    }

    /// A part of the text with edits in it.
    fn edited(self, part: Range<usize>, mut edits: Edits) -> Result<String, String> {
        edits.sort_by_key(|(range, _)| (range.start, range.end));
        let (mut text, mut at) = (String::new(), part.start);
        for (range, new) in edits {
            text += self.0.get(at..range.start).ok_or(NOT_FOUND)?;
            text += &new;
            at = range.end;
        }
        text += self.0.get(at..part.end).ok_or(NOT_FOUND)?;
        Ok(text)
    }
}

const NOT_FOUND: &str = "its parts are not found in its text";

/// The text beside elements and attributes.
fn own_text(node: Node<'_, '_>, after: Option<&Value>) -> Result<Edits, String> {
    let words: Vec<_> = node.children().filter(is_words).collect();
    let before: String =
        node.children().filter(Node::is_text).filter_map(|child| child.text()).collect();
    let after = after.map(told).unwrap_or_default();
    if before.trim() == after {
        return Ok(Vec::new());
    }
    match &words[..] {
        [] => Ok(Vec::new()),
        [only] => Ok(vec![(only.range(), escaped(&after))]),
        _ => Err(format!("the text of `{}` stands between its elements", name(node))),
    }
}

fn is_words(node: &Node<'_, '_>) -> bool {
    node.is_text() && node.text().is_some_and(|text| !text.trim().is_empty())
}
