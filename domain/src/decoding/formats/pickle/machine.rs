//! The machine that a pickle is a program for: a stack, marks in it, and a memo.

use std::collections::HashMap;

use serde_json::Value;

use super::super::{BYTES_BEHIND, MOST_VALUES, TOO_MANY};
use super::operands::{Operands, no_number};

/// A place among the nodes.
pub(super) type NodeId = usize;

/// What is built. Parts can be shared, and can be in themselves.
#[derive(Debug)]
pub(super) enum Node {
    /// A value by itself.
    Plain(Value),
    /// A list, a tuple or a set.
    List(Vec<NodeId>),
    /// Entries of a dict, in order.
    Dict(Vec<(NodeId, NodeId)>),
    /// Something of a module: `module.name`.
    Global(String),
    /// What would come of a call.
    Object(Object),
}

/// What would come of a call.
#[derive(Debug, Default)]
pub(super) struct Object {
    /// What would be called.
    pub class: NodeId,
    /// With what.
    pub arguments: NodeId,
    /// What it would be told afterwards.
    pub state: Option<NodeId>,
    /// What would be put into it, as into a dict.
    pub entries: Vec<(NodeId, NodeId)>,
    /// What would be put into it, as into a list.
    pub items: Vec<NodeId>,
}

pub(super) struct Machine<'a> {
    operands: Operands<'a>,
    nodes: Vec<Node>,
    stack: Vec<NodeId>,
    marks: Vec<usize>,
    memo: HashMap<u64, NodeId>,
}

impl<'a> Machine<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self {
            operands: Operands { rest: bytes },
            nodes: Vec::new(),
            stack: Vec::new(),
            marks: Vec::new(),
            memo: HashMap::new(),
        }
    }

    pub(super) fn into_nodes(self) -> Vec<Node> {
        self.nodes
    }

    /// Runs to its end, and tells what is there then.
    pub(super) fn run(&mut self) -> Result<NodeId, String> {
        loop {
            let [code] = self.operands.take_array()?;
            if code == b'.' {
                let root = self.pop()?;
                return if self.operands.rest.is_empty() {
                    Ok(root)
                } else {
                    Err(BYTES_BEHIND.to_owned())
                };
            }
            if self.nodes.len() > MOST_VALUES || self.stack.len() > MOST_VALUES {
                return Err(TOO_MANY.to_owned());
            }
            self.step(code)?;
        }
    }

    fn step(&mut self, code: u8) -> Result<(), String> {
        match code {
            0x80 => self.operands.take(1).map(drop),
            0x95 => self.operands.take(8).map(drop),
            b'(' => {
                self.marks.push(self.stack.len());
                Ok(())
            }
            b'0' => self.pop().map(drop),
            b'1' => self.pop_to_mark().map(drop),
            b'2' => {
                let top = *self.stack.last().ok_or(EMPTY)?;
                self.stack.push(top);
                Ok(())
            }
            b'N' | 0x88 | 0x89 | b'I' | b'J' | b'K' | b'M' | b'L' | 0x8a | 0x8b | b'F' | b'G' => {
                let number = self.operands.number(code)?;
                self.push(Node::Plain(number));
                Ok(())
            }
            b'S' | b'T' | b'U' | b'V' | b'X' | 0x8c | 0x8d | b'B' | b'C' | 0x8e | 0x96 => {
                let text = self.operands.text(code)?;
                self.push(Node::Plain(text));
                Ok(())
            }
            b'}' | b']' | b')' | 0x8f | b'd' | b'l' | b't' | 0x85..=0x87 | 0x91 => {
                self.collection(code)
            }
            b's' | b'u' | b'a' | b'e' | 0x90 => self.fill(code),
            b'c' | 0x93 | b'R' | b'b' | b'i' | b'o' | 0x81 | 0x92 | b'P' | b'Q' => {
                self.object(code)
            }
            b'p' | b'q' | b'r' | 0x94 | b'g' | b'h' | b'j' => self.remember(code),
            other => Err(format!("its instruction {other:#04x} is not known")),
        }
    }

    fn collection(&mut self, code: u8) -> Result<(), String> {
        let node = match code {
            b'}' => Node::Dict(Vec::new()),
            b']' | b')' | 0x8f => Node::List(Vec::new()),
            b'd' => Node::Dict(pairs(&self.pop_to_mark()?)),
            0x85..=0x87 => {
                let count = usize::from(code - 0x84);
                let begin = self.stack.len().checked_sub(count).ok_or(EMPTY)?;
                Node::List(self.stack.split_off(begin))
            }
            _ => Node::List(self.pop_to_mark()?),
        };
        self.push(node);
        Ok(())
    }

    /// Puts values into what lies below them.
    fn fill(&mut self, code: u8) -> Result<(), String> {
        let values = match code {
            b'a' => vec![self.pop()?],
            b's' => {
                let begin = self.stack.len().checked_sub(2).ok_or(EMPTY)?;
                self.stack.split_off(begin)
            }
            _ => self.pop_to_mark()?,
        };
        let target = *self.stack.last().ok_or(EMPTY)?;
        match (&mut self.nodes[target], code) {
            (Node::Dict(entries), b's' | b'u') => entries.extend(pairs(&values)),
            (Node::Object(object), b's' | b'u') => object.entries.extend(pairs(&values)),
            (Node::List(items), b'a' | b'e' | 0x90) => items.extend(values),
            (Node::Object(object), _) => object.items.extend(values),
            _ => return Err("it puts values into what takes none".to_owned()),
        }
        Ok(())
    }

    fn object(&mut self, code: u8) -> Result<(), String> {
        let node = match code {
            b'c' => Node::Global(format!("{}.{}", self.operands.line()?, self.operands.line()?)),
            0x93 => {
                let (name, module) = (self.pop()?, self.pop()?);
                let text = |id: NodeId| match &self.nodes[id] {
                    Node::Plain(Value::String(text)) => text.clone(),
                    _ => "?".to_owned(),
                };
                Node::Global(format!("{}.{}", text(module), text(name)))
            }
            b'b' => {
                let state = self.pop()?;
                let target = *self.stack.last().ok_or(EMPTY)?;
                match &mut self.nodes[target] {
                    Node::Object(object) => object.state = Some(state),
                    _ => return Err("it sets the state of what is not an object".to_owned()),
                }
                return Ok(());
            }
            b'i' | b'o' => {
                let mut arguments = self.pop_to_mark()?;
                let class = if code == b'i' {
                    let name = format!("{}.{}", self.operands.line()?, self.operands.line()?);
                    self.make(Node::Global(name))
                } else if arguments.is_empty() {
                    return Err(EMPTY.to_owned());
                } else {
                    arguments.remove(0)
                };
                let arguments = self.make(Node::List(arguments));
                Node::Object(Object { class, arguments, ..Object::default() })
            }
            b'P' | b'Q' => {
                let id = if code == b'P' {
                    Value::from(self.operands.line()?)
                } else {
                    return self.persistent();
                };
                Node::Plain(serde_json::json!({ "$persistent": id }))
            }
            _ => {
                let keywords = if code == 0x92 { Some(self.pop()?) } else { None };
                let (arguments, class) = (self.pop()?, self.pop()?);
                Node::Object(Object { class, arguments, state: keywords, ..Object::default() })
            }
        };
        self.push(node);
        Ok(())
    }

    /// Something that is kept elsewhere, by an id that lies on the stack.
    fn persistent(&mut self) -> Result<(), String> {
        let id = self.pop()?;
        let class = self.make(Node::Global("$persistent".to_owned()));
        self.push(Node::Object(Object { class, arguments: id, ..Object::default() }));
        Ok(())
    }

    fn remember(&mut self, code: u8) -> Result<(), String> {
        let place = match code {
            0x94 => self.memo.len() as u64,
            b'q' | b'h' => self.operands.take_array::<1>()?[0].into(),
            b'r' | b'j' => u32::from_le_bytes(self.operands.take_array()?).into(),
            _ => {
                let line = self.operands.line()?;
                line.parse().map_err(|_| no_number(line))?
            }
        };
        if matches!(code, b'g' | b'h' | b'j') {
            let known = self.memo.get(&place).ok_or("it recalls what it never kept")?;
            self.stack.push(*known);
        } else {
            let top = *self.stack.last().ok_or(EMPTY)?;
            self.memo.insert(place, top);
        }
        Ok(())
    }

    fn push(&mut self, node: Node) {
        let id = self.make(node);
        self.stack.push(id);
    }

    fn make(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    fn pop(&mut self) -> Result<NodeId, String> {
        Ok(self.stack.pop().ok_or(EMPTY)?)
    }

    fn pop_to_mark(&mut self) -> Result<Vec<NodeId>, String> {
        let mark = self.marks.pop().filter(|mark| *mark <= self.stack.len()).ok_or(EMPTY)?;
        Ok(self.stack.split_off(mark))
    }
}

const EMPTY: &str = "it takes more from its stack than there is";

fn pairs(values: &[NodeId]) -> Vec<(NodeId, NodeId)> {
    values.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}
