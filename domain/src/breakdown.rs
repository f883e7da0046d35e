//! What letters have in common that others have not: by queue, by worker, and by every header.
//!
//! Two samples are compared: the letters in question, and letters of all kinds. No header is
//! known by name beforehand; names that tell a version, a tenant or a worker only come first
//! among equals. Nothing here asks a database.

mod facts;
mod finding;
mod odds;

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use crate::filter::{Field, Path, Pattern, Subject, Term, Test, Value};

pub use facts::{Sampled, Told};
pub use finding::compare;
pub use odds::percent;

/// Fewer letters than this are never a finding, and no ratio is told of them.
pub const FEWEST_LETTERS: i64 = 3;
/// A value that fewer of the letters have, in hundredths, is not what they have in common.
const LEAST_SHARE: f64 = 0.1;
/// Facets that are told.
const MOST_FACETS: usize = 10;
/// Values of a facet that are told.
const MOST_VALUES: usize = 5;

/// What letters are divided by, in the order that they come among equals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FacetKind {
    /// The version of a program or of a message, by the header's name.
    Version,
    /// Whose letters they are, by the header's name.
    Tenant,
    /// Who worked on them, by the header's name.
    Worker,
    /// The queue that they died in.
    Queue,
    /// Exchange, routing key or type of the message.
    Property,
    /// Any other header.
    Header,
}

impl FacetKind {
    /// Whether people look for it even where nothing stands out.
    fn is_asked_for(self) -> bool {
        self <= Self::Queue
    }
}

/// One way to divide letters.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Axis {
    Queue,
    Exchange,
    RoutingKey,
    MessageType,
    Header(Vec<String>),
}

impl Axis {
    fn kind(&self) -> FacetKind {
        match self {
            Self::Queue => FacetKind::Queue,
            Self::Exchange | Self::RoutingKey | Self::MessageType => FacetKind::Property,
            Self::Header(steps) => facts::kind_of(steps),
        }
    }

    /// What people call it.
    fn name(&self) -> String {
        match self {
            Self::Queue => "queue".to_owned(),
            Self::Exchange => "exchange".to_owned(),
            Self::RoutingKey => "routing key".to_owned(),
            Self::MessageType => "type".to_owned(),
            Self::Header(steps) => steps.join("."),
        }
    }

    /// The term of the filter language that means the letters with a value; none for headers
    /// that are too deep for it.
    fn term(&self, value: &str) -> Option<String> {
        let subject = match self {
            Self::Queue => Subject::Field(Field::Queue),
            Self::Exchange => Subject::Field(Field::Exchange),
            Self::RoutingKey => Subject::Field(Field::RoutingKey),
            Self::MessageType => Subject::Field(Field::MessageType),
            Self::Header(steps) => Subject::Header(Path::of(steps.clone())?),
        };
        let test = Test::Is(vec![Value::Text(Pattern::literal(value))]);
        Some(Term { subject, test }.to_string())
    }
}

/// What a set of letters has in common, as far as samples tell.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Breakdown {
    /// How many letters of the set were looked at: the newest.
    pub letters: i64,
    /// How many letters the set has, as counters tell.
    pub letters_in_set: i64,
    /// How many letters of all they were compared with, picked evenly.
    pub compared_with: i64,
    /// How many letters there are, as counters tell.
    pub letters_in_all: i64,
    /// The strongest finding as a sentence; absent when nothing stands out.
    pub sentence: Option<String>,
    /// What they are divided by, the most telling first.
    pub facets: Vec<Facet>,
}

impl Breakdown {
    /// The value that stands out most, with what it is a value of.
    #[must_use]
    pub fn strongest(&self) -> Option<(&Facet, &FacetValue)> {
        self.strongest_of(|_| true)
    }

    /// The strongest finding that is not where they died or what they are, which whoever has the group knows: a
    /// version, a tenant, a worker, a header.
    #[must_use]
    pub fn points_at(&self) -> Option<String> {
        let known = [FacetKind::Queue, FacetKind::Property];
        let (facet, found) = self.strongest_of(|kind| !known.contains(&kind))?;
        Some(finding::sentence(facet, found))
    }

    fn strongest_of(&self, is_asked: impl Fn(FacetKind) -> bool) -> Option<(&Facet, &FacetValue)> {
        self.facets.iter().filter(|facet| is_asked(facet.kind)).find_map(|facet| {
            let outstanding = facet.values.iter().filter(|value| value.stands_out);
            let strongest = outstanding.max_by(|a, b| a.telling().total_cmp(&b.telling()))?;
            Some((facet, strongest))
        })
    }
}

/// Letters divided by one thing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Facet {
    /// `queue`, `exchange`, `routing key`, `type`, or the name of a header.
    pub name: String,
    /// What that tells.
    pub kind: FacetKind,
    /// The most frequent values, the most frequent first.
    pub values: Vec<FacetValue>,
    /// How many other values there are.
    pub other_values: i64,
    /// How many letters of the sample have one of those others.
    pub other_letters: i64,
}

/// Letters that have one value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FacetValue {
    /// The value.
    pub value: String,
    /// How many letters of the sample have it.
    pub letters: i64,
    /// Their part of the sample, 0 to 1.
    pub share: f64,
    /// The part of all letters that have it, 0 to 1.
    pub share_of_all: f64,
    /// The one divided by the other; absent for too few letters, and when no other has it.
    pub lift: Option<f64>,
    /// Whether this is no chance: clearly more frequent here than elsewhere.
    pub stands_out: bool,
    /// The term of the filter language that means such letters.
    pub filter: String,
}

impl FacetValue {
    fn telling(&self) -> f64 {
        odds::telling(self.share, self.share_of_all)
    }
}
