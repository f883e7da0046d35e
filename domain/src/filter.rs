//! The filter language: one way to say which letters, for the list, saved views, bulk actions and
//! the API.
//!
//! `queue:orders.* reason:expired -severity:low (state:held OR state:unknown)`. The text is read to
//! a tree; the tree is asked in memory (`facts`) and, by the store, in SQL. docs/filter.md is the
//! manual. A letter that does not have what a term asks for fails the term, and so passes its
//! negation: there is no third answer.

mod completion;
mod decimal;
#[cfg(feature = "server")]
mod facts;
mod fault;
mod fields;
mod form;
mod grammar;
mod known;
mod moment;
mod path;
mod pattern;
mod size;
mod tree;
mod window;
mod writing;

use std::fmt;

use crate::ids::GroupId;
use crate::state::LetterState;

pub use completion::{Completion, Suggestion, complete};
pub use decimal::{Decimal, NoNumber};
#[cfg(feature = "server")]
pub use facts::Facts;
pub use fault::FilterFault;
pub use fields::{FIELDS, Field, FieldInfo, Kind, PATHS, PathInfo, Words};
pub use form::FilterForm;
pub use grammar::{MOST_BYTES, MOST_DEPTH, MOST_TERMS};
pub use known::{FieldValues, KnownValue, KnownValues, MOST_LOOKED_AT, ValueTally};
pub use moment::{Moment, length};
pub use path::{MOST_STEPS, Path};
pub use pattern::{Pattern, fold};
pub use tree::{Comparison, Expr, Subject, Term, Test, Value};
pub use window::Window;

/// What a letter must be to be meant. The default means every letter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LetterFilter {
    root: Option<Expr>,
}

impl LetterFilter {
    /// Reads the text form. The empty text allows everything.
    ///
    /// # Errors
    /// `FilterFault` with the place of what cannot be read and how to mend it.
    pub fn parse(text: &str) -> Result<Self, FilterFault> {
        grammar::parse(text).map(|root| Self { root })
    }

    /// The letters of a group.
    #[must_use]
    pub fn of_group(group: GroupId) -> Self {
        Self::of(Some(Expr::Term(Term {
            subject: Subject::Field(Field::Group),
            test: Test::Is(vec![Value::Id(group.0)]),
        })))
    }

    /// The letters of which a field of names is this, whatever characters it has.
    #[must_use]
    pub fn of_name(field: Field, name: &str) -> Self {
        Self::of(Some(Expr::Term(Term {
            subject: Subject::Field(field),
            test: Test::Is(vec![Value::Text(Pattern::literal(name))]),
        })))
    }

    /// A filter of this tree.
    #[must_use]
    pub fn of(root: Option<Expr>) -> Self {
        Self { root }
    }

    /// The tree; nothing when everything is allowed.
    #[must_use]
    pub fn root(&self) -> Option<&Expr> {
        self.root.as_ref()
    }

    /// The first field that the filter asks for and may not, by its name, with the reason.
    pub fn refused(
        &self,
        refusal: impl Fn(Field) -> Option<&'static str>,
    ) -> Option<(&'static str, &'static str)> {
        let mut found = None;
        self.root()?.each_term(&mut |term| {
            if let Subject::Field(field) = term.subject
                && let Some(why) = refusal(field)
            {
                found = found.or(Some((field.info().name, why)));
            }
        });
        found
    }

    /// Whether it allows everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    /// What both this and another mean.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        let both = [self, other].into_iter().flat_map(Self::conjuncts);
        Self::of(Expr::all(both.cloned().collect()))
    }

    /// Whether a letter in this state could be meant, whatever else it is.
    #[must_use]
    pub fn allows_state(&self, state: LetterState) -> bool {
        self.root.as_ref().is_none_or(|root| root.outcomes(state).may_hold)
    }

    fn conjuncts(&self) -> &[Expr] {
        self.root.as_ref().map_or(&[], Expr::conjuncts)
    }
}

/// Which answers are possible when only a letter's state is known.
#[derive(Debug, Clone, Copy)]
struct Outcomes {
    may_hold: bool,
    may_fail: bool,
}

impl Expr {
    fn outcomes(&self, state: LetterState) -> Outcomes {
        let of = |part: &Self| part.outcomes(state);
        match self {
            Self::All(parts) => Outcomes {
                may_hold: parts.iter().all(|part| of(part).may_hold),
                may_fail: parts.iter().any(|part| of(part).may_fail),
            },
            Self::Any(parts) => Outcomes {
                may_hold: parts.iter().any(|part| of(part).may_hold),
                may_fail: parts.iter().all(|part| of(part).may_fail),
            },
            Self::Not(inner) => {
                Outcomes { may_hold: of(inner).may_fail, may_fail: of(inner).may_hold }
            }
            Self::Term(Term { subject: Subject::Field(Field::State), test }) => {
                let all: Vec<&str> = match Field::State.kind() {
                    Kind::Words(words) => test.passing(words.all),
                    _ => Vec::new(),
                };
                let holds = all.contains(&state.as_str());
                Outcomes { may_hold: holds, may_fail: !holds }
            }
            Self::Term(_) => Outcomes { may_hold: true, may_fail: true },
        }
    }
}

/// The text form, which `parse` reads back.
impl fmt::Display for LetterFilter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.root.as_ref().map_or(Ok(()), |root| root.fmt(f))
    }
}

#[cfg(test)]
mod tests;
