//! Faults of a configuration, for people.

use std::fmt;

/// One fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    /// Where it stands.
    pub place: Place,
    /// What is wrong and how to mend it.
    pub why: String,
}

/// Where a fault stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// In a line of the file.
    Line {
        /// The file as it was named.
        file: String,
        /// From 1.
        line: usize,
    },
    /// In a variable of the environment.
    Variable(String),
    /// Nowhere in particular: something is missing, or does not go together.
    Whole,
}

/// All faults of a configuration.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct Faults(pub Vec<Fault>);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Line { file, line } => write!(f, "{file}, line {line}: {}", self.why),
            Place::Variable(name) => write!(f, "{name}: {}", self.why),
            Place::Whole => f.write_str(&self.why),
        }
    }
}

impl fmt::Display for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(faults) = self;
        match faults.len() {
            1 => f.write_str("the configuration has a fault:")?,
            many => write!(f, "the configuration has {many} faults:")?,
        }
        for fault in faults {
            write!(f, "\n  - {fault}")?;
        }
        Ok(())
    }
}
