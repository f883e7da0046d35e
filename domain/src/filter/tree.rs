//! A filter as a tree: what the text says, without its writing.

use uuid::Uuid;

use super::decimal::Decimal;
use super::fields::Field;
use super::moment::Moment;
use super::path::Path;
use super::pattern::Pattern;

/// A condition.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expr {
    /// All of these hold; at least two, none of them an `All`.
    All(Vec<Expr>),
    /// At least one of these holds; at least two, none of them an `Any`.
    Any(Vec<Expr>),
    /// This does not hold. What a letter does not have makes a term false, and this true.
    Not(Box<Expr>),
    /// One question.
    Term(Term),
}

/// One question about a letter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Term {
    /// What is asked about.
    pub subject: Subject,
    /// What it must be.
    pub test: Test,
}

/// What a term asks about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// A field of the table.
    Field(Field),
    /// Where a path leads in the headers of the last arrival.
    Header(Path),
    /// Where a path leads in the JSON body of the last arrival.
    Body(Path),
    /// The error message and the beginning of the body.
    Text,
}

/// What the subject must be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Test {
    /// There is one at all.
    Exists,
    /// One of these; at least one.
    Is(Vec<Value>),
    /// On this side of that value.
    Compare(Comparison, Value),
    /// From the one to the other, both included.
    Between(Value, Value),
}

/// A side of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `<`
    Below,
    /// `<=`
    AtMost,
}

/// A value, read as the subject's kind wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A name or part of a text; also what a path must lead to.
    Text(Pattern),
    /// One of a closed set.
    Word(&'static str),
    /// A UUID.
    Id(Uuid),
    /// A number.
    Number(Decimal),
    /// Bytes.
    Size(i64),
    /// Seconds.
    Age(i64),
    /// A time.
    Time(Moment),
}

impl Comparison {
    /// Every comparison, the longer signs first, so that they are not read as the shorter.
    pub const ALL: [Self; 4] = [Self::AtLeast, Self::AtMost, Self::Above, Self::Below];

    /// The sign, in a filter and in SQL.
    #[must_use]
    pub fn sign(self) -> &'static str {
        match self {
            Self::Above => ">",
            Self::AtLeast => ">=",
            Self::Below => "<",
            Self::AtMost => "<=",
        }
    }

    /// Whether something that compares like this to the value is on this side.
    #[must_use]
    pub fn holds(self, order: std::cmp::Ordering) -> bool {
        match self {
            Self::Above => order.is_gt(),
            Self::AtLeast => order.is_ge(),
            Self::Below => order.is_lt(),
            Self::AtMost => order.is_le(),
        }
    }

    /// The same, seen from the other side of zero: an age above is a time below.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Self::Above => Self::Below,
            Self::AtLeast => Self::AtMost,
            Self::Below => Self::Above,
            Self::AtMost => Self::AtLeast,
        }
    }
}

impl Expr {
    /// All of these, in the one form.
    #[must_use]
    pub fn all(parts: Vec<Self>) -> Option<Self> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::All(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        one_or(flat, Self::All)
    }

    /// Any of these, in the one form.
    #[must_use]
    pub fn any(parts: Vec<Self>) -> Option<Self> {
        let mut flat = Vec::with_capacity(parts.len());
        for part in parts {
            match part {
                Self::Any(inner) => flat.extend(inner),
                other => flat.push(other),
            }
        }
        one_or(flat, Self::Any)
    }

    /// What must all hold: the parts of an `All`, or itself.
    #[must_use]
    pub fn conjuncts(&self) -> &[Self] {
        match self {
            Self::All(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// Every term in it.
    pub fn each_term<'a>(&'a self, visit: &mut impl FnMut(&'a Term)) {
        match self {
            Self::All(parts) | Self::Any(parts) => {
                for part in parts {
                    part.each_term(visit);
                }
            }
            Self::Not(inner) => inner.each_term(visit),
            Self::Term(term) => visit(term),
        }
    }
}

fn one_or(mut flat: Vec<Expr>, many: impl FnOnce(Vec<Expr>) -> Expr) -> Option<Expr> {
    match flat.len() {
        0 | 1 => flat.pop(),
        _ => Some(many(flat)),
    }
}

impl Term {
    /// `field:value`.
    #[must_use]
    pub fn is(field: Field, value: Value) -> Self {
        Self { subject: Subject::Field(field), test: Test::Is(vec![value]) }
    }
}

impl Value {
    /// A word of a closed set, by the place that it has there; unordered kinds have none.
    pub(super) fn as_word(&self) -> Option<&'static str> {
        match self {
            Self::Word(word) => Some(word),
            _ => None,
        }
    }
}

impl Test {
    /// The words of a closed set that pass. Where words have an order, the greatest come first.
    #[must_use]
    pub fn passing(&self, all: &'static [&'static str]) -> Vec<&'static str> {
        let rank = |value: &Value| all.iter().position(|word| Some(*word) == value.as_word());
        let passes = |place: usize| match self {
            Self::Exists => true,
            Self::Is(values) => values.iter().any(|value| rank(value) == Some(place)),
            Self::Compare(side, value) => {
                rank(value).is_some_and(|rank| side.holds(rank.cmp(&place)))
            }
            Self::Between(low, high) => {
                let (low, high) = (rank(low), rank(high));
                low.is_some_and(|low| place <= low) && high.is_some_and(|high| place >= high)
            }
        };
        (0..all.len()).filter(|place| passes(*place)).map(|place| all[place]).collect()
    }
}
