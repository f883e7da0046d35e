//! Saved views: filters with a name.

use std::fmt;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::filter::LetterFilter;
use crate::ids::ViewId;

/// The longest name, in characters.
pub const MOST_NAME_CHARS: usize = 60;

/// A filter that somebody saved under a name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct View {
    /// Its id.
    pub id: ViewId,
    /// Its name, one of its kind among its owner's.
    pub name: String,
    /// The filter's text.
    pub filter: String,
    /// Who saved it: a token's name, or the local operator.
    pub owner: String,
    /// Whether everybody sees it, or its owner alone.
    pub shared: bool,
    /// When it was saved.
    pub created_at: DateTime<Utc>,
}

/// A view that is to be saved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewView {
    /// Its name.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 60))]
    pub name: String,
    /// The filter's text.
    pub filter: String,
    /// Whether everybody sees it; only its owner when left out.
    #[serde(default)]
    pub shared: bool,
}

/// A view that cannot be saved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ViewFault {
    /// The name is empty, too long, or holds what no line of text does.
    Name,
    /// The filter cannot be read.
    Filter(crate::filter::FilterFault),
}

impl fmt::Display for ViewFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name => write!(
                f,
                "a view's name is a line of 1 to {MOST_NAME_CHARS} characters: give it another"
            ),
            Self::Filter(fault) => write!(f, "the filter cannot be read: {fault}"),
        }
    }
}

impl std::error::Error for ViewFault {}

impl NewView {
    /// Checks it; gives it back with its name trimmed and its filter in the one form.
    ///
    /// # Errors
    /// `ViewFault` when the name or the filter will not do.
    pub fn checked(&self) -> Result<Self, ViewFault> {
        let name = self.name.trim();
        let length = name.chars().count();
        if !(1..=MOST_NAME_CHARS).contains(&length) || name.chars().any(char::is_control) {
            return Err(ViewFault::Name);
        }
        let filter = LetterFilter::parse(&self.filter).map_err(ViewFault::Filter)?;
        Ok(Self { name: name.to_owned(), filter: filter.to_string(), shared: self.shared })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn new(name: &str, filter: &str) -> Result<NewView, ViewFault> {
        let view = NewView { name: name.into(), filter: filter.into(), shared: true };
        view.checked()
    }

    #[test]
    fn a_view_is_saved_in_the_one_form() {
        let view = new("  mine ", "state:HELD   (a)").expect("a view");
        assert_eq!(view.name, "mine");
        assert_eq!(view.filter, "state:held a");
        for name in ["", "  ", "a\nb", &"x".repeat(61)] {
            assert_eq!(new(name, ""), Err(ViewFault::Name), "{name}");
        }
        assert!(matches!(new("a", "colour:red"), Err(ViewFault::Filter(_))));
    }
}
