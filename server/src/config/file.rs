//! Reads the tables of the file beside the variables, knows the line of everything, and holds
//! whatever was not asked for to be a fault.

use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::fault::{Fault, Faults, Place};

/// Reads settings and collects faults.
pub(super) struct Reader<'a> {
    lookup: &'a dyn Fn(&str) -> Option<String>,
    name: String,
    text: &'a str,
    root: Table<'a>,
    faults: Vec<Fault>,
}

/// A table of the file, perhaps one that is not there.
#[derive(Default)]
pub(super) struct Table<'a> {
    title: String,
    start: Option<usize>,
    entries: DeTable<'a>,
    asked: Vec<&'static str>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(
        lookup: &'a dyn Fn(&str) -> Option<String>,
        file: Option<(&Path, &'a str)>,
    ) -> Self {
        let (name, text) = match file {
            Some((path, text)) => (path.display().to_string(), text),
            None => (String::new(), ""),
        };
        let (table, faults) = DeTable::parse_recoverable(text);
        let mut reader = Self {
            lookup,
            name,
            text,
            root: Table { entries: table.into_inner(), ..Table::default() },
            faults: Vec::new(),
        };
        for fault in faults {
            let place = reader.line(fault.span().map_or(0, |span| span.start));
            reader.fault(place, fault.message());
        }
        reader
    }

    /// A file that this one names: beside it, unless its path is absolute.
    pub(super) fn beside(&self, file: &str) -> PathBuf {
        let here = Path::new(&self.name).parent();
        here.unwrap_or_else(|| Path::new("")).join(file)
    }

    fn line(&self, at: usize) -> Place {
        let before = self.text.as_bytes().get(..at).unwrap_or_default();
        Place::Line { file: self.name.clone(), line: before.split(|byte| *byte == b'\n').count() }
    }

    /// Notes a fault.
    pub(super) fn fault(&mut self, place: Place, why: impl Into<String>) {
        let why = why.into();
        self.faults.push(Fault { place, why });
    }

    /// Where a table stands.
    pub(super) fn place_of(&self, table: &Table<'a>) -> Place {
        table.start.map_or(Place::Whole, |at| self.line(at))
    }

    /// The table `[name]`, which need not be there.
    pub(super) fn table(&mut self, name: &'static str) -> Table<'a> {
        let mut root = std::mem::take(&mut self.root);
        let table = self.inner(&mut root, name, &format!("[{name}]"));
        self.root = root;
        table
    }

    /// The table `key` within another.
    pub(super) fn inner(
        &mut self,
        of: &mut Table<'a>,
        key: &'static str,
        title: &str,
    ) -> Table<'a> {
        match of.take(key) {
            None => Table { title: title.to_owned(), ..Table::default() },
            Some((at, DeValue::Table(entries))) => Table::new(title, at, entries),
            Some((at, _)) => {
                let place = self.line(at);
                self.fault(place, format!("`{key}` must be a table: {title}"));
                Table::default()
            }
        }
    }

    /// The tables `[[name]]`.
    pub(super) fn tables(&mut self, name: &'static str) -> Vec<Table<'a>> {
        let title = format!("[[{name}]]");
        let Some((at, value)) = self.root.take(name) else {
            return Vec::new();
        };
        let DeValue::Array(items) = value else {
            let place = self.line(at);
            self.fault(place, format!("`{name}` must be a list of tables: {title}"));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for item in items {
            let at = item.span().start;
            if let DeValue::Table(entries) = item.into_inner() {
                tables.push(Table::new(&title, at, entries));
            } else {
                let place = self.line(at);
                self.fault(place, format!("`{name}` must be a list of tables: {title}"));
            }
        }
        tables
    }

    /// A setting of the table, unless the variable has it. Both are checked.
    pub(super) fn setting<T>(
        &mut self,
        table: &mut Table<'a>,
        key: &'static str,
        variable: Option<&'static str>,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let title = &table.title.clone();
        let in_file = table.take(key).and_then(|(at, value)| {
            let place = self.line(at);
            let Some(text) = scalar(value) else {
                self.fault(place, format!("{title} {key}: a single value is wanted"));
                return None;
            };
            self.parsed(place, &format!("{title} {key}: "), &text, &parse)
        });
        let in_variable = variable.and_then(|name| self.variable(name, &parse));
        in_variable.or(in_file)
    }

    /// A setting that only a variable has.
    pub(super) fn variable<T>(
        &mut self,
        name: &'static str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        let text = (self.lookup)(name).filter(|text| !text.is_empty())?;
        self.parsed(Place::Variable(name.to_owned()), "", &text, &parse)
    }

    /// Whether the variable is set.
    pub(super) fn has(&self, name: &str) -> bool {
        (self.lookup)(name).is_some_and(|text| !text.is_empty())
    }

    fn parsed<T>(
        &mut self,
        place: Place,
        title: &str,
        text: &str,
        parse: &impl Fn(&str) -> Result<T, String>,
    ) -> Option<T> {
        match parse(text) {
            Ok(value) => Some(value),
            Err(why) => {
                self.fault(place, format!("{title}{why}"));
                None
            }
        }
    }

    /// Ends a table: what nobody asked for is a fault.
    pub(super) fn close(&mut self, table: Table<'a>) {
        let known = table.asked.join(", ");
        for (key, _) in table.entries {
            let place = self.line(key.span().start);
            let title = if table.title.is_empty() { "" } else { " in " };
            let why = format!("there is no `{}`{title}{}: use {known}", key.get_ref(), table.title);
            self.fault(place, why);
        }
    }

    /// All faults, in the order of their places.
    pub(super) fn finish(mut self) -> Result<(), Faults> {
        let root = std::mem::take(&mut self.root);
        self.close(root);
        if self.faults.is_empty() {
            return Ok(());
        }
        self.faults.sort_by(|a, b| a.place.cmp(&b.place));
        Err(Faults(self.faults))
    }
}

impl<'a> Table<'a> {
    fn new(title: &str, at: usize, entries: DeTable<'a>) -> Self {
        Self { title: title.to_owned(), start: Some(at), entries, asked: Vec::new() }
    }

    /// Whether the file says something of this.
    pub(super) fn names(&self, key: &str) -> bool {
        self.entries.contains_key(key)
    }

    fn take(&mut self, key: &'static str) -> Option<(usize, DeValue<'a>)> {
        self.asked.push(key);
        let entry: Option<(Spanned<_>, Spanned<DeValue<'a>>)> = self.entries.remove_entry(key);
        entry.map(|(name, value)| (name.span().start, value.into_inner()))
    }
}

/// The text of a single value, so that the file and the variables are read by the same parsers.
fn scalar(value: DeValue<'_>) -> Option<String> {
    match value {
        DeValue::String(text) => Some(text.into_owned()),
        DeValue::Integer(number) => Some(number.as_str().to_owned()),
        DeValue::Float(number) => Some(number.as_str().to_owned()),
        DeValue::Boolean(value) => Some(value.to_string()),
        DeValue::Datetime(time) => Some(time.to_string()),
        DeValue::Array(_) | DeValue::Table(_) => None,
    }
}
