//! The fields of the language: one table, which the grammar, both evaluators, the completion and
//! `docs/filter.md` take them from.

mod table;

pub use table::FIELDS;

/// What a term can ask about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the table below says what each of them is")]
pub enum Field {
    State,
    Severity,
    Reason,
    Source,
    Queue,
    Exchange,
    RoutingKey,
    ErrorClass,
    ErrorMessage,
    MessageType,
    MessageId,
    CorrelationId,
    Trace,
    BusinessKey,
    Id,
    Group,
    Execution,
    Worker,
    Size,
    Arrivals,
    Replays,
    Exhausted,
    Age,
    FirstAge,
    FirstArrived,
    LastArrived,
    Since,
    Until,
    Deaths,
    DeathQueue,
    DeathReason,
    DeathExchange,
    DeathRoutingKey,
    DeathCount,
}

/// How the values of a field are written and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A whole name, case and all; `*` stands for any characters.
    Name,
    /// Part of a text, without regard to the case of A to Z; `*` stands for any characters.
    Prose,
    /// One of these words.
    Words(&'static Words),
    /// A UUID.
    Id,
    /// A number.
    Number,
    /// A number of bytes, with a unit if wanted.
    Size,
    /// A length of time.
    Age,
    /// A time or a day.
    Time,
    /// A time, a day or a time ago, as it is; without comparisons.
    Bound,
}

/// A closed set of words.
#[derive(Debug, PartialEq, Eq)]
pub struct Words {
    /// What one of them is called, with its article.
    pub noun: &'static str,
    /// The words; where they have an order, the greatest first.
    pub all: &'static [&'static str],
    /// Whether `>` and `<` make sense.
    pub is_ordered: bool,
}

/// One row of the table.
#[derive(Debug)]
pub struct FieldInfo {
    /// The field.
    pub field: Field,
    /// Its name.
    pub name: &'static str,
    /// Other names that are read.
    pub aliases: &'static [&'static str],
    /// How its values are written.
    pub kind: Kind,
    /// What it is, for people.
    pub help: &'static str,
    /// A term with it.
    pub example: &'static str,
}

/// A prefix after which a path follows.
#[derive(Debug)]
pub struct PathInfo {
    /// The prefix, with its dot.
    pub prefix: &'static str,
    /// What it is, for people.
    pub help: &'static str,
    /// A term with it.
    pub example: &'static str,
}

/// What paths lead into.
pub static PATHS: [PathInfo; 2] = [
    PathInfo {
        prefix: "header.",
        help: "a header of the last arrival",
        example: "header.tenant:acme",
    },
    PathInfo {
        prefix: "body.",
        help: "a value in the body of the last arrival, in JSON or another format",
        example: "body.customer.id:42",
    },
];

impl Field {
    /// The field of that name or alias.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let is = |one: &&str| one.eq_ignore_ascii_case(name);
        let found = FIELDS.iter().find(|info| is(&info.name) || info.aliases.iter().any(is));
        found.map(|info| info.field)
    }

    /// Its row in the table.
    ///
    /// # Panics
    /// Never: a test holds the table to have every field.
    #[must_use]
    pub fn info(self) -> &'static FieldInfo {
        FIELDS.iter().find(|info| info.field == self).expect("the table has every field")
    }

    /// How its values are written.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.info().kind
    }
}

impl Words {
    /// The word, as the set spells it.
    #[must_use]
    pub fn find(&self, word: &str) -> Option<&'static str> {
        let mut all = self.all.iter().copied();
        all.find(|one| one.eq_ignore_ascii_case(word))
    }

    /// `held, scheduled or claimed`.
    #[must_use]
    pub fn listed(&self) -> String {
        match self.all {
            [others @ .., last] if !others.is_empty() => {
                format!("{} or {last}", others.join(", "))
            }
            all => all.join(", "),
        }
    }
}

impl Kind {
    /// Whether `>`, `<` and ranges make sense.
    #[must_use]
    pub fn is_ordered(self) -> bool {
        match self {
            Self::Words(words) => words.is_ordered,
            Self::Number | Self::Size | Self::Age | Self::Time => true,
            Self::Name | Self::Prose | Self::Id | Self::Bound => false,
        }
    }

    /// How a value is written, for people.
    #[must_use]
    pub fn help(self) -> String {
        match self {
            Self::Name => "a whole name; `*` stands for any characters".to_owned(),
            Self::Prose => "part of a text; `*` stands for any characters".to_owned(),
            Self::Words(words) => words.all.join(", "),
            Self::Id => "a UUID".to_owned(),
            Self::Number => "a number".to_owned(),
            Self::Size => "bytes, or with a unit: `512`, `64kb`, `1.5mb`".to_owned(),
            Self::Age => "a length of time: `90s`, `15m`, `1h`, `7d`, `2w`".to_owned(),
            Self::Time => "a day or a time: `2026-11-21`, `2026-11-21T03:00:00Z`".to_owned(),
            Self::Bound => "a day, a time, or a length of time before now".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::table::{REASONS, SEVERITIES, STATES};
    use super::*;
    use crate::death::Reason;
    use crate::severity::Severity;
    use crate::state::LetterState;

    #[test]
    fn the_words_are_those_of_the_letters() {
        assert_eq!(STATES.all, LetterState::ALL.map(LetterState::as_str));
        assert_eq!(SEVERITIES.all, Severity::ALL.map(Severity::as_str));
        assert_eq!(REASONS.all, Reason::ALL.map(Reason::as_str));
    }

    #[test]
    fn every_name_leads_to_its_field_and_no_other() {
        for info in FIELDS {
            for name in std::iter::once(&info.name).chain(info.aliases) {
                assert_eq!(Field::named(name), Some(info.field), "{name}");
                assert_eq!(Field::named(&name.to_uppercase()), Some(info.field));
            }
            assert_eq!(info.field.info().name, info.name);
        }
    }
}
