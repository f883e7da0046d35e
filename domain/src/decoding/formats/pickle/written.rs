//! What a pickle builds, written as a value.

use serde_json::{Map, Value, json};

use super::super::{Gauge, key};
use super::machine::{Node, NodeId, Object};

/// How Python 2 called what makes an object.
const RECONSTRUCTOR: &str = "copy_reg._reconstructor";

pub(super) fn write(nodes: &[Node], root: NodeId) -> Result<Value, String> {
    Writer { nodes, gauge: Gauge::default(), within: Vec::new() }.value(root)
}

struct Writer<'a> {
    nodes: &'a [Node],
    gauge: Gauge,
    /// What is being written: something can be in itself.
    within: Vec<NodeId>,
}

impl Writer<'_> {
    fn value(&mut self, id: NodeId) -> Result<Value, String> {
        self.gauge.value()?;
        if let Node::Plain(value) = &self.nodes[id] {
            return Ok(value.clone());
        }
        if self.within.contains(&id) {
            return Ok(json!({ "$reference": id }));
        }
        self.gauge.enter()?;
        self.within.push(id);
        let value = match &self.nodes[id] {
            Node::Plain(value) => value.clone(),
            Node::List(items) => self.list(items)?,
            Node::Dict(entries) => Value::Object(self.members(entries)?),
            Node::Global(name) => json!({ "$class": name }),
            Node::Object(object) => self.object(object)?,
        };
        self.within.pop();
        self.gauge.leave();
        Ok(value)
    }

    fn list(&mut self, items: &[NodeId]) -> Result<Value, String> {
        items.iter().map(|item| self.value(*item)).collect::<Result<Vec<_>, _>>().map(Value::Array)
    }

    fn members(&mut self, entries: &[(NodeId, NodeId)]) -> Result<Map<String, Value>, String> {
        let mut members = Map::new();
        for (name, value) in entries {
            members.insert(key(self.value(*name)?)?, self.value(*value)?);
        }
        Ok(members)
    }

    fn object(&mut self, object: &Object) -> Result<Value, String> {
        let mut members = self.members(&object.entries)?;
        let mut class = match &self.nodes[object.class] {
            Node::Global(name) => Value::from(name.as_str()),
            _ => self.value(object.class)?,
        };
        let mut arguments = self.value(object.arguments)?;
        if class == RECONSTRUCTOR || class == "copyreg._reconstructor" {
            // Protocols 0 and 1 have the class of an object as the first argument.
            class = arguments[0]["$class"].take();
            arguments = json!([]);
        }
        members.insert("$class".to_owned(), class);
        if arguments != json!([]) {
            members.insert("$arguments".to_owned(), arguments);
        }
        if !object.items.is_empty() {
            members.insert("$items".to_owned(), self.list(&object.items)?);
        }
        match object.state.map(|state| self.value(state)).transpose()? {
            Some(Value::Object(state)) => members.extend(state),
            Some(state) => {
                members.insert("$state".to_owned(), state);
            }
            None => {}
        }
        Ok(Value::Object(members))
    }
}
