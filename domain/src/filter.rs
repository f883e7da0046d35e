//! The filter over letters: one value for the list, the URL, bulk actions and the API.
//!
//! As text it is a row of `field:value` terms, all of which must hold:
//! `queue:orders.* reason:expired state:held age:<1h`. Values with spaces stand in quotes.

mod parse;

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::death::Reason;
use crate::severity::Severity;
use crate::state::LetterState;

pub use parse::FilterFault;

/// What a letter must be to be listed. An absent member allows everything.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LetterFilter {
    /// The source's name, exactly.
    pub source: Option<String>,
    /// The origin queue; `*` stands for any characters.
    pub queue: Option<String>,
    /// Why it died.
    pub reason: Option<Reason>,
    /// Where it stands.
    pub state: Option<LetterState>,
    /// How bad it is.
    pub severity: Option<Severity>,
    /// The exception's class, exactly.
    pub error_class: Option<String>,
    /// Last arrived at this time or later.
    pub since: Option<Moment>,
    /// Last arrived before this time.
    pub until: Option<Moment>,
}

/// A time, or a time ago.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Moment {
    /// So many seconds before now.
    Ago(i64),
    /// This time.
    At(DateTime<Utc>),
}

impl Moment {
    /// The time that is meant.
    #[must_use]
    pub fn at(self, now: DateTime<Utc>) -> DateTime<Utc> {
        match self {
            Self::Ago(seconds) => now - chrono::TimeDelta::seconds(seconds),
            Self::At(time) => time,
        }
    }
}

impl LetterFilter {
    /// Reads the text form. The empty text allows everything.
    ///
    /// # Errors
    /// `FilterFault` with the position of the term and how to mend it.
    pub fn parse(text: &str) -> Result<Self, FilterFault> {
        parse::parse(text)
    }

    /// Whether it allows everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Reads the names and values of a URL's query: the fields by name, and `q` for the text
    /// form; a field of its own wins over the same one in `q`. Empty values and other names are
    /// passed over, so that a plain HTML form works.
    ///
    /// # Errors
    /// `FilterFault` of the first value that cannot be read.
    pub fn from_query<'a>(
        pairs: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Result<Self, FilterFault> {
        let mut text = String::new();
        let mut own = String::new();
        for (name, value) in pairs {
            match name {
                "q" => value.clone_into(&mut text),
                _ if parse::is_field(name) && !value.is_empty() => {
                    own.push(' ');
                    own.push_str(&parse::term(name, value));
                }
                _ => {}
            }
        }
        let mut filter = parse::parse(&text)?;
        filter.take_over(parse::parse(own.trim())?);
        Ok(filter)
    }

    fn take_over(&mut self, other: Self) {
        let Self {
            source,
            queue,
            reason,
            state,
            severity,
            error_class,
            since,
            until,
        } = other;
        self.source = source.or(self.source.take());
        self.queue = queue.or(self.queue.take());
        self.reason = reason.or(self.reason);
        self.state = state.or(self.state);
        self.severity = severity.or(self.severity);
        self.error_class = error_class.or(self.error_class.take());
        self.since = since.or(self.since);
        self.until = until.or(self.until);
    }
}

/// The text form, which `parse` reads back.
impl fmt::Display for LetterFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moment = |moment: &Moment| match moment {
            Moment::Ago(seconds) => format!("{seconds}s"),
            Moment::At(time) => time.to_rfc3339_opts(chrono::SecondsFormat::AutoSi, true),
        };
        let terms = [
            ("source", self.source.clone()),
            ("queue", self.queue.clone()),
            ("reason", self.reason.map(|v| v.to_string())),
            ("state", self.state.map(|v| v.to_string())),
            ("severity", self.severity.map(|v| v.to_string())),
            ("error_class", self.error_class.clone()),
            ("since", self.since.as_ref().map(moment)),
            ("until", self.until.as_ref().map(moment)),
        ];
        let texts: Vec<String> = terms
            .into_iter()
            .filter_map(|(field, value)| Some(parse::term(field, &value?)))
            .collect();
        f.write_str(&texts.join(" "))
    }
}
