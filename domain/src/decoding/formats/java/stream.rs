//! Reads a stream: what is in it, and the handles by which it refers back.

use serde_json::{Map, Value, json};

use super::super::{Gauge, TOO_SHORT, float, octets};
use super::described::{Class, Field};
use super::modified_utf8::modified_utf8;
use super::written::{Part, object};

/// What a handle stands for.
#[derive(Debug, Clone)]
enum Handle {
    /// A class, by its place.
    Class(usize),
    /// A text.
    Text(String),
    /// Anything else: it is referred to by its number.
    Other,
}

/// Handles begin here.
const FIRST_HANDLE: u32 = 0x7e_0000;

pub(super) struct Stream<'a> {
    rest: &'a [u8],
    handles: Vec<Handle>,
    classes: Vec<Class>,
    gauge: Gauge,
}

impl<'a> Stream<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes, handles: Vec::new(), classes: Vec::new(), gauge: Gauge::default() }
    }

    /// Everything in it.
    pub(super) fn read(&mut self) -> Result<Vec<Value>, String> {
        let mut values = Vec::new();
        while !self.rest.is_empty() {
            values.push(match self.part()? {
                Part::Block(bytes) => octets(&bytes),
                Part::Value(value) => value,
                Part::End => return Err("it ends what it never began".to_owned()),
            });
        }
        if values.is_empty() { Err(TOO_SHORT.to_owned()) } else { Ok(values) }
    }

    fn part(&mut self) -> Result<Part, String> {
        let [code] = self.array()?;
        Ok(match code {
            0x77 => {
                let [length] = self.array()?;
                Part::Block(self.take(length.into())?.to_vec())
            }
            0x7a => {
                let length = self.length()?;
                Part::Block(self.take(length)?.to_vec())
            }
            0x78 => Part::End,
            // It begins anew: nothing before is referred to.
            0x79 => {
                self.handles.clear();
                return self.part();
            }
            code => Part::Value(self.content(code)?),
        })
    }

    fn content(&mut self, code: u8) -> Result<Value, String> {
        self.gauge.value()?;
        self.gauge.enter()?;
        let value = match code {
            0x70 => Value::Null,
            0x71 => self.reference()?,
            0x74 | 0x7c => Value::from(self.string(code)?),
            0x73 => self.object()?,
            0x75 => self.list()?,
            0x7e => self.constant()?,
            0x76 => {
                let class = self.class()?;
                self.handles.push(Handle::Other);
                json!({ "$type": class.map(|class| self.classes[class].name.clone()) })
            }
            0x72 | 0x7d => {
                let class = self.described(code)?;
                json!({ "$type": self.classes[class].name })
            }
            other => return Err(format!("its sign {other:#04x} is not known")),
        };
        self.gauge.leave();
        Ok(value)
    }

    fn reference(&mut self) -> Result<Value, String> {
        let number = self.handle()?;
        Ok(match &self.handles[number] {
            Handle::Text(text) => Value::from(text.as_str()),
            Handle::Class(class) => json!({ "$type": self.classes[*class].name }),
            Handle::Other => json!({ "$reference": number }),
        })
    }

    fn handle(&mut self) -> Result<usize, String> {
        let number = u32::from_be_bytes(self.array()?).checked_sub(FIRST_HANDLE);
        let number = number.and_then(|number| usize::try_from(number).ok());
        let known = number.filter(|number| *number < self.handles.len());
        known.ok_or_else(|| "it refers to what is not in it".to_owned())
    }

    fn string(&mut self, code: u8) -> Result<String, String> {
        let text = if code == 0x74 {
            self.text()?
        } else {
            let length = u64::from_be_bytes(self.array()?);
            let length = usize::try_from(length).unwrap_or(usize::MAX);
            modified_utf8(self.take(length)?)
        };
        self.handles.push(Handle::Text(text.clone()));
        Ok(text)
    }

    /// A class, which may be told before; `None` for none.
    fn class(&mut self) -> Result<Option<usize>, String> {
        let [code] = self.array()?;
        match code {
            0x70 => Ok(None),
            0x71 => {
                let number = self.handle()?;
                match self.handles[number] {
                    Handle::Class(class) => Ok(Some(class)),
                    _ => Err("it takes something else for a class".to_owned()),
                }
            }
            code => self.described(code).map(Some),
        }
    }

    fn described(&mut self, code: u8) -> Result<usize, String> {
        self.gauge.enter()?;
        let place = self.classes.len();
        self.classes.push(Class::default());
        let mut class = match code {
            0x72 => {
                let name = self.text()?;
                self.take(8)?;
                self.handles.push(Handle::Class(place));
                let [flags] = self.array()?;
                Class { name, flags, fields: self.fields()?, parent: None }
            }
            0x7d => {
                self.handles.push(Handle::Class(place));
                let count = self.length()?;
                let mut names = Vec::new();
                for _ in 0..count {
                    names.push(self.text()?);
                }
                Class {
                    name: format!("$Proxy({})", names.join(", ")),
                    flags: 0x02,
                    ..Class::default()
                }
            }
            other => return Err(format!("its sign {other:#04x} is not a class")),
        };
        // What the class was written with is of no use here.
        while !matches!(self.part()?, Part::End) {}
        class.parent = self.class()?;
        self.classes[place] = class;
        self.gauge.leave();
        Ok(place)
    }

    fn fields(&mut self) -> Result<Vec<Field>, String> {
        let count = u16::from_be_bytes(self.array()?);
        let mut fields = Vec::new();
        for _ in 0..count {
            let [kind] = self.array()?;
            let name = self.text()?;
            if matches!(kind, b'[' | b'L') {
                let [code] = self.array()?;
                self.content(code)?;
            }
            fields.push(Field { kind, name });
        }
        Ok(fields)
    }

    fn object(&mut self) -> Result<Value, String> {
        let class = self.class()?.ok_or("it has an object of no class")?;
        self.handles.push(Handle::Other);
        // From the class that everything extends to its own.
        let mut line = Vec::new();
        let mut next = Some(class);
        while let Some(class) = next.filter(|class| !line.contains(class)) {
            line.push(class);
            next = self.classes[class].parent;
        }
        let (mut members, mut data) = (Map::new(), Vec::new());
        for class in line.into_iter().rev() {
            let class = self.classes[class].clone();
            if class.is_serializable() {
                for field in &class.fields {
                    let value = self.field(field.kind)?;
                    members.insert(field.name.clone(), value);
                }
            }
            if class.is_external() && !class.has_blocks() {
                return Err("it has an object whose class alone can read it".to_owned());
            }
            if class.is_serializable() && class.writes_itself() || class.is_external() {
                loop {
                    match self.part()? {
                        Part::End => break,
                        part => data.push(part),
                    }
                }
            }
        }
        object(&self.classes[class].name, members, data)
    }

    fn list(&mut self) -> Result<Value, String> {
        let class = self.class()?.ok_or("it has a list of no class")?;
        self.handles.push(Handle::Other);
        let kind = self.classes[class].name.as_bytes().get(1).copied().ok_or(TOO_SHORT)?;
        let count = self.length()?;
        if kind == b'B' {
            return Ok(octets(self.take(count)?));
        }
        let mut values = Vec::new();
        for _ in 0..count {
            values.push(self.field(kind)?);
        }
        Ok(Value::Array(values))
    }

    fn constant(&mut self) -> Result<Value, String> {
        let class = self.class()?.ok_or("it has an enum of no class")?;
        self.handles.push(Handle::Other);
        let [code] = self.array()?;
        let name = self.content(code)?;
        Ok(json!({ "$enum": name, "$class": self.classes[class].name }))
    }

    fn field(&mut self, kind: u8) -> Result<Value, String> {
        self.gauge.value()?;
        Ok(match kind {
            b'B' => Value::from(i8::from_be_bytes(self.array()?)),
            b'S' => Value::from(i16::from_be_bytes(self.array()?)),
            b'I' => Value::from(i32::from_be_bytes(self.array()?)),
            b'J' => Value::from(i64::from_be_bytes(self.array()?)),
            b'F' => float(f32::from_be_bytes(self.array()?).into()),
            b'D' => float(f64::from_be_bytes(self.array()?)),
            b'Z' => Value::Bool(self.array::<1>()? != [0]),
            b'C' => {
                let unit = u16::from_be_bytes(self.array()?);
                Value::from(String::from_utf16_lossy(&[unit]))
            }
            b'L' | b'[' => {
                let [code] = self.array()?;
                self.content(code)?
            }
            other => return Err(format!("its type {other:#04x} is not known")),
        })
    }

    fn text(&mut self) -> Result<String, String> {
        let length = u16::from_be_bytes(self.array()?);
        Ok(modified_utf8(self.take(length.into())?))
    }

    fn length(&mut self) -> Result<usize, String> {
        usize::try_from(u32::from_be_bytes(self.array()?)).map_err(|why| why.to_string())
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], String> {
        let (taken, rest) = self.rest.split_first_chunk::<N>().ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(*taken)
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or(TOO_SHORT)?;
        self.rest = rest;
        Ok(taken)
    }
}
