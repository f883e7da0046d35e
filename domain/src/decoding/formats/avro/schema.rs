//! Schemas, read from their JSON.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::logical::Logical;

/// How many types a schema may have.
const MOST_NODES: usize = 10_000;

/// How deep types stand within types: values are not followed as deep.
const MOST_LEVELS: usize = 128;

/// A type within a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct NodeId(usize);

/// A type.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    Null,
    Boolean,
    Int(Option<Logical>),
    Long(Option<Logical>),
    Float,
    Double,
    Bytes(Option<Logical>),
    Text,
    /// The name and the type of each field.
    Record(Vec<(String, NodeId)>),
    Enum(Vec<String>),
    List(NodeId),
    Map(NodeId),
    Union(Vec<NodeId>),
    /// So many bytes.
    Fixed(usize, Option<Logical>),
}

impl Node {
    /// What the specification calls it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Int(_) => "int",
            Self::Long(_) => "long",
            Self::Float => "float",
            Self::Double => "double",
            Self::Bytes(_) => "bytes",
            Self::Text => "string",
            Self::Record(_) => "record",
            Self::Enum(_) => "enum",
            Self::List(_) => "array",
            Self::Map(_) => "map",
            Self::Union(_) => "union",
            Self::Fixed(..) => "fixed",
        }
    }
}

/// A schema. Types refer to each other by number, also to those that they are part of.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Schema {
    nodes: Vec<Node>,
    root: NodeId,
    /// The full names of types that have one.
    names: HashMap<NodeId, String>,
}

/// Types of other files by their full names, to which a schema may refer.
pub(super) type Declared<'a> = HashMap<String, &'a Value>;

impl Schema {
    /// Reads a schema that stands by itself.
    ///
    /// # Errors
    /// Returns why it cannot be one.
    pub(super) fn read(json: &[u8]) -> Result<Self, String> {
        let json: Value =
            serde_json::from_slice(json).map_err(|why| format!("its schema is not JSON: {why}"))?;
        Self::of(&json, &Declared::new())
    }

    /// Reads a schema that may refer to types of other files: they become a part of it.
    ///
    /// # Errors
    /// Returns why it cannot be one.
    pub(super) fn of(json: &Value, others: &Declared<'_>) -> Result<Self, String> {
        let mut reading = Reading {
            nodes: Vec::new(),
            names: HashMap::new(),
            by_name: HashMap::new(),
            others,
            level: 0,
        };
        let root = reading.node(json, "")?;
        Ok(Self { nodes: reading.nodes, root, names: reading.names })
    }

    pub(super) fn root(&self) -> NodeId {
        self.root
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.0]
    }

    /// The full name of a type, if it has one.
    pub(super) fn name(&self, id: NodeId) -> Option<&str> {
        self.names.get(&id).map(String::as_str)
    }
}

/// The full name of a type that is declared outside of any other; `None` if it has none.
pub(super) fn declared_name(json: &Value) -> Option<String> {
    let namespace = json.get("namespace").and_then(Value::as_str).unwrap_or_default();
    json.get("name").and_then(Value::as_str).map(|name| full_name(name, namespace))
}

/// A schema that is being read.
#[derive(Debug)]
struct Reading<'a> {
    nodes: Vec<Node>,
    names: HashMap<NodeId, String>,
    /// Types by their full names.
    by_name: HashMap<String, NodeId>,
    others: &'a Declared<'a>,
    level: usize,
}

impl Reading<'_> {
    /// Reads a type; `namespace` is that of the type around it.
    fn node(&mut self, json: &Value, namespace: &str) -> Result<NodeId, String> {
        self.level += 1;
        if self.level > MOST_LEVELS {
            return Err(format!("its schema is nested more than {MOST_LEVELS} deep"));
        }
        let node = match json {
            Value::String(name) => self.named(name, namespace),
            Value::Array(branches) => {
                let branches = branches.iter().map(|branch| self.node(branch, namespace));
                let branches = branches.collect::<Result<_, _>>()?;
                self.add(Node::Union(branches))
            }
            Value::Object(members) => match members.get("type") {
                Some(Value::String(kind)) => self.declared(kind, members, namespace),
                Some(inner) => self.node(inner, namespace),
                None => Err("its schema has a type without `type`".to_owned()),
            },
            _ => Err("its schema has something that is not a type".to_owned()),
        };
        self.level -= 1;
        node
    }

    /// A type by its name.
    fn named(&mut self, name: &str, namespace: &str) -> Result<NodeId, String> {
        if let Some(plain) = plain(name, None) {
            return self.add(plain);
        }
        let own = full_name(name, namespace);
        if let Some(known) = self.by_name.get(&own).or_else(|| self.by_name.get(name)) {
            return Ok(*known);
        }
        let other = self.others.get(&own).or_else(|| self.others.get(name));
        let other =
            other.copied().ok_or_else(|| format!("its schema does not say what `{name}` is"))?;
        self.node(other, "")
    }

    fn declared(
        &mut self,
        kind: &str,
        members: &Map<String, Value>,
        namespace: &str,
    ) -> Result<NodeId, String> {
        let logical = Logical::of(members);
        if let Some(plain) = plain(kind, logical) {
            return self.add(plain);
        }
        let inner = |name| {
            members.get(name).ok_or_else(|| format!("its schema has no `{name}` in `{kind}`"))
        };
        match kind {
            "array" => {
                let items = self.node(inner("items")?, namespace)?;
                self.add(Node::List(items))
            }
            "map" => {
                let values = self.node(inner("values")?, namespace)?;
                self.add(Node::Map(values))
            }
            "record" | "error" | "enum" | "fixed" => {
                let name = inner("name")?.as_str().unwrap_or_default();
                let around = members.get("namespace").and_then(Value::as_str).unwrap_or(namespace);
                let name = full_name(name, around);
                // It may have fields of its own type.
                let id = self.add(Node::Null)?;
                self.names.insert(id, name.clone());
                self.by_name.insert(name.clone(), id);
                let within = name.rsplit_once('.').map_or("", |(within, _)| within);
                self.nodes[id.0] = match kind {
                    "enum" => Node::Enum(texts(inner("symbols")?)),
                    "fixed" => {
                        let size =
                            inner("size")?.as_u64().and_then(|size| usize::try_from(size).ok());
                        Node::Fixed(
                            size.ok_or("its schema has a size that is not a number")?,
                            logical,
                        )
                    }
                    _ => self.record(inner("fields")?, within)?,
                };
                Ok(id)
            }
            other => self.named(other, namespace),
        }
    }

    fn record(&mut self, fields: &Value, namespace: &str) -> Result<Node, String> {
        let fields = fields.as_array().ok_or("its schema has fields that are not a list")?;
        let fields = fields.iter().map(|field| {
            let name = field.get("name").and_then(Value::as_str);
            let name = name.ok_or("its schema has a field without a name")?;
            let kind = field.get("type").ok_or("its schema has a field without a type")?;
            Ok((name.to_owned(), self.node(kind, namespace)?))
        });
        fields.collect::<Result<_, String>>().map(Node::Record)
    }

    fn add(&mut self, node: Node) -> Result<NodeId, String> {
        if self.nodes.len() == MOST_NODES {
            return Err(format!("its schema has more than {MOST_NODES} types"));
        }
        self.nodes.push(node);
        Ok(NodeId(self.nodes.len() - 1))
    }
}

/// A type that needs nothing but its name.
fn plain(name: &str, logical: Option<Logical>) -> Option<Node> {
    Some(match name {
        "null" => Node::Null,
        "boolean" => Node::Boolean,
        "int" => Node::Int(logical),
        "long" => Node::Long(logical),
        "float" => Node::Float,
        "double" => Node::Double,
        "bytes" => Node::Bytes(logical),
        "string" => Node::Text,
        _ => return None,
    })
}

fn full_name(name: &str, namespace: &str) -> String {
    if name.contains('.') || namespace.is_empty() {
        name.trim_start_matches('.').to_owned()
    } else {
        format!("{namespace}.{name}")
    }
}

fn texts(list: &Value) -> Vec<String> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(|text| text.as_str().map(ToOwned::to_owned)).collect()
}
