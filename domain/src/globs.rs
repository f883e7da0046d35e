//! Lists of names in which `*` stands for any characters, also none.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::filter::Pattern;

/// The most patterns of a list.
pub const MOST_GLOBS: usize = 100;

/// The longest pattern, in bytes: no AMQP name is longer.
pub const MOST_GLOB_BYTES: usize = 255;

/// A list of patterns. A name is in it if one of them matches the whole name.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(transparent)]
pub struct Globs(Vec<String>);

/// What is wrong with a list of patterns.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GlobFault {
    /// There are too many.
    #[error("there are {0} patterns; at most {MOST_GLOBS} are allowed")]
    TooMany(usize),
    /// A pattern is empty.
    #[error("a pattern is empty: leave it out, or write `*` for every name")]
    Empty,
    /// A pattern is longer than any name.
    #[error("a pattern has {0} bytes; a name has at most {MOST_GLOB_BYTES}")]
    TooLong(usize),
    /// A pattern that no person can read.
    #[error("a pattern holds a control character")]
    Control,
}

impl Globs {
    /// The list that every name is in.
    #[must_use]
    pub fn any() -> Self {
        Self(vec!["*".to_owned()])
    }

    /// A list of these patterns.
    ///
    /// # Errors
    /// Returns the first fault.
    pub fn of(patterns: impl IntoIterator<Item = String>) -> Result<Self, GlobFault> {
        let globs = Self(patterns.into_iter().collect());
        globs.check().map(|()| globs)
    }

    /// Checks a list that was read from somewhere.
    ///
    /// # Errors
    /// Returns the first fault.
    pub fn check(&self) -> Result<(), GlobFault> {
        if self.0.len() > MOST_GLOBS {
            return Err(GlobFault::TooMany(self.0.len()));
        }
        self.0.iter().try_for_each(|pattern| {
            if pattern.is_empty() {
                return Err(GlobFault::Empty);
            }
            if pattern.len() > MOST_GLOB_BYTES {
                return Err(GlobFault::TooLong(pattern.len()));
            }
            if pattern.chars().any(char::is_control) {
                return Err(GlobFault::Control);
            }
            Ok(())
        })
    }

    /// Whether one of the patterns matches the whole name.
    #[must_use]
    pub fn matches(&self, name: &str) -> bool {
        let mut patterns = self.0.iter();
        patterns.any(|pattern| Pattern::with_wildcards(pattern).is_like(name))
    }

    /// Whether the list has no pattern, so that no name is in it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The patterns.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.0
    }
}

/// The patterns with commas between them.
impl fmt::Display for Globs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.join(", "))
    }
}

/// From patterns with commas or line breaks between them, as people write them in one field.
impl FromStr for Globs {
    type Err = GlobFault;

    fn from_str(text: &str) -> Result<Self, GlobFault> {
        let patterns = text.split([',', '\n', '\r']).map(str::trim);
        Self::of(patterns.filter(|pattern| !pattern.is_empty()).map(str::to_owned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn globs(text: &str) -> Globs {
        text.parse().expect("a list")
    }

    #[test]
    fn a_name_is_in_the_list_if_a_whole_pattern_matches_it() {
        let list = globs("orders.*, payments.capture\nworker.*.executions");
        for name in ["orders.", "orders.new", "payments.capture", "worker.7.executions"] {
            assert!(list.matches(name), "{name}");
        }
        for name in ["", "xorders.new", "payments.capture.2", "worker.executions", "Orders.new"] {
            assert!(!list.matches(name), "{name}");
        }
        assert!(!Globs::default().matches("") && Globs::any().matches(""));
        assert_eq!(list.to_string().parse(), Ok(list));
    }

    #[test]
    fn what_is_no_list_of_patterns_is_refused() {
        assert_eq!(Globs::of([String::new()]), Err(GlobFault::Empty));
        assert_eq!(Globs::of(["a\0".to_owned()]), Err(GlobFault::Control));
        let long = "x".repeat(MOST_GLOB_BYTES);
        assert!(Globs::of([long.clone()]).is_ok());
        assert_eq!(Globs::of([long + "x"]), Err(GlobFault::TooLong(256)));
        let many = vec!["a".to_owned(); MOST_GLOBS + 1];
        assert_eq!(Globs::of(many), Err(GlobFault::TooMany(MOST_GLOBS + 1)));
    }
}
